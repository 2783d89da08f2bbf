"""`workroom jobs`, `job` and `cancel`."""

from __future__ import annotations

import sys
from typing import Annotated, Any

import orjson
import typer
from rich.console import Console
from rich.table import Table

from workroom.cli.options import LOBBY, AsJson, Password, Url, User, connect

_UNCUT = 250  # columns: what goes to a file or another program is not cut to the size of a screen

JobId = Annotated[str, typer.Argument(help="The job's id.")]


def jobs(
    room: Annotated[str, typer.Argument(help="The room.")],
    status: Annotated[str | None, typer.Option(help="pending, running, failed, …")] = None,
    limit: Annotated[int, typer.Option(min=1, max=500)] = 20,
    as_json: AsJson = False,
    url: Url = None,
    user: User = None,
) -> None:
    """List the jobs of a room, newest first."""
    with connect(room, url, user) as place:
        found = place.jobs(status=status, limit=limit)
    if as_json:
        print(orjson.dumps(found, option=orjson.OPT_INDENT_2).decode())
        return
    table = Table(box=None)
    table.add_column("job", no_wrap=True)
    for title in ("extension", "status", "user", "created", "took"):
        table.add_column(title)
    for each in found:
        name = f"{each['category']}/{each['name']}"
        created = each["created_at"].replace("T", " ")[:19]
        table.add_row(each["id"], name, _standing(each), each["user"], created, _took(each))
    width = None if sys.stdout.isatty() else _UNCUT
    Console(width=width).print(table if found else f"No jobs in room {room} yet.")


def job(
    job_id: JobId, as_json: AsJson = False, url: Url = None, user: User = None, password: Password = None
) -> None:
    """Show one job with its history."""
    with connect(LOBBY, url, user, password) as place:
        handle = place.job(job_id)
        history = handle.history()
    if as_json:
        document = {**handle.document, "history": history}
        print(orjson.dumps(document, option=orjson.OPT_INDENT_2).decode())
        return
    for name, value in handle.document.items():
        if value is not None:
            shown = value if isinstance(value, str) else orjson.dumps(value).decode()
            print(f"{name:18} {shown}")
    for step in history:
        actor = f"by {step['actor']}" + (f": {step['reason']}" if step["reason"] else "")
        print(f"  {step['at']}  {step['status']:10} attempt {step['attempt']}  {actor}")


def cancel(job_id: JobId, url: Url = None, user: User = None, password: Password = None) -> None:
    """Cancel a job."""
    with connect(LOBBY, url, user, password) as place:
        place.job(job_id).cancel()
    print(f"job {job_id} cancelled")


def _standing(each: dict[str, Any]) -> str:
    if each["queue_position"] is None:
        return str(each["status"])
    return f"{each['status']} ({each['queue_position']} ahead)"


def _took(each: dict[str, Any]) -> str:
    took = each["execution_time_ms"]
    return "" if took is None else f"{took / 1000:.3f} s"
