"""The packs of a server: their routes and views are added to the application when it is made."""

from __future__ import annotations

import hashlib
import logging
import re
from collections.abc import Sequence
from dataclasses import dataclass, field, replace

from fastapi import APIRouter, Depends, FastAPI
from starlette.routing import BaseRoute, Route

from workroom.runners.loading import FoundPack
from workroom.runtime.pack import MAX_MODULE, View
from workroom.server.http.dependencies import get_caller

_log = logging.getLogger("workroom")
_PARAMETER = re.compile(r"\{[^{}]*\}")


@dataclass(frozen=True, slots=True)
class ServedView:
    """A view that the page has itself has no file."""

    name: str
    title: str
    file: str = ""
    module: bytes = field(default=b"", repr=False)


@dataclass(frozen=True, slots=True)
class ServedPack:
    name: str
    views: tuple[ServedView, ...] = ()
    error: str | None = None


def install(app: FastAPI, packs: Sequence[FoundPack]) -> None:
    """A pack that cannot be installed is reported, and stops nobody."""
    taken = _paths(app.routes, "")
    app.state.packs = [_install(app, found, taken) for found in packs]


def _install(app: FastAPI, found: FoundPack, taken: set[tuple[str, str]]) -> ServedPack:
    """`taken` are the paths of the server and of the packs before it."""
    served = ServedPack(found.pack.name, error=found.error)
    if found.error is not None:
        return served
    try:
        served = replace(served, views=tuple(_read(view) for view in found.pack.views))
        if found.pack.router is not None:
            prefix = f"/api/packs/{found.pack.name}"
            taken |= _add_routes(app, found.pack.name, found.pack.router, prefix, taken)
        if found.pack.root_router is not None:
            taken |= _add_routes(app, found.pack.name, found.pack.root_router, "", taken)
    except Exception as error:
        _log.exception("the pack '%s' cannot be installed", found.pack.name)
        return ServedPack(found.pack.name, error=f"{type(error).__name__}: {error}")
    return served


def _add_routes(
    app: FastAPI, name: str, router: object, prefix: str, taken: set[tuple[str, str]]
) -> set[tuple[str, str]]:
    """Every route of a pack requires a token. Returns their paths."""
    if not isinstance(router, APIRouter):
        raise TypeError(f"the router of a pack is a fastapi.APIRouter, not a {type(router).__name__}")
    paths = _paths(router.routes, prefix)
    if paths & taken:
        raise ValueError(f"the path is taken: {' '.join(min(paths & taken))}")
    app.include_router(router, prefix=prefix, dependencies=[Depends(get_caller)], tags=[f"pack {name}"])
    return paths


def _paths(routes: Sequence[BaseRoute], prefix: str) -> set[tuple[str, str]]:
    """Methods and paths; the names of parameters make no difference."""
    return {
        (method, _PARAMETER.sub("{}", f"{prefix}{route.path}"))
        for route in routes
        if isinstance(route, Route)
        for method in route.methods or ()
    }


def _read(view: View) -> ServedView:
    if view.module is None:
        return ServedView(view.name, view.title)
    module = view.module.read_bytes()
    if len(module) > MAX_MODULE:
        raise ValueError(f"{view.module.name} has {len(module):,} bytes; a module may have {MAX_MODULE:,}")
    digest = hashlib.sha256(module).hexdigest()[:12]
    return ServedView(view.name, view.title, f"{view.name}-{digest}.js", module)
