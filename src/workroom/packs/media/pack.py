"""The media pack, for the entry-point group `workroom.packs`."""

from __future__ import annotations

import importlib.util

from workroom import Pack, View

_NEEDED = ("httpx", "numpy", "PIL", "websockets")
_VIEWS = [View("studio", "Studio")]  # a part of the page


def _pack() -> Pack:
    """With nothing in it where its packages are not installed."""
    if any(importlib.util.find_spec(name) is None for name in _NEEDED):
        return Pack("media")
    from workroom.packs.media.generate import Generate  # noqa: PLC0415 - needs packages that may be missing

    return Pack("media", extensions=[Generate], views=_VIEWS, **_routers())


def _routers() -> dict[str, object]:
    """A worker may have no server's packages."""
    if importlib.util.find_spec("fastapi") is None:
        return {}
    from workroom.packs.media.routes import root_router, router  # noqa: PLC0415

    return {"router": router, "root_router": root_router}


pack = _pack()
