"""What a pack contributes to a server: extensions, routes and views."""

from __future__ import annotations

import re
from collections.abc import Sequence
from dataclasses import dataclass
from pathlib import Path
from typing import Any

from workroom.runtime.extension import Extension

MAX_MODULE = 5_000_000
_NAME = re.compile(r"[a-z][a-z0-9_-]{0,39}")


@dataclass(frozen=True, slots=True)
class View:
    """A page in every room: a JavaScript module that exports `mount(element, context)`.

    Without a module, the page of Workroom has the view itself, at `/view/PACK/NAME` of a room.
    """

    name: str
    title: str
    module: Path | None = None

    def __post_init__(self) -> None:
        _check_name(self.name, "view")


@dataclass(frozen=True, slots=True)
class Pack:
    """A plug-in. `router` is a FastAPI `APIRouter`; the server serves its routes under `/api/packs/NAME`.

    The routes of `root_router` have the paths that they name. The server's own paths cannot be taken.
    """

    name: str
    extensions: Sequence[type[Extension]] = ()
    router: Any = None
    root_router: Any = None
    views: Sequence[View] = ()

    def __post_init__(self) -> None:
        _check_name(self.name, "pack")


def _check_name(name: str, what: str) -> None:
    if not _NAME.fullmatch(name):
        raise ValueError(
            f"the name of a {what} is 1 to 40 of a-z, 0-9, - and _, and starts with a letter: {name!r}"
        )
