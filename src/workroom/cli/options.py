"""Options that several commands share, and the connection that they describe."""

from __future__ import annotations

from collections.abc import Iterator
from contextlib import contextmanager
from typing import TYPE_CHECKING, Annotated

import typer

from workroom.cli.errors import CommandError, suggestion
from workroom.errors import RoomNotFound, WorkroomError

if TYPE_CHECKING:
    from workroom import Room

DEFAULT_URL = "http://127.0.0.1:8000"

Url = Annotated[
    str | None,
    typer.Option(
        envvar="WORKROOM_URL",
        help=f"The server, or several that share a store, separated by commas. Default: {DEFAULT_URL}",
    ),
]
User = Annotated[
    str | None, typer.Option(envvar="WORKROOM_USER", help="Your name. Default: your login name.")
]
Password = Annotated[
    str | None,
    typer.Option(
        envvar="WORKROOM_PASSWORD", help="Your password, if you have one; without --user, the admin's."
    ),
]
AsJson = Annotated[bool, typer.Option("--json", help="Print JSON.")]

Create = Annotated[bool, typer.Option("--create", help="Create the room if it does not exist.")]

LOBBY = "lobby"
_MAX_ROOMS = 500


@contextmanager
def connect(
    room: str,
    url: str | None,
    user: str | None,
    password: str | None = None,
    token: str | None = None,
    *,
    create: bool | None = None,
) -> Iterator[Room]:
    """Open a room. `create` is None for commands that have no --create option."""
    from workroom import Room  # noqa: PLC0415 - slow to import, `--help` is fast

    with Room(room, url, user=user, password=password, token=token, create=bool(create)) as place:
        try:
            yield place
        except RoomNotFound as error:
            if create or error.fields.get("room") != place.name:
                raise
            advice = " Create it with --create." if create is False else ""
            raise CommandError(f"There is no room '{place.name}'.{_similar(place)}{advice}") from error


def _similar(place: Room) -> str:
    """A hint at a room with a similar name; the tokens of machines see no rooms."""
    try:
        return suggestion(place.name, [each["name"] for each in place.rooms(limit=_MAX_ROOMS)])
    except WorkroomError:
        return ""
