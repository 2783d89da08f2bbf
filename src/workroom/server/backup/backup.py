"""Makes a backup. The server goes on, and may delete blobs of the snapshot before they are copied."""

from __future__ import annotations

from dataclasses import dataclass
from datetime import UTC, datetime
from pathlib import Path
from tempfile import TemporaryDirectory
from typing import Any

from workroom import __version__
from workroom.domain.files import Blob
from workroom.errors import BackupFailed, StoreUnavailable
from workroom.ports import Blobs
from workroom.server.backup.container import DATABASE, FORMAT, KEY, ContainerWriter, new_container
from workroom.server.backup.digests import StoredBlob
from workroom.server.backup.snapshot import Progress, open_snapshot, take_snapshot

_MAX_SNAPSHOTS = 20


@dataclass(frozen=True, slots=True)
class Source:
    """`key` is the file with the signing key, if the server made one."""

    database: Path
    blobs: Blobs
    key: Path | None


async def back_up(source: Source, path: Path, progress: Progress) -> dict[str, Any]:
    """Write the backup and return its manifest. Raises BackupFailed.

    A blob that is gone was deleted after the snapshot: a newer one does not refer to it. What was copied
    before is kept, so that each further snapshot needs fewer blobs.
    """
    with (
        TemporaryDirectory(prefix="workroom-backup-", dir=path.parent) as folder,
        new_container(path) as container,
    ):
        copied: set[str] = set()
        copy = Path(folder) / DATABASE
        for _ in range(_MAX_SNAPSHOTS):
            take_snapshot(source.database, copy, progress)
            with open_snapshot(copy) as snapshot:
                blobs = snapshot.blobs()
                if await _copy_all(source.blobs, blobs, container, copied, progress):
                    return _finish(container, source, copy, snapshot.epoch, snapshot.counts(), blobs)
        raise BackupFailed("files of the database are missing in the blob store, also after several tries")


async def _copy_all(
    store: Blobs,
    blobs: dict[str, StoredBlob],
    container: ContainerWriter,
    copied: set[str],
    progress: Progress,
) -> bool:
    """Return False if some are gone. Those that are there are copied all the same."""
    total = sum(blob.size for blob in blobs.values())
    done = sum(blob.size for blob in blobs.values() if blob.id in copied)
    is_whole = True
    for blob in blobs.values():
        if blob.id in copied:
            continue
        try:
            chunks = await store.read(Blob(blob.id, blob.size, blob.digest), 0, blob.size)
        except StoreUnavailable as error:
            if not isinstance(error.__cause__, FileNotFoundError):
                raise BackupFailed(f"cannot read the file {blob.id}: {error.detail}") from error
            is_whole = False
            continue
        await container.add_blob(blob, chunks)
        copied.add(blob.id)
        done += blob.size
        progress(done, total)
    return is_whole


def _finish(
    container: ContainerWriter,
    source: Source,
    copy: Path,
    epoch: str,
    counts: dict[str, int],
    blobs: dict[str, StoredBlob],
) -> dict[str, Any]:
    manifest: dict[str, Any] = {
        "format": FORMAT,
        "version": __version__,
        "created_at": datetime.now(UTC).isoformat(),
        "epoch": epoch,
        **counts,
        "files": len(blobs),
        "bytes": sum(blob.size for blob in blobs.values()),
        "database_sha256": container.add_file(DATABASE, copy),
    }
    if source.key is not None:
        manifest["key_sha256"] = container.add_file(KEY, source.key)
    container.add_manifest(manifest)
    return manifest
