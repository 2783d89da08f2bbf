"""`workroom worker`: this process serves extensions."""

from __future__ import annotations

import logging
import signal
import sys
import threading
from collections.abc import Sequence
from typing import TYPE_CHECKING, Annotated

import typer

from workroom.cli.mistakes import UsageMistake
from workroom.cli.options import LOBBY, Password, Url, User, connect
from workroom.runtime import capture
from workroom.runtime.current import current_job

if TYPE_CHECKING:
    from workroom.runtime.extension import Extension


Slots = Annotated[int, typer.Option(min=1, help="Jobs to run at once.")]
Name = Annotated[str | None, typer.Option(envvar="WORKROOM_WORKER_NAME", help="Name to show.")]
Quiet = Annotated[bool, typer.Option(help="Print nothing but errors.")]


def worker(
    extensions: Annotated[list[str] | None, typer.Argument(help="module:Class, module, or file.py")] = None,
    room: Annotated[str | None, typer.Option(help="The room that sees them.")] = None,
    public: Annotated[bool, typer.Option(help="Every room sees them; needs the role admin.")] = False,
    packs: Annotated[bool, typer.Option(help="Serve the installed packs too.")] = False,
    slots: Slots = 1,
    name: Name = None,
    quiet: Quiet = False,
    until_eof: Annotated[bool, typer.Option(hidden=True)] = False,
    url: Url = None,
    user: User = None,
    password: Password = None,
) -> None:
    """Serve extensions from this machine. Ctrl-C finishes what runs and says goodbye."""
    from workroom.runners.loading import load, load_packs  # noqa: PLC0415 - heavy, and --help is light

    if public == (room is not None):
        raise UsageMistake("say either --room NAME or --public")
    classes = [*(load_packs() if packs else []), *load(extensions or [])]
    if not classes:
        raise UsageMistake("name at least one extension, like my_module:Smooth or my_file.py")
    serve_extensions(
        classes,
        room=room,
        public=public,
        slots=slots,
        name=name,
        quiet=quiet,
        until_eof=until_eof,
        url=url,
        user=user,
        password=password,
    )


def serve_extensions(
    classes: Sequence[type[Extension]],
    *,
    room: str | None,
    public: bool,
    slots: int,
    name: str | None,
    quiet: bool,
    until_eof: bool = False,
    url: str | None,
    user: str | None = None,
    password: str | None = None,
    token: str | None = None,
) -> None:
    """Serve until a signal comes; a second one ends it at once."""
    _speak(quiet=quiet)
    stop = threading.Event()
    for number in (signal.SIGINT, signal.SIGTERM):
        signal.signal(number, lambda *_: sys.exit(130) if stop.is_set() else stop.set())
    if until_eof:
        threading.Thread(target=_stop_at_eof, args=(stop,), daemon=True).start()
    with connect(room or LOBBY, url, user, password, token) as place:
        place.register(*classes, public=public, slots=slots, worker_name=name)
        if not quiet:
            labels = ", ".join(each.label() for each in classes)
            print(
                f"Serving {labels} {'in every room' if public else f'in room {room}'}. Ctrl-C stops.",
                flush=True,
            )
        place.serve_until(stop)


def _speak(*, quiet: bool) -> None:
    """Print what the worker has to say: that it lost the server, what it still finishes, …"""
    logging.basicConfig(format="%(message)s", level=logging.INFO)
    for handler in logging.getLogger().handlers:
        handler.addFilter(_is_heard)
    logging.getLogger("workroom").setLevel(logging.ERROR if quiet else logging.INFO)
    if quiet:
        capture.be_quiet()


def _is_heard(record: logging.LogRecord) -> bool:
    """Of other libraries only warnings, unless a job speaks: its log has all that is told."""
    is_ours = record.name.partition(".")[0] == "workroom"
    return is_ours or record.levelno >= logging.WARNING or current_job() is not None


def _stop_at_eof(stop: threading.Event) -> None:
    """The process that started this one is gone once its end of the pipe is."""
    sys.stdin.read()
    stop.set()
