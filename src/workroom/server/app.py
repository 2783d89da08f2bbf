"""The whole server as one ASGI application."""

from __future__ import annotations

from collections.abc import AsyncIterator, Callable, Sequence
from contextlib import AsyncExitStack, asynccontextmanager

from fastapi import FastAPI
from fastapi.middleware.cors import CORSMiddleware
from starlette.types import ASGIApp, Lifespan

from workroom import __version__
from workroom.domain.extension import ExtensionSpec
from workroom.errors import StartRefused, StoreUnavailable
from workroom.runners.loading import FoundPack
from workroom.server.fast.frames_endpoint import FramesEndpoint
from workroom.server.fast.socket_server import FastSocketServer
from workroom.server.fast.submit_endpoint import SubmitEndpoint
from workroom.server.http import openapi, problems
from workroom.server.http import packs as pack_routes
from workroom.server.http.body_limit import BodyLimit
from workroom.server.http.context import Services
from workroom.server.http.downloads import EXPOSED
from workroom.server.http.request_guard import RequestGuard
from workroom.server.http.routes import routes
from workroom.server.metrics.own_port import metrics_port
from workroom.server.protocols.admission import ForwardedLimit
from workroom.server.sockets.client_socket import SocketLimits
from workroom.server.sockets.published_server import PublishedSocketServer
from workroom.server.wiring.groups import ServerParts
from workroom.server.wiring.services import open_services
from workroom.services.identity.tokens import Tokens, signing_key
from workroom.services.jobs.admission import ActorLanes
from workroom.services.lifecycle.background import Readiness
from workroom.settings import Settings


def create_app(
    settings: Settings,
    own: Sequence[ExtensionSpec] = (),
    readiness: Readiness | None = None,
    admin_code: str | None = None,
    on_open: Callable[[Services], None] = lambda _: None,
    lanes: ActorLanes | None = None,
    packs: Sequence[FoundPack] = (),
    *,
    has_own_sockets: bool = True,
) -> ASGIApp:
    """`own` are the extensions that the server itself serves, `lanes` its actors that name their own
    concurrency keys. `admin_code` logs one admin in, once. `on_open` is called with the open services.
    `has_own_sockets` is false under a server whose WebSockets are reached through ASGI alone.
    """
    limits = SocketLimits.of(settings)
    is_fast = settings.fast and has_own_sockets
    sockets = FastSocketServer(limits) if is_fast else PublishedSocketServer(limits)
    key = signing_key(settings.data_dir, settings.signing_key)
    tokens = Tokens(key, settings.token_days, guests=settings.guests)
    parts = ServerParts(settings, sockets, tokens, readiness or Readiness(), own, lanes, admin_code)

    @asynccontextmanager
    async def lifespan(app: FastAPI) -> AsyncIterator[None]:
        async with AsyncExitStack() as stack:
            try:
                services = await stack.enter_async_context(open_services(parts))
                own_port = metrics_port(settings.metrics_host, settings.metrics_port, services.metrics)
                await stack.enter_async_context(own_port)
            except (StartRefused, StoreUnavailable) as refusal:
                parts.readiness.refusal = str(refusal)
                raise
            app.state.services = services
            await services.rooms.provide(settings.rooms)
            on_open(services)
            yield

    app = rest(settings, lifespan, packs)

    def services() -> Services | None:
        return getattr(app.state, "services", None)

    served = sockets.asgi(BodyLimit(_with_cors(app, settings), settings, services))
    guard = RequestGuard(served, settings.host, settings.hosts, settings.origins, settings.frame_ancestors)
    front: ASGIApp = guard
    if settings.fast:
        front = SubmitEndpoint(FramesEndpoint(guard, guard, services), guard, settings, services)
    return ForwardedLimit(front, settings.max_address_connections) if settings.proxies else front


def rest(
    settings: Settings, lifespan: Lifespan[FastAPI] | None = None, packs: Sequence[FoundPack] = ()
) -> FastAPI:
    """Every route with its documentation."""
    app = FastAPI(
        title="Workroom",
        version=__version__,
        lifespan=lifespan,
        openapi_url=None,
        routes=routes,  # a router would be resolved again while the first request waits
    )
    pack_routes.install(app, packs)
    problems.install(app)
    openapi.install(app, settings.cookie)
    return app


def _with_cors(app: ASGIApp, settings: Settings) -> ASGIApp:
    if not settings.origins:
        return app
    return CORSMiddleware(
        app,
        allow_origins=settings.origins,
        allow_methods=["*"],
        allow_headers=["*"],
        expose_headers=EXPOSED,
    )
