"""A listener for `/metrics` alone, for scrapers that have no token. Anyone who reaches it may read."""

from __future__ import annotations

import asyncio
import contextlib
import socket
from collections.abc import AsyncIterator, Iterator

import uvicorn
from starlette.applications import Starlette
from starlette.requests import Request
from starlette.responses import Response
from starlette.routing import Route

from workroom.errors import StartRefused
from workroom.server.metrics.exposition import MEDIA_TYPE, expose
from workroom.services.metrics.metrics import Metrics

_MAX_REQUESTS = 20  # at the same time


class _Server(uvicorn.Server):
    @contextlib.contextmanager
    def capture_signals(self) -> Iterator[None]:
        """Signals are for the main server."""
        yield


@contextlib.asynccontextmanager
async def metrics_port(host: str, port: int | None, metrics: Metrics) -> AsyncIterator[None]:
    """Serve until the end of the block; do nothing without a port. Raises StartRefused."""
    if port is None:
        yield
        return

    async def respond(_: Request) -> Response:
        return Response(await expose(metrics), headers={"content-type": MEDIA_TYPE})

    app = Starlette(routes=[Route("/metrics", respond)])
    config = uvicorn.Config(
        app,
        log_level="warning",
        access_log=False,
        server_header=False,
        lifespan="off",
        limit_concurrency=_MAX_REQUESTS,
        timeout_graceful_shutdown=1,
    )
    server = _Server(config)
    serving = asyncio.create_task(server.serve([_listen(host, port)]))
    try:
        yield
    finally:
        server.should_exit = True
        await serving


def _listen(host: str, port: int) -> socket.socket:
    try:
        return socket.create_server((host, port), family=socket.AF_INET6 if ":" in host else socket.AF_INET)
    except OSError as error:
        reason = f"cannot listen on {host}:{port} for metrics: {error.strerror}"
        raise StartRefused(f"{reason}. Choose another WORKROOM_METRICS_PORT") from error
