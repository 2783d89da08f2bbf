"""`workroom submit`: run something from a shell."""

from __future__ import annotations

import contextlib
from typing import TYPE_CHECKING, Annotated, Any

import orjson
import typer
from rich.console import Console
from rich.progress import BarColumn, Progress, TextColumn, TimeElapsedColumn

from workroom.cli.mistakes import UsageMistake
from workroom.cli.options import AsJson, Password, Url, User, connect

if TYPE_CHECKING:
    from workroom import JobHandle


def submit(
    room: Annotated[str, typer.Argument(help="The room to run it in.")],
    extension: Annotated[str, typer.Argument(help="category/Name")],
    values: Annotated[list[str] | None, typer.Argument(help="key=value; values may be JSON")] = None,
    wait: Annotated[bool, typer.Option(help="Show progress and wait for the result.")] = False,
    priority: Annotated[int | None, typer.Option(min=0, max=10)] = None,
    as_json: AsJson = False,
    url: Url = None,
    user: User = None,
    password: Password = None,
) -> None:
    """Submit a job. With --wait, exit 0 if it completed, 1 if it failed, 2 if it was cancelled."""
    category, separator, name = extension.partition("/")
    if not separator:
        raise UsageMistake(f"'{extension}' is not category/Name, like analysis/EstimatePi")
    data = dict(_pair(each) for each in values or [])
    with connect(room, url, user, password) as place:
        job = place.submit_named(category, name, data, priority=priority)
        if wait:
            _follow(job, quiet=as_json)
        _print(job, as_json=as_json, waited=wait)
        raise typer.Exit(_EXIT_CODES.get(job.document["status"], 0))


_EXIT_CODES = {"failed": 1, "cancelled": 2}


def _pair(text: str) -> tuple[str, Any]:
    key, separator, value = text.partition("=")
    if not separator:
        raise UsageMistake(f"'{text}' is not key=value")
    with contextlib.suppress(orjson.JSONDecodeError):
        return key, orjson.loads(value)
    return key, value


def _follow(job: JobHandle, *, quiet: bool) -> None:
    columns = (
        TextColumn("{task.description}"),
        BarColumn(),
        TextColumn("{task.fields[note]}"),
        TimeElapsedColumn(),
    )
    with Progress(*columns, console=Console(stderr=True), transient=True, disable=quiet) as bar:
        row = bar.add_task("pending", total=1, note="")
        for update in job.watch():
            progress = update["progress"] or {}
            done = 1 if update["status"] == "completed" else progress.get("fraction")
            message = progress.get("message", "")
            bar.update(row, description=update["status"], completed=done or 0, note=message)


def _print(job: JobHandle, *, as_json: bool, waited: bool) -> None:
    document = job.document
    if as_json:
        print(orjson.dumps(document, option=orjson.OPT_INDENT_2).decode())
    elif document["status"] == "failed":
        error = document["error"] or {}
        print(f"job {job.id} failed: {error.get('type')}: {error.get('message')}")
        if error.get("stack_trace"):
            print(error["stack_trace"].rstrip())
    elif waited:
        result = orjson.dumps(document["result"], option=orjson.OPT_INDENT_2).decode()
        print(f"job {job.id} {document['status']}\n{result}")
    else:
        print(f"job {job.id} {document['status']}")
