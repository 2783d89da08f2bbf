"""`workroom groups` and `group`."""

from __future__ import annotations

import sys
from enum import StrEnum
from typing import Annotated, Any

import orjson
import typer
from rich.console import Console
from rich.table import Table

from workroom.cli.options import LOBBY, AsJson, Password, Url, User, connect

_WIDTH = 250  # columns, where the output is not a terminal
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
) -> None:
    """List the groups of a room, newest first."""
    with connect(room, url, user) as place:
        found = place.groups(limit=limit)
    if as_json:
        print(orjson.dumps(found, option=orjson.OPT_INDENT_2).decode())
        return
    width = None if sys.stdout.isatty() else _WIDTH
    Console(width=width).print(_table(found) if found else f"No groups in room {room} yet.")


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
        print(orjson.dumps(document, option=orjson.OPT_INDENT_2).decode())
    else:
        print(f"group {handle.id} {document['title']}".rstrip())
        print(_counts(document))
    if wait and document["counts"]["completed"] < document["total"]:
        raise typer.Exit(1)


def _counts(document: dict[str, Any]) -> str:
    counts = [f"{document['counts'][state]} {state}" for state in _STATES if document["counts"][state]]
    notes = [word for word in ("open", "paused", "cancelled") if document[word]]
    return ", ".join([f"{document['total']} jobs", *counts, *notes])


def _table(found: list[dict[str, Any]]) -> Table:
    table = Table(box=None)
    table.add_column("group", no_wrap=True)
    for title in ("title", "jobs", "user", "created"):
        table.add_column(title)
    for each in found:
        created = each["created_at"].replace("T", " ")[:19]
        table.add_row(each["id"], each["title"], _counts(each), each["user"], created)
    return table
