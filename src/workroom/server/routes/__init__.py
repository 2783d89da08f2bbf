"""REST: each route parses, calls one service and answers."""

from fastapi import APIRouter

from workroom.server.routes import (
    artifacts,
    docs,
    extensions,
    health,
    identity,
    jobs,
    room_files,
    rooms,
    submit,
    workers,
)

routers: tuple[APIRouter, ...] = (
    identity.router,
    rooms.router,
    extensions.router,
    submit.router,
    jobs.router,
    artifacts.router,
    room_files.router,
    workers.router,
    health.router,
    docs.router,
)
