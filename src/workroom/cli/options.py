"""Options that several commands share."""

from __future__ import annotations

from typing import TYPE_CHECKING, Annotated

import typer

if TYPE_CHECKING:
    from workroom import Room

DEFAULT_URL = "http://127.0.0.1:8000"

Url = Annotated[
    str | None,
    typer.Option(
        envvar="WORKROOM_URL",
        help=f"The server, or several on one store, with commas between. Default: {DEFAULT_URL}",
    ),
]
User = Annotated[
    str | None, typer.Option(envvar="WORKROOM_USER", help="Your name. Default: your login name.")
]
Password = Annotated[
    str | None,
    typer.Option(
        envvar="WORKROOM_PASSWORD", help="Your password, if you have one; without --user the admin's."
    ),
]
AsJson = Annotated[bool, typer.Option("--json", help="Print JSON.")]

LOBBY = "lobby"


def connect(
    room: str, url: str | None, user: str | None, password: str | None = None, token: str | None = None
) -> Room:
    from workroom import Room  # noqa: PLC0415 - the client is heavy, and `--help` does not need it

    return Room(room, url, user=user, password=password, token=token)
