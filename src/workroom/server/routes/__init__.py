"""REST: each route parses, calls one service and answers."""

from fastapi import APIRouter

from workroom.server.routes import (
    chat,
    docs,
    extensions,
    health,
    identity,
    jobs,
    rooms,
    streams,
    submit,
    workers,
)

routers: tuple[APIRouter, ...] = (
    identity.router,
    rooms.router,
    chat.router,
    extensions.router,
    submit.router,
    jobs.router,
    streams.router,
    workers.router,
    health.router,
    docs.router,
)
