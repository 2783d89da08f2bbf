"""`workroom upload` and `workroom download`: files of structures become frames, and frames become files."""

from __future__ import annotations

from pathlib import Path
from typing import TYPE_CHECKING, Annotated, Any

import orjson
import typer

from workroom.cli.errors import CommandError
from workroom.cli.jobs.submit import EXIT_CODES, wait_for
from workroom.cli.options import LOBBY, AsJson, Create, Password, Url, User, connect
from workroom.cli.remote import whole_id

if TYPE_CHECKING:
    from workroom import JobHandle, Room

_LOAD, _EXPORT = ("modifiers", "LoadFile"), ("analysis", "ExportFile")
_FORMATS = {".xyz": "extxyz", ".extxyz": "extxyz", ".traj": "traj", ".cif": "cif", ".pdb": "pdb"}


def upload(
    room: Annotated[str, typer.Argument(help="The room.")],
    files: Annotated[list[Path], typer.Argument(metavar="FILE…", help="Files, as .xyz, .traj or POSCAR.")],
    format: Annotated[str | None, typer.Option(help="The format, if it is not clear from the name.")] = None,
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
            _check_extension(place, _LOAD, "use --no-load")
        for number, path in enumerate(files):
            uploaded = place.upload(path)
            if not load:
                _print(uploaded.document, f"{path.name}: {uploaded.size:,} bytes, id {uploaded.id}", as_json)
                continue
            values = {"file": uploaded.id, "replace": replace and number == 0}
            job = place.submit_named(*_LOAD, values | ({"format": format} if format else {}))
            wait_for(job, url, quiet=as_json)
            _print(job.document, f"{path.name}: {_failure(job) or _loaded(job)}", as_json)
            _exit_unless_completed(job)


def download(
    room: Annotated[str, typer.Argument(metavar="ROOM|JOB", help="The room; or a job's id, for its files.")],
    file: Annotated[
        Path | None,
        typer.Argument(metavar="FILE", help="A .xyz, .extxyz, .traj, .cif or .pdb file; or a directory."),
    ] = None,
    current: Annotated[bool, typer.Option("--current", help="Only the frame of the current step.")] = False,
    selected: Annotated[bool, typer.Option("--selected", help="Only the selected atoms.")] = False,
    as_json: AsJson = False,
    url: Url = None,
    user: User = None,
    password: Password = None,
) -> None:
    """Save the frames of a room as a file of structures, or the files that a job saved in a directory.

    Without FILE, it is a job, whose files are saved here.
    """
    if file is None or file.is_dir():
        _download_files(whole_id(room, url, user, password), file or Path(), as_json, url, user, password)
        return
    if file.suffix not in _FORMATS:
        raise CommandError(f"cannot write {file.name}: its name should end in {', '.join(_FORMATS)}")
    values = {
        "format": _FORMATS[file.suffix],
        "frames": "current" if current else "all",
        "atoms": "selected" if selected else "all",
    }
    with connect(room, url, user, password) as place:
        _check_extension(place, _EXPORT, "use `workroom frames export`")
        job = place.submit_named(*_EXPORT, values)
        wait_for(job, url, quiet=as_json)
        failure = _failure(job)
        if not failure:
            _save(job, file)
        _print(job.document, f"{file.name}: {failure or _exported(job)}", as_json)
        _exit_unless_completed(job)


def _download_files(
    job_id: str, folder: Path, as_json: bool, url: str | None, user: str | None, password: str | None
) -> None:
    with connect(LOBBY, url, user, password) as place:
        job = place.job(job_id)
        found = job.artifacts()
        if not found and not as_json:
            print(f"job {job.id} has saved no files")
        for each in found:
            target = folder / each["name"]
            if target.exists():
                raise CommandError(f"{target} exists: choose another directory")
            try:
                job.download(each["name"], target)
            except OSError as error:
                raise CommandError(f"cannot write {target}: {error.strerror or error}") from error
            _print({**each, "path": str(target)}, f"{target}: {each['size']:,} bytes", as_json)


def _save(job: JobHandle, file: Path) -> None:
    try:
        job.download(job.document["result"]["file"], file)
    except OSError as error:
        raise CommandError(f"cannot write {file}: {error.strerror or error}") from error


def _exit_unless_completed(job: JobHandle) -> None:
    status = job.document["status"]
    if status != "completed":
        raise typer.Exit(EXIT_CODES.get(status, 1))


def _check_extension(place: Room, wanted: tuple[str, str], instead: str) -> None:
    if not any((each["category"], each["name"]) == wanted for each in place.extensions()):
        raise CommandError(
            f"this server knows no files of structures: install 'workroom[atoms]' there, or {instead}"
        )


def _loaded(job: JobHandle) -> str:
    result = job.document["result"]
    return f"{result['frames']:,} frames from frame {result['first']:,} on ({result['format']})"


def _exported(job: JobHandle) -> str:
    result = job.document["result"]
    return f"{result['frames']:,} frames, {result['bytes']:,} bytes"


def _failure(job: JobHandle) -> str:
    """Empty if the job has completed."""
    document = job.document
    if document["status"] == "completed":
        return ""
    error: dict[str, Any] = document["error"] or {}
    return f"{document['status']}: {error.get('message', '')}".rstrip(": ")


def _print(document: dict[str, Any], line: str, as_json: bool) -> None:
    print(orjson.dumps(document).decode() if as_json else line, flush=True)
