"""`workroom backup` and `workroom restore`."""

from __future__ import annotations

import asyncio
from collections.abc import Callable, Iterator
from contextlib import contextmanager
from pathlib import Path
from typing import TYPE_CHECKING, Annotated, Any

import orjson
import typer

from workroom.cli.errors import CommandError
from workroom.cli.options import AsJson
from workroom.cli.server.configuration import configuration

if TYPE_CHECKING:
    from workroom.settings import Settings

DataDir = Annotated[Path | None, typer.Option(help="Data directory. Default: ./workroom-data")]
Store = Annotated[str | None, typer.Option(help="Store URL of the server, if it has one.")]
_VALKEY = """\
this server keeps its jobs in Redis or Valkey, which has backups of its own:
  1. valkey-cli --rdb jobs.rdb    (or copy its append-only directory while it is stopped)
  2. then copy the files, {storage}, and the archive, if WORKROOM_ARCHIVE names one
  3. keep WORKROOM_SIGNING_KEY, or signing.key in the data directory
A restored jobs.rdb is ignored by a Valkey that starts with appendonly yes: start it with appendonly no first.
See docs/howto/operate.md#redis-and-valkey"""


def backup(
    file: Annotated[Path, typer.Argument(help="The backup: a new file.")],
    data_dir: DataDir = None,
    store: Store = None,
    as_json: AsJson = False,
) -> None:
    """Back up jobs, rooms, files and frames, even while the server runs."""
    settings = configuration({"data_dir": data_dir, "store": store})
    database = _database(settings)
    if file.exists():
        raise CommandError(f"{file} exists: choose another name")
    if not database.exists():
        raise CommandError(f"there is no database {database}: pass --data-dir")
    from workroom.server.backup.backup import Source, back_up  # noqa: PLC0415 - `--help` is fast
    from workroom.stores import open_blobs  # noqa: PLC0415

    async def run(progress: Callable[[int, int], None]) -> dict[str, Any]:
        blobs = open_blobs(settings.storage_url)
        key = settings.data_dir / "signing.key"
        try:
            return await back_up(Source(database, blobs, key if key.exists() else None), file, progress)
        finally:
            await blobs.aclose()

    _report(_with_progress("Backing up", run, quiet=as_json), f"Backed up to {file}", as_json=as_json)


def restore(
    file: Annotated[Path, typer.Argument(help="The backup.")],
    data_dir: Annotated[Path, typer.Option(help="The new data directory.")],
    as_json: AsJson = False,
) -> None:
    """Restore a backup into a new data directory. Every byte is compared with the digests in the backup."""
    settings = configuration({"data_dir": data_dir})
    if settings.store is not None:
        raise CommandError("unset WORKROOM_STORE: a backup is restored as workroom.db in the data directory")
    from workroom.server.backup import restore as restoring  # noqa: PLC0415 - `--help` is fast
    from workroom.stores import open_blobs  # noqa: PLC0415

    async def run(progress: Callable[[int, int], None]) -> dict[str, Any]:
        blobs = open_blobs(settings.storage_url)
        try:
            return await restoring.restore(file, data_dir, blobs, progress)
        finally:
            await blobs.aclose()

    _report(_with_progress("Restoring", run, quiet=as_json), f"Restored into {data_dir}", as_json=as_json)


def _database(settings: Settings) -> Path:
    scheme, _, path = settings.store_url.partition(":///")
    if scheme != "sqlite":
        raise CommandError(_VALKEY.format(storage=settings.storage_url))
    return Path(path)


def _with_progress(
    title: str, run: Callable[[Callable[[int, int], None]], Any], *, quiet: bool
) -> dict[str, Any]:
    with _progress(title, quiet=quiet) as progress:
        result: dict[str, Any] = asyncio.run(run(progress))
        return result


@contextmanager
def _progress(title: str, *, quiet: bool) -> Iterator[Callable[[int, int], None]]:
    """A bar on a terminal, nothing elsewhere."""
    from rich.console import Console  # noqa: PLC0415 - `--help` is fast
    from rich.progress import Progress  # noqa: PLC0415

    console = Console(stderr=True)
    with Progress(console=console, disable=quiet or not console.is_terminal, transient=True) as bar:
        task = bar.add_task(title)
        yield lambda done, total: bar.update(task, completed=done, total=total or 1)


def _report(manifest: dict[str, Any], done: str, *, as_json: bool) -> None:
    if as_json:
        print(orjson.dumps(manifest).decode())
        return
    print(
        f"{done}: {manifest['jobs']:,} jobs, {manifest['rooms']:,} rooms,"
        f" {manifest['files']:,} files ({manifest['bytes']:,} bytes), all verified"
    )
