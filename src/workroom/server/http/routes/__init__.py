"""REST: a route parses, checks access and rates, calls one service and renders the result."""

from starlette.routing import BaseRoute

from workroom.server.http.routes import (
    admin,
    artifacts,
    extensions,
    groups,
    history,
    identity,
    jobs,
    logs,
    packs,
    positions,
    presets,
    questions,
    room_files,
    rooms,
    streams,
    submit,
    tasks,
    view_links,
    workers,
)
from workroom.server.http.routes.room_data import documents, frames, locks, records, versions
from workroom.server.http.routes.site import docs, health, metrics, page

_MODULES = (
    identity,
    rooms,
    view_links,
    extensions,
    submit,
    jobs,
    groups,
    history,
    logs,
    tasks,
    streams,
    artifacts,
    positions,
    room_files,
    presets,
    questions,
    locks,
    documents,
    records,
    frames,
    versions,
    workers,
    admin,
    health,
    metrics,
    docs,
    packs,
    page,
)

routes: list[BaseRoute] = [route for module in _MODULES for route in module.router.routes]
