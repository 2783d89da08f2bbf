"""`workroom submit`: submits a job from a shell."""

from __future__ import annotations

import sys
from datetime import datetime
from typing import TYPE_CHECKING, Annotated

import orjson
import typer
from rich.console import Console
from rich.progress import BarColumn, Progress, TextColumn, TimeElapsedColumn

from workroom.cli.errors import UsageError
from workroom.cli.invocation import command
from workroom.cli.jobs.presets import preset_values
from workroom.cli.jobs.values import find_extension, parse_pairs, to_data
from workroom.cli.options import AsJson, Create, Password, Url, User, connect
from workroom.cli.tables import print_json, printable
from workroom.domain.extension import SETTINGS

if TYPE_CHECKING:
    from workroom import JobHandle


def submit(
    room: Annotated[str, typer.Argument(help="The room to run it in.")],
    extension: Annotated[str, typer.Argument(help="category/Name")],
    values: Annotated[list[str] | None, typer.Argument(help="key=value; values may be JSON")] = None,
    preset: Annotated[
        str | None, typer.Option(help="Start with the values of your preset, or else of the room's.")
    ] = None,
    wait: Annotated[bool, typer.Option(help="Show progress and wait for the result.")] = False,
    priority: Annotated[int | None, typer.Option(min=0, max=10)] = None,
    delay: Annotated[float | None, typer.Option(min=0, help="Start after so many seconds.")] = None,
    run_at: Annotated[datetime | None, typer.Option(help="Start no sooner than this local time.")] = None,
    after: Annotated[
        list[str] | None, typer.Option(help="A job or group that must complete first; may be repeated.")
    ] = None,
    create: Create = False,
    as_json: AsJson = False,
    url: Url = None,
    user: User = None,
    password: Password = None,
) -> None:
    """Submit a job. With --wait, exit 0 if it completed, 1 if it failed, 2 if it was cancelled."""
    category, separator, name = extension.partition("/")
    if not (separator and category and name):
        raise UsageError(f"'{extension}' is not an extension name like analysis/EstimatePi")
    pairs = parse_pairs(values or [])
    with connect(room, url, user, password, create=create) as place:
        found = find_extension(place.extensions(), room, category, name)
        data = to_data(pairs, found)
        if preset is not None:
            data = {**preset_values(place, found, preset), **data}
        job = place.submit_named(
            category, name, data, priority=priority, delay=delay, run_at=run_at, after=after or ()
        )
        if category == SETTINGS:
            print(orjson.dumps(job.document).decode() if as_json else f"{extension} saved")
            return
        if wait:
            wait_for(job, url, quiet=as_json)
        print_outcome(job, as_json=as_json, waited=wait)
        raise typer.Exit(EXIT_CODES.get(job.document["status"], 0))


EXIT_CODES = {"failed": 1, "cancelled": 2}


def wait_for(job: JobHandle, url: str | None, *, quiet: bool) -> None:
    """Wait for the end of the job. Ctrl-C stops waiting, not the job."""
    try:
        _follow(job, quiet=quiet)
    except KeyboardInterrupt:
        again = command("job", job.id, url=url)
        print(f"job {job.id} is {job.document['status']} and goes on. See it with: {again}", file=sys.stderr)
        raise typer.Exit(130) from None


def _follow(job: JobHandle, *, quiet: bool) -> None:
    columns = (
        TextColumn("{task.description}"),
        BarColumn(),
        TextColumn("{task.fields[note]}"),
        TimeElapsedColumn(),
    )
    screen = Console(stderr=True)
    quiet = quiet or not screen.is_terminal
    with Progress(*columns, console=screen, transient=True, disable=quiet) as bar:
        row = bar.add_task("pending", total=1, note="")
        for update in job.watch():
            progress = update["progress"] or {}
            done = 1 if update["status"] == "completed" else progress.get("fraction")
            message = progress.get("message", "")
            bar.update(row, description=update["status"], completed=done or 0, note=message)


def print_outcome(job: JobHandle, *, as_json: bool, waited: bool) -> None:
    document = job.document
    if as_json:
        print_json(document)
    elif document["status"] == "failed":
        error = document["error"] or {}
        print(f"job {job.id} failed: {error.get('type')}: {error.get('message')}")
        if error.get("stack_trace"):
            print(error["stack_trace"].rstrip())
    elif document["status"] == "cancelled":
        print(printable(f"job {job.id} cancelled: {job.history()[-1]['reason']}"))
    elif waited:
        result = orjson.dumps(document["result"], option=orjson.OPT_INDENT_2).decode()
        print(f"job {job.id} {document['status']}\n{result}")
    else:
        print(f"job {job.id} {document['status']}")
