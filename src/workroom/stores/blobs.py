"""Blobs in any file system of fsspec: a local directory by default, or an object store.

fsspec runs in a small pool of threads, so nothing blocks the event loop.
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

from workroom.domain.files import Blob, BlobRange
from workroom.errors import StoreUnavailable
from workroom.stores.direct_files import write_synced
from workroom.stores.open_files import OpenFiles

T = TypeVar("T")
_THREADS = 4
_BUFFER = 1 << 20  # bytes per write
_CHUNK = 1 << 18  # bytes per read


class BlobStore:
    """Writes each blob once, under a random id; blobs never change."""

    def __init__(self, url: str, *, relaxed: bool = False) -> None:
        self._fs, self._root = url_to_fs(url)
        self._is_local = isinstance(self._fs, LocalFileSystem)
        self._is_synced = self._is_local and not relaxed
        self._threads = ThreadPoolExecutor(_THREADS, "workroom-files")
        self._opened = OpenFiles()
        self._folders: set[str] = set()  # that exist, and whose names are on disk

    @property
    def is_remote(self) -> bool:
        return not self._is_local

    async def write(self, blob_id: str, chunks: AsyncIterator[bytes]) -> Blob:
        """Write a blob from chunks. If that fails, nothing remains of it."""
        file = await self._run(self._create, blob_id)
        try:
            size, digest = await self._copy(chunks, file)
            await self._run(self._finish, file, blob_id)
        except BaseException:
            await asyncio.shield(self._run(self._discard, file, blob_id))
            raise
        return Blob(blob_id, size, digest)

    async def read(self, blob: Blob, start: int, length: int) -> AsyncIterator[bytes]:
        """Open part of a blob. A missing blob raises here, before a response has begun."""
        return self._chunks(await self._run(self._open, blob.id, start), length)

    async def _chunks(self, file: Any, length: int) -> AsyncIterator[bytes]:
        try:
            while length > 0:
                chunk: bytes = await self._run(file.read, min(_CHUNK, length))
                if not chunk:
                    raise StoreUnavailable("a file is shorter than its recorded size")
                length -= len(chunk)
                yield chunk
        finally:
            file.close()

    async def write_whole(self, blob_id: str, content: bytes | memoryview, sha256: str) -> Blob:
        writing = asyncio.ensure_future(self._run(self._write_whole, blob_id, content))
        try:
            await asyncio.shield(writing)
        except BaseException:
            await asyncio.shield(self._remove_after(writing, blob_id))
            raise
        return Blob(blob_id, len(content), sha256)

    async def read_ranges(self, ranges: Sequence[BlobRange]) -> list[bytes]:
        """One visit to a thread; none if the files are open and the system has these bytes in memory."""
        if self._is_local:
            found = self._opened.read_cached(ranges)
            if found is None:
                found = await self._run(self._read_local, ranges)
        else:
            found = await asyncio.gather(*(self._run(self._read_remote, each) for each in ranges))
        if any(len(content) < each.length for content, each in zip(found, ranges, strict=True)):
            raise StoreUnavailable("a file is shorter than its recorded size")
        return found

    async def delete(self, blob_ids: Sequence[str]) -> None:
        """Delete blobs, ignoring those that do not exist."""
        for blob_id in blob_ids:
            self._opened.close(blob_id)
            await self._run(self._remove, blob_id)

    async def aclose(self) -> None:
        await asyncio.to_thread(self._threads.shutdown)
        self._opened.close_all()

    async def _copy(self, chunks: AsyncIterator[bytes], file: Any) -> tuple[int, str]:
        digest, size = hashlib.sha256(), 0
        buffer: list[bytes] = []
        buffered = 0

        def put(buffer: list[bytes]) -> None:
            for chunk in buffer:
                digest.update(chunk)
                file.write(chunk)

        async for chunk in chunks:
            size += len(chunk)
            buffered += len(chunk)
            buffer.append(chunk)
            if buffered >= _BUFFER:
                await self._run(put, buffer)
                buffer, buffered = [], 0
        await self._run(put, buffer)
        return size, digest.hexdigest()

    def _path(self, blob_id: str) -> str:
        return f"{self._root}/{blob_id[-2:]}/{blob_id}"

    def _create(self, blob_id: str) -> Any:
        self._make_folder(blob_id)
        return self._fs.open(self._path(blob_id), "wb")

    def _make_folder(self, blob_id: str) -> None:
        folder = self._path(blob_id).rpartition("/")[0]
        if folder not in self._folders:
            self._fs.makedirs(folder, exist_ok=True)

    def _write_whole(self, blob_id: str, content: bytes | memoryview) -> None:
        if not self._is_synced:
            with self._create(blob_id) as file:
                file.write(content)
            return
        self._make_folder(blob_id)
        write_synced(self._path(blob_id), content)
        self._sync_folder(blob_id)

    def _sync_folder(self, blob_id: str) -> None:
        """Sync the folder, or a new name may be lost in a crash; once, also the folder that has its name."""
        folder = Path(self._path(blob_id)).parent
        _sync(folder)
        if str(folder) not in self._folders:
            _sync(folder.parent)
            self._folders.add(str(folder))

    def _read_local(self, ranges: Sequence[BlobRange]) -> list[bytes]:
        return [self._opened.read(self._path(each.blob.id), each) for each in ranges]

    def _read_remote(self, wanted: BlobRange) -> bytes:
        path, end = self._path(wanted.blob.id), wanted.start + wanted.length
        found: bytes = self._fs.cat_file(path, start=wanted.start, end=end) if wanted.length else b""
        return found

    def _open(self, blob_id: str, start: int) -> Any:
        file = self._fs.open(self._path(blob_id), "rb")
        file.seek(start)
        return file

    def _finish(self, file: Any, blob_id: str) -> None:
        """Close the file; on a local disk, sync it first, since records that refer to it follow."""
        if self._is_synced:
            file.flush()
            os.fsync(file.fileno())
        file.close()
        if self._is_synced:
            self._sync_folder(blob_id)

    def _discard(self, file: Any, blob_id: str) -> None:
        if not file.closed:
            with contextlib.suppress(Exception):  # not every file system supports discard
                file.discard()
            with contextlib.suppress(Exception):  # closing may try to flush again
                file.close()
        self._remove(blob_id)

    async def _remove_after(self, writing: asyncio.Future[None], blob_id: str) -> None:
        """A thread goes on writing if the request is cancelled."""
        await asyncio.wait([writing])
        await self._run(self._remove, blob_id)

    def _remove(self, blob_id: str) -> None:
        with contextlib.suppress(FileNotFoundError):
            self._fs.rm_file(self._path(blob_id))

    async def _run(self, act: Callable[..., T], *args: Any) -> T:
        loop = asyncio.get_running_loop()
        try:
            return await loop.run_in_executor(self._threads, act, *args)
        except FileNotFoundError as error:
            raise StoreUnavailable("a file is missing from the blob store") from error
        except OSError as error:
            raise StoreUnavailable(f"the blob store failed: {error.strerror or error}") from error


def _sync(folder: Path) -> None:
    descriptor = os.open(folder, os.O_RDONLY)
    try:
        os.fsync(descriptor)
    finally:
        os.close(descriptor)
