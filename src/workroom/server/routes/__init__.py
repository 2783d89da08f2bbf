"""REST: each route parses, calls one service and answers."""

from starlette.routing import BaseRoute

from workroom.server.routes import (
    artifacts,
    chat,
    docs,
    extensions,
    health,
    identity,
    jobs,
    logs,
    page,
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
    chat,
    extensions,
    submit,
    jobs,
    logs,
    tasks,
    streams,
    artifacts,
    room_files,
    workers,
    health,
    docs,
    page,
)

routes: list[BaseRoute] = [route for module in _MODULES for route in module.router.routes]
