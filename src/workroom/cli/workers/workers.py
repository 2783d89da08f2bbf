"""`workroom workers`: list, accept, refuse and dismiss the workers of a room."""

from __future__ import annotations

from contextlib import AbstractContextManager
from dataclasses import dataclass
from typing import TYPE_CHECKING, Annotated, Any

import typer
from typer.core import TyperGroup

from workroom.cli.errors import CommandError
from workroom.cli.options import LOBBY, AsJson, Password, Url, User, connect
from workroom.cli.remote import remote
from workroom.cli.tables import Document, print_list

if TYPE_CHECKING:
    from workroom import Room

PUBLIC = "public"  # no room can have this name
Where = Annotated[str, typer.Argument(metavar="ROOM", help="The room, or `public`.")]
WorkerName = Annotated[str, typer.Argument(metavar="WORKER", help="The id or name of the worker.")]
Why = Annotated[str | None, typer.Option(help="The reason that the worker's user sees.")]


class _ListsByDefault(TyperGroup):
    """`workroom workers demo` is `workroom workers list demo`."""

    def parse_args(self, ctx: Any, args: list[str]) -> list[str]:
        if not args or (args[0] not in self.commands and args[0] not in ("--help", "-h")):
            args = ["list", *args]
        return super().parse_args(ctx, args)


workers = typer.Typer(
    cls=_ListsByDefault,
    help="List the workers of a room, or of the whole server; accept, refuse or dismiss them.",
)


@workers.command("list")
def list_workers(
    room: Annotated[
        str | None, typer.Argument(help="The room. Without it, the whole fleet; for admins.")
    ] = None,
    as_json: AsJson = False,
    url: Url = None,
    user: User = None,
    password: Password = None,
) -> None:
    """List the workers of a room, including those that wait for consent, or the whole fleet."""
    found = _workers_of(room, url, user, password)
    titles = ["worker", "name", "user", "state", "slots", "offers"]
    empty = "No workers." if room is None else f"No workers in room {room}."
    print_list(found, titles, _row, empty, as_json=as_json)


def _workers_of(room: str | None, url: str | None, user: str | None, password: str | None) -> list[Document]:
    if room is None:
        with remote(url, user, password) as server:
            return list(server.get("workers")["items"])
    with connect(room, url, user, password) as place:
        return place.workers()


@workers.command("accept")
def accept(
    room: Where, worker: WorkerName, url: Url = None, user: User = None, password: Password = None
) -> None:
    """Accept a worker for extensions that you, or others in your room, already offer."""
    with _place(room, url, user, password) as place:
        found = _find(place, room, worker)
        place.accept_worker(found.id, public=room == PUBLIC)
    print(f"Accepted {found}.")


@workers.command("refuse")
def refuse(
    room: Where,
    worker: WorkerName,
    reason: Why = None,
    url: Url = None,
    user: User = None,
    password: Password = None,
) -> None:
    """Refuse a worker that waits for consent."""
    with _place(room, url, user, password) as place:
        found = _find(place, room, worker)
        place.refuse_worker(found.id, reason, public=room == PUBLIC)
    print(f"Refused {found}.")


@workers.command("dismiss")
def dismiss(
    room: Where,
    worker: WorkerName,
    reason: Why = None,
    url: Url = None,
    user: User = None,
    password: Password = None,
) -> None:
    """Remove a worker. Unless it is your own, its user needs consent to return."""
    with _place(room, url, user, password) as place:
        found = _find(place, room, worker)
        place.dismiss_worker(found.id, reason, public=room == PUBLIC)
    print(f"Dismissed {found}.")


def _place(
    room: str, url: str | None, user: str | None, password: str | None
) -> AbstractContextManager[Room]:
    return connect(LOBBY if room == PUBLIC else room, url, user, password)


@dataclass(frozen=True, slots=True)
class _Worker:
    id: str
    label: str

    def __str__(self) -> str:
        return self.label


def _find(place: Room, room: str, wanted: str) -> _Worker:
    """Find a worker by id or name; public workers by id only."""
    if room == PUBLIC:
        return _Worker(wanted, wanted)
    found = place.workers()
    by_id = [each for each in found if each["id"] == wanted]
    meant = by_id or [each for each in found if each["name"] == wanted]
    if not meant:
        raise CommandError(f"there is no worker '{wanted}' in room {room}. See: workroom workers {room}")
    if len(meant) > 1:
        ids = ", ".join(each["id"] for each in meant)
        raise CommandError(f"several workers are named '{wanted}'. Use an id: {ids}")
    return _Worker(meant[0]["id"], f"{meant[0]['name']} of {meant[0]['user']} in room {room}")


def _row(each: Document) -> list[str]:
    offers = [_name(offer) for offer in each["extensions"]]
    offers += [f"{_name(offer)} (waits for consent)" for offer in each["awaiting_consent"]]
    state = f"{each['state']}, draining" if each["draining"] else each["state"]
    return [each["id"], each["name"], each["user"], state, str(each["slots"]), ", ".join(offers)]


def _name(offer: Document) -> str:
    return f"{offer['category']}/{offer['name']}"
