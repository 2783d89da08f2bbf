"""`workroom jobs`, `job`, `logs` and `cancel`."""

from __future__ import annotations

import contextlib
from typing import TYPE_CHECKING, Annotated

import orjson
import typer
from rich.live import Live

from workroom.cli.jobs import live_view
from workroom.cli.jobs.submit import EXIT_CODES, print_outcome
from workroom.cli.options import LOBBY, AsJson, Password, Url, User, connect
from workroom.cli.remote import whole_id
from workroom.cli.tables import Document, in_date, print_json, print_list, screen, table

if TYPE_CHECKING:
    from workroom import Room

_TITLES = ("job", "extension", "status", "user", "created", "took")

JobId = Annotated[str, typer.Argument(help="The job's id, or the beginning of it.")]


def jobs(
    room: Annotated[str, typer.Argument(help="The room.")],
    status: Annotated[str | None, typer.Option(help="pending, running, failed, …")] = None,
    limit: Annotated[int, typer.Option(min=1, max=500)] = 20,
    watch: Annotated[bool, typer.Option("--watch", help="Show changes until Ctrl-C.")] = False,
    as_json: AsJson = False,
    url: Url = None,
    user: User = None,
    password: Password = None,
) -> None:
    """List the jobs of a room, newest first."""
    with connect(room, url, user, password) as place:
        if watch:
            with contextlib.suppress(KeyboardInterrupt):
                _watch(place, status, limit)
            return
        found = place.jobs(status=status, limit=limit)
    print_list(found, _TITLES, _row, f"No jobs in room {room} yet.", as_json=as_json)


def _watch(place: Room, status: str | None, limit: int) -> None:
    """Keep a table up to date on a terminal; elsewhere print a line for each change."""
    console = screen()
    if console.is_terminal:
        with Live(console=console, auto_refresh=False) as live:
            for found in place.watch_jobs(status=status, limit=limit):
                live.update(table(_TITLES, map(_row, found)), refresh=True)
        return
    known: dict[str, int] = {}
    for found in place.watch_jobs(status=status, limit=limit):
        for each in reversed(found):
            if known.get(each["id"]) != each["version"]:
                known[each["id"]] = each["version"]
                print(f"{each['id']} {each['category']}/{each['name']} {_status(each)}", flush=True)


def _row(each: Document) -> list[str]:
    name = f"{each['category']}/{each['name']}"
    return [each["id"], name, _status(each), each["user"], in_date(each["created_at"]), _took(each)]


def job(
    job_id: JobId,
    follow: Annotated[bool, typer.Option("--follow", "-f", help="Follow it until it ends.")] = False,
    as_json: AsJson = False,
    url: Url = None,
    user: User = None,
    password: Password = None,
) -> None:
    """Show one job with its history. With --follow, the exit code is that of `submit --wait`."""
    job_id = whole_id(job_id, url, user, password)
    with connect(LOBBY, url, user, password) as place:
        handle = place.job(job_id)
        if follow:
            live_view.follow(handle, url)
            print_outcome(handle, as_json=as_json, waited=True)
            raise typer.Exit(EXIT_CODES.get(handle.document["status"], 0))
        history = handle.history()
    if as_json:
        print_json({**handle.document, "history": history})
        return
    for name, value in handle.document.items():
        if value is not None:
            shown = value if isinstance(value, str) else orjson.dumps(value).decode()
            print(f"{name:18} {shown}")
    for step in history:
        actor = f"by {step['actor']}" + (f": {step['reason']}" if step["reason"] else "")
        print(f"  {step['at']}  {step['status']:10} attempt {step['attempt']}  {actor}")


def logs(
    job_id: JobId,
    follow: Annotated[bool, typer.Option("--follow", "-f", help="Continue until the job ends.")] = False,
    as_json: AsJson = False,
    url: Url = None,
    user: User = None,
    password: Password = None,
) -> None:
    """Print the output of a job. With --json, print one object for each line."""
    job_id = whole_id(job_id, url, user, password)
    with connect(LOBBY, url, user, password) as place:
        handle = place.job(job_id)
        batches = (lines for _, lines in handle.follow()) if follow else [handle.logs()]
        for lines in batches:
            for line in lines:
                print(orjson.dumps(line).decode() if as_json else live_view.format_line(line), flush=follow)


def cancel(job_id: JobId, url: Url = None, user: User = None, password: Password = None) -> None:
    """Cancel a job."""
    job_id = whole_id(job_id, url, user, password)
    with connect(LOBBY, url, user, password) as place:
        place.job(job_id).cancel()
    print(f"job {job_id} cancelled")


def _status(each: Document) -> str:
    if each["queue_position"] is None:
        return str(each["status"])
    return f"{each['status']} ({each['queue_position']} ahead)"


def _took(each: Document) -> str:
    took = each["execution_time_ms"]
    return "" if took is None else f"{took / 1000:.3f} s"
