"""REST: a route parses, checks access and rates, calls one service and renders the result."""

from starlette.routing import BaseRoute

from workroom.server.http.routes import (
    artifacts,
    extensions,
    history,
    identity,
    jobs,
    logs,
    presets,
    room_files,
    rooms,
    streams,
    submit,
    tasks,
    workers,
)
from workroom.server.http.routes.room_data import documents, frames, locks, versions
from workroom.server.http.routes.site import docs, health, page

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
    frames,
    versions,
    workers,
    health,
    docs,
    page,
)

routes: list[BaseRoute] = [route for module in _MODULES for route in module.router.routes]
