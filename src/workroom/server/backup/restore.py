"""Puts a backup into a new data directory. The database comes last: no server starts on a part of one."""

from __future__ import annotations

import hashlib
import os
import shutil
from collections.abc import Iterator, Sequence
from contextlib import contextmanager
from pathlib import Path
from typing import Any

import orjson

from workroom.errors import BackupFailed, StoreUnavailable
from workroom.ports import Blobs
from workroom.server.backup.container import (
    BLOBS,
    DATABASE,
    FORMAT,
    KEY,
    MANIFEST,
    chunks_of,
    content_of,
    open_container,
    size_of,
)
from workroom.server.backup.digests import Digests
from workroom.server.backup.snapshot import Progress, open_snapshot, renew_epoch


async def restore(path: Path, data_dir: Path, blobs: Blobs, progress: Progress) -> dict[str, Any]:
    """Return the manifest. Raises BackupFailed, and then the directory has no database."""
    with _partial_files(data_dir) as (database, key), open_container(path) as tar:
        written: dict[str, Digests] = {}
        manifest: dict[str, Any] | None = None
        total = size_of(tar)
        for member in tar:
            content = content_of(tar, member)
            if member.name.startswith(BLOBS):
                blob_id = member.name.removeprefix(BLOBS)
                written[blob_id] = await _write_blob(blobs, blob_id, content)
            elif member.name in (DATABASE, KEY):
                with (database if member.name == DATABASE else key).open("wb") as file:
                    shutil.copyfileobj(content, file)
            elif member.name == MANIFEST:
                manifest = orjson.loads(content.read())
            progress(tar.offset, total)
        await _check(manifest, database, key, written, blobs)
        assert manifest is not None
        renew_epoch(database)
        _put_in_place(data_dir, database, key)
        progress(total, total)
        return manifest


async def _write_blob(blobs: Blobs, blob_id: str, content: Any) -> Digests:
    if not blob_id.isalnum():
        raise BackupFailed(f"the backup has a file with the name {blob_id[:100]!r}, which no backup has")
    digests = Digests()
    try:
        await blobs.write(blob_id, digests.of(chunks_of(content)))
    except StoreUnavailable as error:
        raise BackupFailed(f"cannot write the file {blob_id}: {error.detail}") from error
    return digests


async def _check(
    manifest: dict[str, Any] | None, database: Path, key: Path, written: dict[str, Digests], blobs: Blobs
) -> None:
    """Every byte must be that of the backup; what the database does not refer to is deleted."""
    if manifest is None:
        raise BackupFailed("the backup is incomplete: its end is missing")
    if manifest.get("format") != FORMAT:
        raise BackupFailed("a newer Workroom made the backup: restore it with that one")
    _check_digest(database, manifest["database_sha256"])
    if "key_sha256" in manifest:
        _check_digest(key, manifest["key_sha256"])
    with open_snapshot(database) as snapshot:
        needed = snapshot.blobs()
    damaged = [id for id, blob in needed.items() if id not in written or not written[id].match(blob)]
    if damaged:
        raise BackupFailed(f"{len(damaged)} files of the backup are missing or damaged: {_some(damaged)}")
    await blobs.delete([each for each in written if each not in needed])


def _check_digest(path: Path, expected: str) -> None:
    if not path.exists():
        raise BackupFailed(f"the backup has no {path.stem}")
    with path.open("rb") as file:
        if hashlib.file_digest(file, "sha256").hexdigest() != expected:
            raise BackupFailed(f"{path.stem} in the backup is damaged: its digest is not the recorded one")


def _some(names: Sequence[str]) -> str:
    return ", ".join(names[:3]) + (" …" if len(names) > 3 else "")


@contextmanager
def _partial_files(data_dir: Path) -> Iterator[tuple[Path, Path]]:
    """Refuse a directory with data in it."""
    for name in (DATABASE, KEY):
        if (data_dir / name).exists():
            raise BackupFailed(f"{data_dir} has data already ({name}): restore into another directory")
    data_dir.mkdir(mode=0o700, parents=True, exist_ok=True)
    database, key = data_dir / f"{DATABASE}.restoring", data_dir / f"{KEY}.restoring"
    try:
        yield database, key
    finally:
        database.unlink(missing_ok=True)
        key.unlink(missing_ok=True)


def _put_in_place(data_dir: Path, database: Path, key: Path) -> None:
    for path, name in ((key, KEY), (database, DATABASE)):
        if path.exists():
            path.chmod(0o600)
            with path.open("rb") as file:
                os.fsync(file.fileno())
            path.replace(data_dir / name)
    descriptor = os.open(data_dir, os.O_RDONLY)
    try:
        os.fsync(descriptor)
    finally:
        os.close(descriptor)
