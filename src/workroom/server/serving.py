"""Runs the server process: binds, says where it is, starts its own workers, stops cleanly."""

from __future__ import annotations

import asyncio
import fcntl
import gc
import os
import socket
import sys
from collections.abc import Callable, Coroutine, Sequence
from dataclasses import dataclass
from pathlib import Path
from types import FrameType
from typing import IO, Any

import structlog
import uvicorn

from workroom.domain.extension import ExtensionSpec, RunnerKind
from workroom.domain.identity import SERVER, Principal, Role
from workroom.runners.loading import load, load_packs
from workroom.runners.local import LocalRunner
from workroom.runtime.actors import actor_lanes
from workroom.runtime.extension import Extension
from workroom.server.app import create_app
from workroom.server.context import Services
from workroom.server.transport import HttpProtocol, WebSocketProtocol
from workroom.services.codes import long_code
from workroom.services.departure import Departure
from workroom.services.membership import OfferedExtension, extension_spec
from workroom.services.readiness import Readiness
from workroom.services.schemas import SchemaLimits
from workroom.services.tokens import Tokens, signing_key
from workroom.settings import Settings

LOCK = "server.lock"  # held while a server runs; says where it is
_SWITCH_SECONDS = 0.0005
_YOUNG_OBJECTS = 10_000  # looking for garbage among thousands of sockets is slow, so it is done less often
_DRAIN_SECONDS = 5
_SIGNAL_SECONDS = 0.1  # a signal handler wakes nobody, so it is looked for
_KEEP_ALIVE_SECONDS = 75  # longer than clients keep idle connections, so that none is closed under a request


@dataclass(frozen=True, slots=True)
class Address:
    host: str
    port: int
    admin_code: str

    @property
    def admin_link(self) -> str:
        """Works once. What stands behind the # is never sent, so it is in no log."""
        return f"{self.url}/#login={self.admin_code}"

    @property
    def url(self) -> str:
        host = "127.0.0.1" if self.host in ("0.0.0.0", "::") else self.host  # noqa: S104 - compared, not bound
        return f"http://{f'[{host}]' if ':' in host else host}:{self.port}"


def serve(settings: Settings, announce: Callable[[Address], None]) -> None:
    """Serve until SIGINT or SIGTERM. `announce` is called once the address answers."""
    _configure_log(settings.log_level)
    os.umask(0o077)  # what is kept is nobody else's to read
    sys.setswitchinterval(_SWITCH_SECONDS)  # the writer thread must not wait 5 ms for its turn
    gc.set_threshold(_YOUNG_OBJECTS)
    lock = _lock(settings.data_dir)
    classes = [*load_packs(), *load(settings.extensions)]
    readiness = Readiness()
    admin_code = long_code()

    def opened(services: Services) -> None:
        server.departure = services.departure

    own = own_specs(classes, settings.runner)
    app = create_app(settings, own, readiness, admin_code, opened, actor_lanes(classes))
    config = uvicorn.Config(
        app,
        http=HttpProtocol,
        log_level="warning",
        access_log=False,
        server_header=False,
        proxy_headers=bool(settings.proxies),
        forwarded_allow_ips=settings.proxies,
        ws=WebSocketProtocol,
        ws_max_size=16 * settings.max_body,
        ws_per_message_deflate=False,
        ws_ping_interval=None,  # Engine.IO has pings of its own
        timeout_keep_alive=_KEEP_ALIVE_SECONDS,
        timeout_graceful_shutdown=_DRAIN_SECONDS,
        lifespan="on",
    )
    listener = _listen(settings.host, settings.port)
    address = Address(settings.host, listener.getsockname()[1], admin_code)
    lock.truncate(0)
    print(address.url, file=lock, flush=True)
    server = _Server(
        config,
        runner=_runner(address, settings, classes),
        announce=lambda: announce(address),
        readiness=readiness,
        patience=settings.shutdown,
    )
    with asyncio.Runner(loop_factory=config.get_loop_factory()) as loop:
        loop.run(server.serve([listener]))
    lock.close()


def _runner(address: Address, settings: Settings, classes: Sequence[type[Extension]]) -> LocalRunner:
    tokens = Tokens(signing_key(settings.data_dir, settings.signing_key), settings.token_days)
    return LocalRunner(
        address.url,
        tokens.issue(Principal(SERVER, Role.RUNNER)),
        settings.extensions,
        settings.workers if classes and settings.runner is RunnerKind.LOCAL else 0,
        settings.slots,
    )


class _Server(uvicorn.Server):
    """Stops in peace at the first signal and at once at the second; either way it exits with 0."""

    def __init__(
        self,
        config: uvicorn.Config,
        *,
        runner: LocalRunner,
        announce: Callable[[], None],
        readiness: Readiness,
        patience: float,
    ) -> None:
        super().__init__(config)
        self._runner = runner
        self._announce = announce
        self._readiness = readiness
        self._patience = patience
        self.departure: Departure | None = None  # there is none before the store is open

    def handle_exit(self, sig: int, frame: FrameType | None) -> None:
        """Signals are not captured to be raised again after a clean end, as uvicorn's own would be."""
        self.force_exit = self.should_exit
        self.should_exit = True

    async def startup(self, sockets: list[socket.socket] | None = None) -> None:
        await super().startup(sockets)
        gc.collect()
        gc.freeze()  # what is there now stays, and need not be looked through again and again
        if self.started:
            self._announce()
            self._runner.start()

    async def shutdown(self, sockets: list[socket.socket] | None = None) -> None:
        """Requests are answered until the server's own workers are gone."""
        self._readiness.leave()
        await self._unless_forced(self._see_off())
        await self._runner.kill()
        if self.departure is not None:
            await self.departure.dismiss()
        await super().shutdown(sockets)

    async def _see_off(self) -> None:
        if self.departure is None or await self.departure.wait(self._patience):
            await self._runner.stop()

    async def _unless_forced(self, work: Coroutine[Any, Any, None]) -> None:
        task = asyncio.create_task(work)
        while not task.done() and not self.force_exit:
            await asyncio.wait([task], timeout=_SIGNAL_SECONDS)
        task.cancel()
        await asyncio.gather(task, return_exceptions=True)


def own_specs(classes: Sequence[type[Extension]], runner: RunnerKind) -> list[ExtensionSpec]:
    """The extensions of the server: they own their names and never leave."""
    return [
        extension_spec(
            OfferedExtension(None, each.category, each.extension_name, each.model_json_schema(), each.policy),
            runner,
            SERVER,
            SchemaLimits(),
        )
        for each in classes
    ]


def _lock(data_dir: Path) -> IO[str]:
    """One server at a time per data directory: a second one would take the first one's jobs for lost."""
    data_dir.mkdir(parents=True, exist_ok=True)
    lock = (data_dir / LOCK).open("a+")
    try:
        fcntl.flock(lock, fcntl.LOCK_EX | fcntl.LOCK_NB)
    except OSError as error:
        lock.close()
        reason = f"another server uses {data_dir}: stop it, or choose another --data-dir"
        raise SystemExit(reason) from error
    return lock


def _listen(host: str, port: int) -> socket.socket:
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


def _configure_log(level: str) -> None:
    plain = structlog.dev.ConsoleRenderer(exception_formatter=structlog.dev.plain_traceback)
    structlog.configure(
        processors=[
            structlog.processors.add_log_level,
            structlog.processors.TimeStamper("iso"),
            plain,
        ],
        wrapper_class=structlog.make_filtering_bound_logger(level),
        logger_factory=structlog.PrintLoggerFactory(sys.stderr),
    )
