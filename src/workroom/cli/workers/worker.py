"""`workroom worker` and `workroom join`: serve extensions from this process."""

from __future__ import annotations

import logging
import os
import signal
import sys
import threading
from collections.abc import Callable, Sequence
from typing import TYPE_CHECKING, Annotated

import typer

from workroom import tracing
from workroom.cli.errors import UsageError
from workroom.cli.options import LOBBY, Create, Password, Url, User, connect
from workroom.runtime import capture
from workroom.runtime.context import current_job

if TYPE_CHECKING:
    from workroom.runtime.extension import Extension


Slots = Annotated[int, typer.Option(min=1, help="Jobs to run at once.")]
Name = Annotated[str | None, typer.Option(envvar="WORKROOM_WORKER_NAME", help="The name of the worker.")]
Wait = Annotated[bool, typer.Option(help="Wait for a server that is not there yet.")]
Quiet = Annotated[bool, typer.Option(help="Print errors only.")]


def worker(
    extensions: Annotated[list[str] | None, typer.Argument(help="module:Class, module, or file.py")] = None,
    room: Annotated[str | None, typer.Option(help="The room to serve them in.")] = None,
    create: Create = False,
    public: Annotated[bool, typer.Option(help="Serve them in every room; needs the role admin.")] = False,
    packs: Annotated[bool, typer.Option(help="Also serve the installed packs.")] = False,
    pack: Annotated[
        list[str] | None, typer.Option(help="Also serve this installed pack; may be repeated.")
    ] = None,
    slots: Slots = 1,
    name: Name = None,
    wait: Wait = True,
    quiet: Quiet = False,
    until_eof: Annotated[bool, typer.Option(hidden=True)] = False,
    url: Url = None,
    user: User = None,
    password: Password = None,
) -> None:
    """Serve extensions from this machine. Ctrl-C finishes running jobs first."""
    from workroom.runners.loading import load, load_packs  # noqa: PLC0415 - slow to import, `--help` is fast

    if public == (room is not None):
        raise UsageError("pass either --room NAME or --public")
    classes = [*load_packs(None if packs else pack or []), *load(extensions or [])]
    if not classes:
        raise UsageError("pass at least one extension, like my_module:Smooth or my_file.py")
    serve_extensions(
        classes,
        room=room,
        create=create,
        public=public,
        slots=slots,
        name=name,
        wait=wait,
        quiet=quiet,
        until_eof=until_eof,
        url=url,
        user=user,
        password=password,
    )


def join(
    code: Annotated[str, typer.Argument(help="The pairing code, created in the room.")],
    extensions: Annotated[list[str], typer.Argument(help="module:Class, module, or file.py")],
    slots: Slots = 1,
    name: Name = None,
    quiet: Quiet = False,
    url: Url = None,
) -> None:
    """Serve extensions in the room of a pairing code. The code works once, for that room only."""
    from workroom.client.transport.http import call_once  # noqa: PLC0415 - slow to import, `--help` is fast
    from workroom.runners.loading import load  # noqa: PLC0415

    classes = load(extensions)
    reply = call_once(url, None, "POST", "/api/login", {"code": code})
    serve_extensions(
        classes,
        room=reply["room"],
        public=False,
        slots=slots,
        name=name,
        quiet=quiet,
        url=url,
        token=reply["token"],
    )


def serve_extensions(
    classes: Sequence[type[Extension]],
    *,
    room: str | None,
    create: bool | None = None,
    public: bool,
    slots: int,
    name: str | None,
    wait: bool = True,
    quiet: bool,
    until_eof: bool = False,
    url: str | None,
    user: str | None = None,
    password: str | None = None,
    token: str | None = None,
    on_serving: Callable[[], None] = lambda: None,
) -> None:
    """Serve until a signal arrives; a second one exits at once, as does one before the server is there."""
    _configure_logging(quiet=quiet)
    tracing.configure("workroom-worker")
    stop, is_registered = threading.Event(), threading.Event()

    def on_signal(*_: object) -> None:
        if stop.is_set():
            sys.exit(130)
        stop.set()
        if not is_registered.is_set():
            raise KeyboardInterrupt

    for number in (signal.SIGINT, signal.SIGTERM):
        signal.signal(number, on_signal)
    if until_eof:
        threading.Thread(target=_stop_at_eof, args=(stop,), daemon=True).start()
    with connect(room or LOBBY, url, user, password, token, create=create) as place:
        place.register(*classes, public=public, slots=slots, worker_name=name, wait=wait)
        is_registered.set()
        on_serving()
        if not quiet:
            labels = ", ".join(each.label() for each in classes)
            print(
                f"Serving {labels} {'in every room' if public else f'in room {room}'}. Ctrl-C stops.",
                flush=True,
            )
        place.serve_until(stop)


def _configure_logging(*, quiet: bool) -> None:
    """Print the worker's log messages: a lost connection, jobs that it still finishes, …"""
    logging.basicConfig(format="%(message)s", level=logging.INFO)
    for handler in logging.getLogger().handlers:
        handler.addFilter(_is_printed)
    logging.getLogger("workroom").setLevel(logging.ERROR if quiet else logging.INFO)
    if quiet:
        capture.be_quiet()


def _is_printed(record: logging.LogRecord) -> bool:
    """Print only warnings of other libraries, except inside jobs."""
    is_ours = record.name.partition(".")[0] == "workroom"
    return is_ours or record.levelno >= logging.WARNING or current_job() is not None


def _stop_at_eof(stop: threading.Event) -> None:
    """The pipe closes when the process that started this one ends: stop as by a signal, registered or not."""
    sys.stdin.read()
    if not stop.is_set():
        os.kill(os.getpid(), signal.SIGTERM)
