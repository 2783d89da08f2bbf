"""`workroom upload`: uploads files of structures, and loads them as frames."""

from __future__ import annotations

from pathlib import Path
from typing import TYPE_CHECKING, Annotated, Any

import orjson
import typer

from workroom.cli.errors import CommandError
from workroom.cli.options import AsJson, Create, Password, Url, User, connect
from workroom.cli.submit import EXIT_CODES, wait_for

if TYPE_CHECKING:
    from workroom import JobHandle, Room

_CATEGORY, _NAME = "modifiers", "LoadFile"


def upload(
    room: Annotated[str, typer.Argument(help="The room.")],
    files: Annotated[list[Path], typer.Argument(metavar="FILE…", help="Files, as .xyz, .traj or POSCAR.")],
    format: Annotated[str | None, typer.Option(help="The format, if the name does not tell it.")] = None,
    replace: Annotated[bool, typer.Option(help="Delete the frames that the room has.")] = False,
    load: Annotated[bool, typer.Option(help="Load the files as frames.")] = True,
    create: Create = False,
    as_json: AsJson = False,
    url: Url = None,
    user: User = None,
    password: Password = None,
) -> None:
    """Upload files to a room and load them as frames, one after the other. Exit 1 if one fails."""
    for path in files:
        if not path.is_file():
            raise CommandError(f"there is no file {path}")
    with connect(room, url, user, password, create=create) as place:
        if load:
            _check_extension(place)
        for number, path in enumerate(files):
            uploaded = place.upload(path)
            if not load:
                _print(uploaded.document, f"{path.name}: {uploaded.size:,} bytes, id {uploaded.id}", as_json)
                continue
            values = {"file": uploaded.id, "replace": replace and number == 0}
            job = place.submit_named(_CATEGORY, _NAME, values | ({"format": format} if format else {}))
            wait_for(job, url, quiet=as_json)
            _print(job.document, f"{path.name}: {_outcome(job)}", as_json)
            if job.document["status"] != "completed":
                raise typer.Exit(EXIT_CODES.get(job.document["status"], 1))


def _check_extension(place: Room) -> None:
    if not any((each["category"], each["name"]) == (_CATEGORY, _NAME) for each in place.extensions()):
        raise CommandError(
            "this server does not load files of structures: install 'workroom[atoms]' there, or use --no-load"
        )


def _outcome(job: JobHandle) -> str:
    document = job.document
    if document["status"] == "completed":
        result = document["result"]
        return f"{result['frames']:,} frames from frame {result['first']:,} on ({result['format']})"
    error: dict[str, Any] = document["error"] or {}
    return f"{document['status']}: {error.get('message', '')}".rstrip(": ")


def _print(document: dict[str, Any], line: str, as_json: bool) -> None:
    print(orjson.dumps(document).decode() if as_json else line, flush=True)
