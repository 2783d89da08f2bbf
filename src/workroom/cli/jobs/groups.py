"""`workroom groups` and `group`."""

from __future__ import annotations

import sys
from enum import StrEnum
from typing import Annotated

import typer

from workroom.cli.options import LOBBY, AsJson, Password, Url, User, connect
from workroom.cli.tables import Document, in_date, print_json, print_list, printable

_STATES = ("pending", "assigned", "running", "completed", "failed", "cancelled")


class Action(StrEnum):
    CANCEL = "cancel"
    PAUSE = "pause"
    RESUME = "resume"
    RETRY = "retry"


def groups(
    room: Annotated[str, typer.Argument(help="The room.")],
    limit: Annotated[int, typer.Option(min=1, max=500)] = 20,
    as_json: AsJson = False,
    url: Url = None,
    user: User = None,
    password: Password = None,
) -> None:
    """List the groups of a room, newest first."""
    with connect(room, url, user, password) as place:
        found = place.groups(limit=limit)
    titles = ["group", "title", "jobs", "user", "created"]
    print_list(found, titles, _row, f"No groups in room {room} yet.", as_json=as_json)


def _row(each: Document) -> list[str]:
    return [each["id"], each["title"], _counts(each), each["user"], in_date(each["created_at"])]


def group(
    group_id: Annotated[str, typer.Argument(help="The group's id.")],
    action: Annotated[
        Action | None, typer.Argument(help="What to do with its jobs; `retry` takes the failed ones.")
    ] = None,
    wait: Annotated[bool, typer.Option(help="Wait until all its jobs have ended.")] = False,
    as_json: AsJson = False,
    url: Url = None,
    user: User = None,
    password: Password = None,
) -> None:
    """Show a group, or act on its jobs. With --wait, exit 1 if one did not complete."""
    with connect(LOBBY, url, user, password) as place:
        handle = place.group(group_id)
        if action is Action.RETRY:
            print(f"{handle.retry_failed()} jobs retried", file=sys.stderr)
        elif action is not None:
            getattr(handle, action)()
        if wait:
            handle.wait()
    document = handle.document
    if as_json:
        print_json(document)
    else:
        print(printable(f"group {handle.id} {document['title']}".rstrip()))
        print(_counts(document))
    if wait and document["counts"]["completed"] < document["total"]:
        raise typer.Exit(1)


def _counts(document: Document) -> str:
    counts = [f"{document['counts'][state]} {state}" for state in _STATES if document["counts"][state]]
    notes = [word for word in ("open", "paused", "cancelled") if document[word]]
    return ", ".join([f"{document['total']} jobs", *counts, *notes])
