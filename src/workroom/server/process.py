"""The server process: binds, announces its address, starts its own workers, and shuts down cleanly."""

from __future__ import annotations

import asyncio
import fcntl
import gc
import logging
import os
import resource
import socket
import sys
from collections.abc import Callable, Coroutine, Sequence
from contextlib import suppress
from dataclasses import dataclass
from functools import partial
from pathlib import Path
from types import FrameType
from typing import IO, Any, cast

import uvicorn
from starlette.types import ASGIApp

from workroom import tracing
from workroom.domain.extension import ExtensionSpec, RunnerKind
from workroom.domain.identity import SERVER, Principal, Role
from workroom.errors import StartRefused
from workroom.runners.loading import find_packs, load
from workroom.runners.local import LocalRunner
from workroom.runtime.actors import actor_lanes
from workroom.runtime.extension import Extension
from workroom.server.app import create_app
from workroom.server.fast.http_protocol import FastHttpProtocol
from workroom.server.fast.websocket_protocol import FastWebSocketProtocol
from workroom.server.http.context import Services
from workroom.server.log import configure_log
from workroom.server.protocols.admission import ConnectionLimit
from workroom.server.protocols.http_protocol import HttpProtocol
from workroom.server.protocols.transport import TransportLimits
from workroom.server.protocols.warning_filter import WarningFilter
from workroom.server.protocols.websocket_protocol import WebSocketProtocol
from workroom.services.identity.codes import long_code
from workroom.services.identity.tokens import Tokens, signing_key
from workroom.services.lifecycle.background import Readiness
from workroom.services.lifecycle.shutdown import Shutdown
from workroom.services.validation.schemas import SchemaLimits, compile_schema
from workroom.services.workers.sessions import OfferedExtension, extension_spec
from workroom.settings import Settings
from workroom.stores.sqlite.fast.adapters import register_adapters
from workroom.stores.sqlite.fast.memory_statistics import turn_off_memory_statistics

LOCK = "server.lock"  # held while a server runs; contains its URL
_SWITCH_SECONDS = 0.0005
_GC_YOUNG_OBJECTS = 10_000  # a collection over thousands of sockets is slow
_DRAIN_SECONDS = 5
_SIGNAL_SECONDS = 0.1  # a signal handler wakes no task, so the flag is polled
_OTHER_FILES = 256  # open files that are not connections


@dataclass(frozen=True, slots=True)
class Address:
    host: str
    port: int
    admin_code: str

    @property
    def admin_link(self) -> str:
        """Works once. Browsers never send the part after the #, so no log contains it."""
        return f"{self.url}/#login={self.admin_code}"

    @property
    def url(self) -> str:
        host = "127.0.0.1" if self.host in ("0.0.0.0", "::") else self.host  # noqa: S104 - compared, not bound
        return f"http://{f'[{host}]' if ':' in host else host}:{self.port}"


def serve(
    settings: Settings,
    announce: Callable[[Address], None],
    before_shutdown: Callable[[], None] = lambda: None,
) -> None:
    """Serve until SIGINT or SIGTERM. Calls `announce` once the server accepts connections.

    `before_shutdown` is called in a thread, while requests are still served.

    Raises StartRefused.
    """
    configure_log(settings.log_level, settings.log_format)
    tracing.configure("workroom-server")
    os.umask(0o077)  # files contain keys and the values of all users
    sys.setswitchinterval(_SWITCH_SECONDS)  # the store's writer thread must not wait 5 ms for the GIL
    gc.set_threshold(_GC_YOUNG_OBJECTS)
    if settings.fast:
        turn_off_memory_statistics()
        register_adapters()
    lock = lock_data_dir(settings.data_dir)
    packs = find_packs(settings.packs)
    classes = [*(each for found in packs for each in found.pack.extensions), *load(settings.extensions)]
    readiness = Readiness()
    admin_code = long_code()

    def on_open(services: Services) -> None:
        server.graceful_shutdown = services.shutdown

    own = own_specs(classes, settings.runner)
    app = create_app(settings, own, readiness, admin_code, on_open, actor_lanes(classes), packs)
    config = uvicorn_config(app, settings, fast=settings.fast)
    logging.getLogger("uvicorn.error").addFilter(lambda _: not readiness.refusal)  # printed below instead
    for name in ("uvicorn.error", "engineio.server", "websockets.server"):
        logging.getLogger(name).addFilter(WarningFilter())
    listener = listen(settings.host, settings.port)
    address = Address(settings.host, listener.getsockname()[1], admin_code)
    lock.truncate(0)
    print(address.url, file=lock, flush=True)
    server = Server(
        config,
        runner=local_runner(address, settings, classes),
        announce=lambda: announce(address),
        readiness=readiness,
        timeout=settings.shutdown,
        before_shutdown=before_shutdown,
    )
    try:
        with asyncio.Runner(loop_factory=config.get_loop_factory()) as loop:
            loop.run(server.serve([listener]))
    except SystemExit:  # uvicorn's, if the startup fails
        if readiness.refusal:
            raise StartRefused(readiness.refusal) from None
        raise
    finally:
        lock.close()


def uvicorn_config(
    app: ASGIApp, settings: Settings, *, fast: bool, kind: type[uvicorn.Config] = uvicorn.Config
) -> uvicorn.Config:
    """Both modes use protocols with the same limits; the fast ones add shortcuts to them."""
    limits = TransportLimits.of(settings)
    connection_limit = ConnectionLimit(
        _cap_connections(settings.max_connections), settings.max_address_connections, settings.proxies
    )
    http = FastHttpProtocol if fast else HttpProtocol
    websocket = FastWebSocketProtocol if fast else WebSocketProtocol
    return kind(
        app,
        http=cast(type[asyncio.Protocol], partial(http, limits=limits, connection_limit=connection_limit)),
        log_config=None if settings.log_format == "json" else uvicorn.config.LOGGING_CONFIG,
        log_level="warning",
        access_log=False,
        server_header=False,
        proxy_headers=bool(settings.proxies),
        forwarded_allow_ips=settings.proxies,
        ws=cast(type[asyncio.Protocol], partial(websocket, limits=limits)),
        ws_per_message_deflate=False,
        ws_ping_interval=None,  # Engine.IO has pings of its own
        timeout_keep_alive=cast(int, settings.idle_timeout),
        timeout_graceful_shutdown=_DRAIN_SECONDS,
        lifespan="on",
    )


def local_runner(
    address: Address,
    settings: Settings,
    classes: Sequence[type[Extension]],
    import_paths: Sequence[str] = (),
) -> LocalRunner:
    tokens = Tokens(signing_key(settings.data_dir, settings.signing_key), settings.token_days)
    return LocalRunner(
        address.url,
        tokens.issue(Principal(SERVER, Role.RUNNER)),
        settings.extensions,
        settings.workers if classes and settings.runner is RunnerKind.LOCAL else 0,
        settings.slots,
        settings.secrets,
        settings.packs,
        import_paths,
    )


class Server(uvicorn.Server):
    """Shuts down gracefully at the first signal and at once at the second. Exits with 0 either way."""

    def __init__(
        self,
        config: uvicorn.Config,
        *,
        runner: LocalRunner,
        announce: Callable[[], None],
        readiness: Readiness,
        timeout: float,
        before_shutdown: Callable[[], None] = lambda: None,
    ) -> None:
        super().__init__(config)
        self._before_shutdown = before_shutdown
        self._runner = runner
        self._announce = announce
        self._readiness = readiness
        self._timeout = timeout
        self.graceful_shutdown: Shutdown | None = None  # None until the store is open

    def handle_exit(self, sig: int, frame: FrameType | None) -> None:
        """Unlike uvicorn's, does not raise the signal again after a clean shutdown."""
        self.force_exit = self.should_exit
        self.should_exit = True

    async def startup(self, sockets: list[socket.socket] | None = None) -> None:
        await super().startup(sockets)
        self.freeze_objects()
        if self.started:
            self._announce()
            self._runner.start()

    def freeze_objects(self) -> None:
        """Long-lived objects are not scanned again."""
        gc.collect()
        gc.freeze()

    async def shutdown(self, sockets: list[socket.socket] | None = None) -> None:
        """Serves requests until the server's own workers have stopped."""
        self._readiness.leave()
        await self._unless_forced(asyncio.to_thread(self._before_shutdown))
        await self._unless_forced(self._stop_workers())
        await self._runner.kill()
        if self.graceful_shutdown is not None:
            await self.graceful_shutdown.dismiss()
        await super().shutdown(sockets)

    async def _stop_workers(self) -> None:
        if self.graceful_shutdown is None or await self.graceful_shutdown.wait(self._timeout):
            await self._runner.stop()

    async def _unless_forced(self, work: Coroutine[Any, Any, None]) -> None:
        task = asyncio.create_task(work)
        while not task.done() and not self.force_exit:
            await asyncio.wait([task], timeout=_SIGNAL_SECONDS)
        task.cancel()
        await asyncio.gather(task, return_exceptions=True)


def own_specs(classes: Sequence[type[Extension]], runner: RunnerKind) -> list[ExtensionSpec]:
    """The server's own extensions: their names are reserved and they never leave."""
    specs = [
        extension_spec(
            OfferedExtension(None, each.category, each.extension_name, each.model_json_schema(), each.policy),
            runner,
            SERVER,
            SchemaLimits(),
        )
        for each in classes
    ]
    for spec in specs:
        compile_schema(spec.schema)
    return specs


def lock_data_dir(data_dir: Path) -> IO[str]:
    """Allow one server per data directory: a second one would consider the first one's jobs lost."""
    _make_private(data_dir)
    path = data_dir / LOCK
    try:
        lock = path.open("a+")
    except OSError as error:
        raise StartRefused(f"cannot open {path}: {error.strerror}. Delete it, or make it writable") from error
    try:
        fcntl.flock(lock, fcntl.LOCK_EX | fcntl.LOCK_NB)
    except OSError as error:
        lock.close()
        reason = f"another server uses {data_dir}: stop it, or choose another --data-dir"
        raise StartRefused(reason) from error
    return lock


def _cap_connections(connections: int) -> int:
    """Raise the limit of open files, and allow no more connections than it permits."""
    _, most = resource.getrlimit(resource.RLIMIT_NOFILE)
    with suppress(ValueError, OSError):  # some systems refuse their own hard limit
        resource.setrlimit(resource.RLIMIT_NOFILE, (most, most))
    return connections if most == resource.RLIM_INFINITY else max(1, min(connections, most - _OTHER_FILES))


def _make_private(directory: Path) -> None:
    """Create the directory, or restrict it to its owner. Another user's directory is left as it is."""
    directory.mkdir(mode=0o700, parents=True, exist_ok=True)
    found = directory.stat()
    if found.st_uid == os.getuid() and found.st_mode & 0o077:
        directory.chmod(0o700)


def listen(host: str, port: int) -> socket.socket:
    family = socket.AF_INET6 if ":" in host else socket.AF_INET
    listener = socket.socket(family, socket.SOCK_STREAM)
    listener.setsockopt(socket.SOL_SOCKET, socket.SO_REUSEADDR, 1)
    try:
        listener.bind((host, port))
    except OSError as error:
        listener.close()
        raise SystemExit(
            f"cannot listen on {host}:{port}: {error.strerror}. Choose another --port."
        ) from error
    return listener
