"""`workroom open`: the page of a room or a job, in the browser."""

from __future__ import annotations

import webbrowser
from typing import Annotated

import typer

from workroom.cli.options import DEFAULT_URL, Password, Url, User
from workroom.cli.remote import remote, whole_id


def open_page(
    what: Annotated[str | None, typer.Argument(help="A room, or a job's id. Without it, all rooms.")] = None,
    job: Annotated[bool, typer.Option("--job", help="It is the beginning of a job's id.")] = False,
    show: Annotated[bool, typer.Option("--print", help="Print the address instead.")] = False,
    url: Url = None,
    user: User = None,
    password: Password = None,
) -> None:
    """Open the page of a room or a job in the browser, or print its address."""
    base = (url or DEFAULT_URL).split(",")[0].rstrip("/")
    if what is None:
        address = base
    elif job or _is_id(what):
        job_id = whole_id(what, url, user, password)
        with remote(url, user, password) as server:
            room = server.get("jobs", job_id)["room"]
        address = f"{base}/rooms/{room}/jobs/{job_id}"
    else:
        address = f"{base}/rooms/{what}"
    if show or not webbrowser.open(address):
        print(address)


def _is_id(text: str) -> bool:
    return len(text) == 36 and text.count("-") == 4
