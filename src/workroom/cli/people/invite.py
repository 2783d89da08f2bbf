"""`workroom invite`: a link into a room."""

from __future__ import annotations

from typing import Annotated

import typer

from workroom.cli.options import Password, Url, User, connect


def invite(
    room: Annotated[str, typer.Argument(help="The room, which must be yours.")],
    days: Annotated[float, typer.Option(min=0.001, help="How long the link is valid.")] = 7,
    uses: Annotated[int, typer.Option(min=1, help="How many people may join with it.")] = 100,
    url: Url = None,
    user: User = None,
    password: Password = None,
) -> None:
    """Print a link that makes people members of a room."""
    with connect(room, url, user, password) as place:
        print(place.invite(days=days, uses=uses))
