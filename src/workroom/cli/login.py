"""`workroom login`: this machine remembers who you are at a server."""

from __future__ import annotations

from typing import Annotated

import typer

from workroom.cli.mistakes import UsageMistake
from workroom.cli.options import DEFAULT_URL, Password, Url, User

_MARK = "/#login="


def login(
    link: Annotated[str | None, typer.Argument(help="The admin's link, as `serve` prints it.")] = None,
    url: Url = None,
    user: User = None,
    password: Password = None,
) -> None:
    """Log in with the admin's link, or with a name and a password, and be remembered here."""
    from workroom.client.addresses import Addresses  # noqa: PLC0415 - heavy, and `--help` does not need it
    from workroom.client.identity import Memory  # noqa: PLC0415
    from workroom.client.once import call  # noqa: PLC0415

    if link is not None:
        place, mark, code = link.partition(_MARK)
        if not mark:
            raise UsageMistake(f"'{link}' is not a link like {DEFAULT_URL}{_MARK}…")
        body = {"code": code}
    elif user is not None:
        place = url or DEFAULT_URL
        body = {"name": user, "password": password or typer.prompt("Password", hide_input=True)}
    else:
        raise UsageMistake("give the admin's link, or --user")
    welcome = call(place, None, "POST", "/api/login", body)
    Memory(f"{Addresses(place).name} {welcome['user']}").keep(welcome["token"])
    print(f"You are {welcome['user']} ({welcome['role']}) at {place}: say --user {welcome['user']}.")
