"""REST: a route parses, checks access and rates, calls one service and renders the result."""

from starlette.routing import BaseRoute

from workroom.server.http.routes import (
    artifacts,
    docs,
    extensions,
    health,
    history,
    identity,
    jobs,
    logs,
    page,
    presets,
    room_files,
    rooms,
    streams,
    submit,
    tasks,
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
    workers,
    health,
    docs,
    page,
)

routes: list[BaseRoute] = [route for module in _MODULES for route in module.router.routes]
