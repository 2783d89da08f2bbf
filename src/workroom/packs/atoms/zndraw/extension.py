"""Extensions as ZnDraw has them: `category = Category.MODIFIER` and `run(self, vis, **kwargs)`."""

from __future__ import annotations

from collections.abc import Callable
from enum import StrEnum
from typing import Any, ClassVar

import workroom


class Category(StrEnum):
    MODIFIER = "modifiers"
    SELECTION = "selections"
    ANALYSIS = "analysis"


class Extension(workroom.Extension):
    """A unit of work on a room. Its `run()` takes `vis`, a ZnDraw of that room."""

    run_kwargs: ClassVar[dict[str, Any]] = {}  # what `register_extension` passes on to `run()`

    def __init_subclass__(cls, **options: Any) -> None:
        super().__init_subclass__(**options)
        cls.category = str(cls.category)
        if "run" in vars(cls):
            cls.run = _with_vis(vars(cls)["run"])  # type: ignore[attr-defined]


def _with_vis(run: Callable[..., Any]) -> Callable[..., Any]:
    """A `run()` that a worker calls with the room, and people with a ZnDraw."""

    def with_vis(self: Extension, room: Any, job: Any = None, **kwargs: Any) -> Any:
        from workroom.packs.atoms.zndraw.client import ZnDraw

        vis = room if isinstance(room, ZnDraw) else ZnDraw.over(room)
        return run(self, vis, **{**type(self).run_kwargs, **kwargs})

    with_vis.__doc__ = run.__doc__
    return with_vis
