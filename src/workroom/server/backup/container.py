"""The file of a backup: a tar with the blobs, the database, the key, and a manifest at its end."""

from __future__ import annotations

import hashlib
import io
import os
import tarfile
from collections.abc import AsyncIterator, Iterator
from contextlib import contextmanager
from pathlib import Path
from typing import IO, Any

import orjson

from workroom.errors import BackupFailed
from workroom.server.backup.digests import Digests, StoredBlob

FORMAT = 1
DATABASE, KEY, MANIFEST, BLOBS = "workroom.db", "signing.key", "manifest.json", "blobs/"
_CHUNK = 1 << 20


class ContainerWriter:
    def __init__(self, tar: tarfile.TarFile, file: IO[bytes]) -> None:
        self._tar = tar
        self._file = file

    async def add_blob(self, blob: StoredBlob, chunks: AsyncIterator[bytes]) -> None:
        """Raise BackupFailed if the bytes are not those that were recorded."""
        self._tar.addfile(_member(f"{BLOBS}{blob.id}", blob.size))
        digests = Digests()
        async for chunk in digests.of(chunks):
            self._file.write(chunk)
        if not digests.match(blob):
            raise BackupFailed(f"the file {blob.id} is damaged: its bytes are not those that were recorded")
        padding = -blob.size % tarfile.BLOCKSIZE
        self._file.write(bytes(padding))
        self._tar.offset += blob.size + padding

    def add_file(self, name: str, path: Path) -> str:
        """Return the digest."""
        with path.open("rb") as file:
            digest = hashlib.file_digest(file, "sha256").hexdigest()
            file.seek(0)
            self._tar.addfile(_member(name, path.stat().st_size), file)
        return digest

    def add_manifest(self, manifest: dict[str, Any]) -> None:
        content = orjson.dumps(manifest, option=orjson.OPT_INDENT_2)
        self._tar.addfile(_member(MANIFEST, len(content)), io.BytesIO(content))


@contextmanager
def new_container(path: Path) -> Iterator[ContainerWriter]:
    """The file is there under its name once it is whole and on disk; else nothing of it remains."""
    partial = path.with_name(f"{path.name}.partial")
    descriptor = os.open(partial, os.O_WRONLY | os.O_CREAT | os.O_TRUNC, 0o600)  # it has keys and all values
    try:
        with os.fdopen(descriptor, "wb") as file:
            with tarfile.open(fileobj=file, mode="w") as tar:
                yield ContainerWriter(tar, file)
            file.flush()
            os.fsync(file.fileno())
        partial.replace(path)
    except BaseException:
        partial.unlink(missing_ok=True)
        raise


@contextmanager
def open_container(path: Path) -> Iterator[tarfile.TarFile]:
    try:
        with tarfile.open(path, mode="r:") as tar:
            yield tar
    except tarfile.TarError as error:
        raise BackupFailed(f"{path} is not a backup, or is damaged: {error}") from error
    except OSError as error:
        raise BackupFailed(f"cannot read {path}: {error.strerror}") from error


def size_of(tar: tarfile.TarFile) -> int:
    return Path(str(tar.name)).stat().st_size


def content_of(tar: tarfile.TarFile, member: tarfile.TarInfo) -> IO[bytes]:
    content = tar.extractfile(member)
    if content is None:
        raise BackupFailed(f"{member.name} in the backup is not a file")
    return content


async def chunks_of(content: IO[bytes]) -> AsyncIterator[bytes]:
    while chunk := content.read(_CHUNK):
        yield chunk


def _member(name: str, size: int) -> tarfile.TarInfo:
    member = tarfile.TarInfo(name)
    member.size, member.mode = size, 0o600
    return member
