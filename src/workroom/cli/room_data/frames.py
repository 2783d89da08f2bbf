"""`workroom frames`: show, export and import the frames of a room."""

from __future__ import annotations

from collections.abc import Iterable
from pathlib import Path
from typing import Annotated, Any

import typer
from typer.core import TyperGroup

from workroom.cli.errors import CommandError
from workroom.cli.options import AsJson, Create, Password, Url, User, connect
from workroom.cli.tables import Document, print_json, screen, table

RoomName = Annotated[str, typer.Argument(help="The room.")]
FileName = Annotated[Path, typer.Argument(metavar="FILE", help="A .wrf or .npz file.")]


class _ShowsByDefault(TyperGroup):
    """`workroom frames demo` is `workroom frames show demo`."""

    def parse_args(self, ctx: Any, args: list[str]) -> list[str]:
        if args and args[0] not in self.commands and args[0] not in ("--help", "-h"):
            args = ["show", *args]
        return super().parse_args(ctx, args)


frames = typer.Typer(
    cls=_ShowsByDefault, help="Show, export or import the frames of a room.", no_args_is_help=True
)


@frames.command("show")
def show(
    room: RoomName, as_json: AsJson = False, url: Url = None, user: User = None, password: Password = None
) -> None:
    """Show how many frames a room has, and their keys."""
    with connect(room, url, user, password) as place:
        found = place.frames.info()
    if as_json:
        print_json(found)
        return
    console = screen()
    console.print(f"{found['length']:,} frames, {_megabytes(found['bytes'])} MB, version {found['version']}")
    if found["keys"]:
        console.print(table(["key", "dtype", "shape"], map(_row, found["keys"])))


@frames.command("export")
def export(
    room: RoomName, file: FileName, url: Url = None, user: User = None, password: Password = None
) -> None:
    """Save the frames of a room to a file: .wrf for any frames, .npz if all have the same shape."""
    from workroom.runtime.frames import files  # noqa: PLC0415 - slow to import, `--help` is fast

    write = files.write_arrays if files.suffix_of(file) == ".npz" else files.write_messages
    partial = file.with_name(f".{file.name}.part")
    with connect(room, url, user, password) as place:
        try:
            with partial.open("wb") as target:
                counts = write(place.frames.messages(), target)
                total = _with_progress(counts, len(place.frames))
            partial.replace(file)
        except OSError as error:
            raise CommandError(f"Cannot write {file}: {error.strerror or error}") from error
        finally:
            partial.unlink(missing_ok=True)
    print(f"Saved {total:,} frames to {file}.")


@frames.command("import")
def import_(
    room: RoomName,
    file: FileName,
    create: Create = False,
    url: Url = None,
    user: User = None,
    password: Password = None,
) -> None:
    """Append the frames of a file to a room."""
    from workroom.runtime.frames import files  # noqa: PLC0415 - slow to import, `--help` is fast

    with connect(room, url, user, password, create=create) as place:
        try:
            found = files.open_frames(file)
            total = len(found)
            place.frames.extend(found)
        except OSError as error:
            raise CommandError(f"Cannot read {file}: {error.strerror or error}") from error
    print(f"Appended {total:,} frames to room {room}.")


def _with_progress(counts: Iterable[int], total: int) -> int:
    from workroom.client.room_data.frames.progress import FramesBar  # noqa: PLC0415 - slow to import

    done, bar = 0, FramesBar("Saving frames", total)
    try:
        for count in counts:
            done += count
            bar.advance(count)
    finally:
        bar.close()
    return done


def _row(key: Document) -> list[str]:
    return [key["key"], key["dtype"] or key["kind"], _shape(key)]


def _shape(key: Document) -> str:
    if key["kind"] != "array":
        return ""
    return "varies" if key["shape"] is None else " x ".join(map(str, key["shape"])) or "scalar"


def _megabytes(size: int) -> str:
    return f"{size / 1e6:,.1f}"
