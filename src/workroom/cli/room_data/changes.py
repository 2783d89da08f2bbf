"""`workroom lock`, `undo`, `redo` and `versions`."""

from __future__ import annotations

import sys
from typing import Annotated, Any

import orjson
import typer
from rich.console import Console
from rich.table import Table

from workroom.cli.errors import CommandError
from workroom.cli.options import AsJson, Password, Url, User, connect

_WIDTH = 250  # columns, where the output is not a terminal

RoomName = Annotated[str, typer.Argument(help="The room.")]
Times = Annotated[int, typer.Option(min=1, max=1000, help="How many changes.")]


def lock(
    room: RoomName,
    broken: Annotated[
        str | None,
        typer.Option("--break", metavar="TARGET", help="Take this lock from its holder."),
    ] = None,
    as_json: AsJson = False,
    url: Url = None,
    user: User = None,
    password: Password = None,
) -> None:
    """List the locks of a room: who holds them, since when, and why."""
    with connect(room, url, user, password) as place:
        if broken is not None and not place.break_lock(broken):
            raise CommandError(f"Nobody holds the lock on '{broken}'.")
        found = place.locks()
    if as_json:
        _print_json(found)
        return
    rows = [[each["target"], _holder(each), _age(each["age_ms"]), each["message"]] for each in found]
    _print_table(("target", "holder", "since", "message"), rows, f"No locks in room {room}.")


def undo(
    room: RoomName, times: Times = 1, url: Url = None, user: User = None, password: Password = None
) -> None:
    """Undo the last change of a room's documents, no matter who made it."""
    with connect(room, url, user, password) as place:
        for _ in range(times):
            print(_line(place.undo()))


def redo(
    room: RoomName, times: Times = 1, url: Url = None, user: User = None, password: Password = None
) -> None:
    """Redo what was undone last."""
    with connect(room, url, user, password) as place:
        for _ in range(times):
            print(_line(place.redo()))


def versions(
    room: RoomName,
    restore: Annotated[
        int | None, typer.Option(min=1, help="Make the documents what they were after this version.")
    ] = None,
    limit: Annotated[int, typer.Option(min=1, max=500)] = 20,
    as_json: AsJson = False,
    url: Url = None,
    user: User = None,
    password: Password = None,
) -> None:
    """List the changes of a room's documents, newest first."""
    with connect(room, url, user, password) as place:
        if restore is not None:
            print(_line(place.restore(restore)))
            return
        found = place.versions(limit=limit)
    if as_json:
        _print_json(found)
        return
    rows = [
        [str(each["number"]), each["at"].replace("T", " ")[:19], _author(each), _what(each)] for each in found
    ]
    _print_table(("version", "at", "by", "change"), rows, f"No changes in room {room} yet.")


def _line(version: dict[str, Any]) -> str:
    return _printable(f"Version {version['number']}: {_what(version)}")


def _what(version: dict[str, Any]) -> str:
    what = version["summary"]
    if version["kind"] != "change":
        what = f"{version['kind']} {version['of']}: {what}"
    return f"{what} (undone)" if version["undone"] else str(what)


def _author(version: dict[str, Any]) -> str:
    return f"{version['user']} (job {version['job_id']})" if version["job_id"] else str(version["user"])


def _holder(held: dict[str, Any]) -> str:
    return f"{held['holder']} (job {held['job_id']})" if held["job_id"] else str(held["holder"])


def _age(age_ms: int) -> str:
    seconds = age_ms // 1000
    return f"{seconds} s" if seconds < 120 else f"{seconds // 60} min"


def _printable(text: str) -> str:
    """Others wrote it: it must not move the cursor of this terminal."""
    return "".join(each if each.isprintable() else "?" for each in text)


def _print_json(found: list[dict[str, Any]]) -> None:
    print(orjson.dumps(found, option=orjson.OPT_INDENT_2).decode())


def _print_table(titles: tuple[str, ...], rows: list[list[str]], empty: str) -> None:
    table = Table(box=None)
    for title in titles:
        table.add_column(title)
    for row in rows:
        table.add_row(*map(_printable, row))
    console = Console(width=None if sys.stdout.isatty() else _WIDTH, markup=False)
    console.print(table if rows else empty)
