"""REST: a route parses, checks access and rates, calls one service and renders the result."""

from starlette.routing import BaseRoute

from workroom.server.http.routes import (
    artifacts,
    docs,
    documents,
    extensions,
    frames,
    health,
    history,
    identity,
    jobs,
    locks,
    logs,
    packs,
    page,
    presets,
    records,
    room_files,
    rooms,
    streams,
    submit,
    tasks,
    versions,
    workers,
)

_MODULES = (
    identity,
    rooms,
    extensions,
    submit,
    jobs,
    history,
    logs,
    tasks,
    streams,
    artifacts,
    room_files,
    presets,
    locks,
    documents,
    records,
    frames,
    versions,
    workers,
    health,
    docs,
    packs,
    page,
)

routes: list[BaseRoute] = [route for module in _MODULES for route in module.router.routes]
