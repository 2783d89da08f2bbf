"""`workroom lock`, `undo`, `redo` and `versions`."""

from __future__ import annotations

from typing import Annotated

import typer

from workroom.cli.errors import CommandError
from workroom.cli.options import AsJson, Password, Url, User, connect
from workroom.cli.tables import Document, in_date, print_list, printable

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
    titles = ["target", "holder", "since", "message"]
    print_list(found, titles, _held, f"No locks in room {room}.", as_json=as_json)


def _held(lock: Document) -> list[str]:
    return [lock["target"], _holder(lock), _age(lock["age_ms"]), lock["message"]]


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
    titles = ["version", "at", "by", "change"]
    print_list(found, titles, _version, f"No changes in room {room} yet.", as_json=as_json)


def _version(each: Document) -> list[str]:
    return [str(each["number"]), in_date(each["at"]), _author(each), _what(each)]


def _line(version: Document) -> str:
    return printable(f"Version {version['number']}: {_what(version)}")


def _what(version: Document) -> str:
    what = version["summary"]
    if version["kind"] != "change":
        what = f"{version['kind']} {version['of']}: {what}"
    return f"{what} (undone)" if version["undone"] else str(what)


def _author(version: Document) -> str:
    return f"{version['user']} (job {version['job_id']})" if version["job_id"] else str(version["user"])


def _holder(held: Document) -> str:
    return f"{held['holder']} (job {held['job_id']})" if held["job_id"] else str(held["holder"])


def _age(age_ms: int) -> str:
    seconds = age_ms // 1000
    return f"{seconds} s" if seconds < 120 else f"{seconds // 60} min"
