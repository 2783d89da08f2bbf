"""The only place where parts are wired together."""

from __future__ import annotations

from collections.abc import AsyncIterator, Callable, Sequence
from contextlib import asynccontextmanager

import socketio
from fastapi import FastAPI
from fastapi.middleware.cors import CORSMiddleware
from starlette.types import ASGIApp, Lifespan

from workroom import __version__
from workroom.client.socket_json import SocketJson, TextPacket
from workroom.clock import SystemClock
from workroom.domain.extension import ExtensionSpec, RunnerKind
from workroom.domain.news import News
from workroom.domain.queries import FindMark
from workroom.runners.bells import open_bell
from workroom.server import openapi, problems
from workroom.server.bus import Afterwards, FanOut, OneByOne, SocketBus, SocketCourier
from workroom.server.connections import Connections
from workroom.server.context import Services
from workroom.server.doors import Doors
from workroom.server.downloads import EXPOSED
from workroom.server.engine import Lines
from workroom.server.limits import BodyLimit
from workroom.server.ordering import Ordering
from workroom.server.plain_submits import PlainSubmits
from workroom.server.routes import routes
from workroom.server.sockets import Sockets
from workroom.server.throttle import throttles
from workroom.services.access import Access
from workroom.services.accounts import Accounts
from workroom.services.calling import Calling
from workroom.services.catalog import Catalog
from workroom.services.chat import Chat
from workroom.services.departure import Departure
from workroom.services.dispatch import Dispatcher
from workroom.services.feeds import Feeds
from workroom.services.files import Files
from workroom.services.logs import line_reader
from workroom.services.membership import Membership
from workroom.services.operating import Operating
from workroom.services.outflow import Outflow
from workroom.services.readiness import Readiness
from workroom.services.reading import Reading
from workroom.services.replicas import PeerBus, Replicas
from workroom.services.reporting import Reporting
from workroom.services.rooms import Rooms
from workroom.services.schemas import SchemaLimits
from workroom.services.streaming import Streams
from workroom.services.submission import ActorLanes, Submission
from workroom.services.sweeping import Sweeper
from workroom.services.tasks import TaskKeeper
from workroom.services.tasks_facade import TaskFacade
from workroom.services.tokens import Tokens, signing_key
from workroom.services.validation import Validation
from workroom.services.waiting import Waiters
from workroom.settings import Settings
from workroom.stores import open_blobs, open_peers, open_store
from workroom.stores.peers import NoPeers

_PING_SECONDS = 15
_PONG_SECONDS = 10  # together less than a lease: a worker comes back before it is given up


def create_app(
    settings: Settings,
    own: Sequence[ExtensionSpec] = (),
    readiness: Readiness | None = None,
    admin_code: str | None = None,
    on_open: Callable[[Services], None] = lambda _: None,
    lanes: ActorLanes | None = None,
) -> ASGIApp:
    """The whole server as one ASGI application.

    `own` are the extensions that the server itself serves, `admin_code` lets one admin in, once, `on_open` is
    handed the services once they are there, `lanes` are the server's actors that say themselves how many of
    their jobs may run at once.
    """
    sio = socketio.AsyncServer(
        async_mode="asgi",
        json=SocketJson,
        serializer=TextPacket,
        cors_allowed_origins=[],
        ping_interval=_PING_SECONDS,
        ping_timeout=_PONG_SECONDS,
        max_http_buffer_size=16 * settings.max_body,
        transports=["websocket"],
    )
    lines = Lines(sio)
    tokens = Tokens(
        signing_key(settings.data_dir, settings.signing_key), settings.token_days, guests=settings.guests
    )

    @asynccontextmanager
    async def lifespan(app: FastAPI) -> AsyncIterator[None]:
        async with _services(
            settings, sio, lines, tokens, own, readiness or Readiness(), admin_code, lanes or {}
        ) as services:
            app.state.services = services
            on_open(services)
            yield

    app = rest(settings, lifespan)
    inside: ASGIApp = app
    if settings.origins:
        inside = CORSMiddleware(
            inside,
            allow_origins=settings.origins,
            allow_methods=["*"],
            allow_headers=["*"],
            expose_headers=EXPOSED,
        )
    whole = socketio.ASGIApp(sio, BodyLimit(inside, settings))
    plain = PlainSubmits(whole, settings.max_body, lambda: getattr(app.state, "services", None))
    return Doors(plain, settings.host, settings.hosts, settings.origins)


def rest(settings: Settings, lifespan: Lifespan[FastAPI] | None = None) -> FastAPI:
    """Every route, and their documentation."""
    app = FastAPI(
        title="Workroom",
        version=__version__,
        lifespan=lifespan,
        openapi_url=None,
        routes=routes,  # not routers: the first request would wait until those are worked out again
    )
    problems.install(app)
    openapi.install(app, settings.cookie)
    return app


@asynccontextmanager
async def _services(
    settings: Settings,
    sio: socketio.AsyncServer,
    lines: Lines,
    tokens: Tokens,
    own: Sequence[ExtensionSpec],
    readiness: Readiness,
    admin_code: str | None,
    lanes: ActorLanes,
) -> AsyncIterator[Services]:
    clock = SystemClock()
    tasks = TaskKeeper()
    store = open_store(
        settings.store_url,
        settings.liveness,
        relaxed=settings.relaxed,
        retention_days=settings.retention_days,
        logs=settings.log_limits,
        archive=settings.archive,
        archive_after=settings.archive_after,
    )
    await store.put_extensions(own)
    feeds = Feeds(mark := await store.read(FindMark()))
    streams = Streams(store, feeds, line_reader(store))
    peers = open_peers(settings.store_url)
    is_shared = not isinstance(peers, NoPeers)
    sockets = SocketBus(lines)
    here = FanOut(feeds, sockets)
    bus = Afterwards(FanOut(here, PeerBus(peers)) if is_shared else OneByOne(here, mark.last))
    courier = SocketCourier(lines, clock, settings.ack)
    bell = open_bell(settings.broker_url if settings.runner is RunnerKind.CELERY else None)
    dispatcher = Dispatcher(store, courier, bus, tasks, clock, readiness, Calling(store, bell, tasks, clock))
    catalog = Catalog(store)
    waiters = Waiters()
    outflow = Outflow(bus, dispatcher, catalog, waiters, peers)
    connections = Connections(tokens, settings.max_sockets)

    def cut() -> None:
        connections.cut_void()
        peers.tell(News(is_void=True))

    accounts = Accounts(store, tokens, clock, cut, guests=settings.guests)
    await accounts.open(settings.admin_password, admin_code)
    membership = Membership(
        store,
        catalog,
        dispatcher,
        outflow,
        bus,
        SchemaLimits(settings.max_schema, settings.max_schema_depth),
        settings.runner,
    )
    validation = Validation()

    rooms = Rooms(store, bus, clock, outflow, catalog, membership, connections.cut_strangers)
    access = Access(store, rooms)
    submission = Submission(
        store, catalog, dispatcher, outflow, bus, waiters, validation, settings.max_data, tasks, lanes
    )
    rates = throttles(settings)
    blobs = open_blobs(settings.storage_url, relaxed=settings.relaxed)
    files = Files(store, blobs, bus, settings.artifact_limits)
    services = Services(
        settings=settings,
        clock=clock,
        store=store,
        accounts=accounts,
        access=access,
        throttles=rates,
        rooms=rooms,
        reading=Reading(store, dispatcher),
        operating=Operating(store, dispatcher, outflow, bus, submission),
        readiness=readiness,
        departure=Departure(store, dispatcher, outflow, streams, membership.own if is_shared else None),
        chat=Chat(store, bus),
        streams=streams,
        connections=connections,
        waiters=waiters,
        submission=submission,
        ordering=Ordering(access, submission, rates.submits),
        reporting=Reporting(store, dispatcher, outflow, bus, settings.max_result),
        membership=membership,
        tasks=TaskFacade(store, access, submission, lanes, clock),
        files=files,
    )
    Sockets(
        sio,
        lines,
        tokens=tokens,
        accounts=accounts,
        access=access,
        rooms=rooms,
        connections=connections,
        tasks=tasks,
        waiters=waiters,
        courier=courier,
        membership=membership,
        dispatcher=dispatcher,
        reporting=services.reporting,
        ordering=services.ordering,
        liveness=settings.liveness,
        max_result=settings.max_result,
        log_limits=settings.log_limits,
        cookie=settings.cookie,
        clock=clock,
    )
    replicas = Replicas(
        here, store, dispatcher, catalog, waiters, rooms, tokens, connections.cut_void, feeds, tasks, sockets
    )
    peers.listen(replicas.hear, replicas.missed)
    if is_shared:
        tasks.start(replicas.run())
    tasks.start(files.run())
    tasks.start(Sweeper(store, outflow, dispatcher, courier, settings.sweep).run())
    try:
        yield services
    finally:
        readiness.leave()
        await tasks.aclose()
        bell.close()
        await validation.aclose()
        await blobs.aclose()
        await peers.aclose()
        await store.aclose()
