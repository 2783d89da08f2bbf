"""REST: each route parses, calls one service and answers."""

from fastapi import APIRouter

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

routers: tuple[APIRouter, ...] = (
    identity.router,
    rooms.router,
    chat.router,
    extensions.router,
    submit.router,
    jobs.router,
    logs.router,
    tasks.router,
    streams.router,
    artifacts.router,
    room_files.router,
    workers.router,
    health.router,
    docs.router,
    page.router,
)
