"""Bytes of any size, kept where an fsspec URL says: a directory by default, an object store if you like.

Nothing here blocks the loop: every call of fsspec runs in a small pool of threads.
"""

from __future__ import annotations

import asyncio
import contextlib
import hashlib
import os
from collections.abc import AsyncIterator, Callable, Sequence
from concurrent.futures import ThreadPoolExecutor
from pathlib import Path
from typing import Any, TypeVar

from fsspec.core import url_to_fs
from fsspec.implementations.local import LocalFileSystem

from workroom.domain.files import Blob
from workroom.errors import StoreUnavailable

T = TypeVar("T")
_THREADS = 4
_BUFFER = 1 << 20  # so much is gathered before a thread is asked to write it
_CHUNK = 1 << 18  # so much is read at once


class BlobStore:
    """A blob is written once, under a random id, and never changes."""

    def __init__(self, url: str, *, relaxed: bool = False) -> None:
        self._fs, self._root = url_to_fs(url)
        self._is_synced = isinstance(self._fs, LocalFileSystem) and not relaxed
        self._threads = ThreadPoolExecutor(_THREADS, "workroom-files")

    async def write(self, blob_id: str, chunks: AsyncIterator[bytes]) -> Blob:
        """Write what comes. If it ends early or cannot be written, nothing is left."""
        file = await self._run(self._create, blob_id)
        try:
            size, digest = await self._copy(chunks, file)
            await self._run(self._finish, file, blob_id)
        except BaseException:
            await asyncio.shield(self._run(self._give_up, file, blob_id))
            raise
        return Blob(blob_id, size, digest)

    async def read(self, blob: Blob, start: int, length: int) -> AsyncIterator[bytes]:
        """A part of a blob, opened here, so that what is missing is told before anything is answered."""
        return self._pieces(await self._run(self._open, blob.id, start), length)

    async def _pieces(self, file: Any, length: int) -> AsyncIterator[bytes]:
        try:
            while length > 0:
                piece: bytes = await self._run(file.read, min(_CHUNK, length))
                if not piece:
                    raise StoreUnavailable("a file is shorter than it was")
                length -= len(piece)
                yield piece
        finally:
            file.close()

    async def delete(self, blob_ids: Sequence[str]) -> None:
        """Those that are not there are gone already."""
        for blob_id in blob_ids:
            await self._run(self._remove, blob_id)

    async def aclose(self) -> None:
        await asyncio.to_thread(self._threads.shutdown)

    async def _copy(self, chunks: AsyncIterator[bytes], file: Any) -> tuple[int, str]:
        digest, size = hashlib.sha256(), 0
        waiting: list[bytes] = []
        gathered = 0

        def put(pieces: list[bytes]) -> None:
            for piece in pieces:
                digest.update(piece)
                file.write(piece)

        async for chunk in chunks:
            size += len(chunk)
            gathered += len(chunk)
            waiting.append(chunk)
            if gathered >= _BUFFER:
                await self._run(put, waiting)
                waiting, gathered = [], 0
        await self._run(put, waiting)
        return size, digest.hexdigest()

    def _path(self, blob_id: str) -> str:
        return f"{self._root}/{blob_id[-2:]}/{blob_id}"

    def _create(self, blob_id: str) -> Any:
        path = self._path(blob_id)
        self._fs.makedirs(path.rpartition("/")[0], exist_ok=True)
        return self._fs.open(path, "wb")

    def _open(self, blob_id: str, start: int) -> Any:
        file = self._fs.open(self._path(blob_id), "rb")
        file.seek(start)
        return file

    def _finish(self, file: Any, blob_id: str) -> None:
        """On a disk, it is there once the disk has it: what refers to it must not come before it."""
        if self._is_synced:
            file.flush()
            os.fsync(file.fileno())
        file.close()
        if self._is_synced:
            _sync_directory(Path(self._path(blob_id)).parent)

    def _give_up(self, file: Any, blob_id: str) -> None:
        if not file.closed:
            with contextlib.suppress(Exception):  # not every file system has parts to throw away
                file.discard()
            with contextlib.suppress(Exception):  # closing may try to write what cannot be written
                file.close()
        self._remove(blob_id)

    def _remove(self, blob_id: str) -> None:
        with contextlib.suppress(FileNotFoundError):
            self._fs.rm_file(self._path(blob_id))

    async def _run(self, act: Callable[..., T], *args: Any) -> T:
        loop = asyncio.get_running_loop()
        try:
            return await loop.run_in_executor(self._threads, act, *args)
        except FileNotFoundError as error:
            raise StoreUnavailable("a file that should be there is not") from error
        except OSError as error:
            raise StoreUnavailable(f"the files cannot be used: {error.strerror or error}") from error


def _sync_directory(folder: Path) -> None:
    """A new name is there only once its directory is on disk too."""
    for each in (folder, folder.parent):
        descriptor = os.open(each, os.O_RDONLY)
        try:
            os.fsync(descriptor)
        finally:
            os.close(descriptor)
