"""REST: each route parses, calls one service and answers."""

from fastapi import APIRouter

from workroom.server.routes import (
    docs,
    extensions,
    health,
    identity,
    jobs,
    logs,
    rooms,
    submit,
    tasks,
    workers,
)

routers: tuple[APIRouter, ...] = (
    identity.router,
    rooms.router,
    extensions.router,
    submit.router,
    jobs.router,
    logs.router,
    tasks.router,
    workers.router,
    health.router,
    docs.router,
)
