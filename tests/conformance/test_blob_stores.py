"""Bytes are kept the same wherever an fsspec URL leads, and what was cut leaves nothing."""

from __future__ import annotations

import hashlib
import secrets
from collections.abc import AsyncIterator
from pathlib import Path

import fsspec
import pytest

from workroom.domain.files import Blob
from workroom.errors import StoreUnavailable
from workroom.stores.blobs import BlobStore


class Place:
    """Where blobs are kept, and what is really there."""

    def __init__(self, url: str) -> None:
        self.blobs = BlobStore(url)
        self._fs, self._root = fsspec.core.url_to_fs(url)

    def ids(self) -> list[str]:
        found: list[str] = self._fs.find(self._root) if self._fs.exists(self._root) else []
        return sorted(path.rpartition("/")[2] for path in found)


@pytest.fixture(params=["file", "memory"])
async def place(request: pytest.FixtureRequest, tmp_path: Path) -> AsyncIterator[Place]:
    place = Place(f"file://{tmp_path}/files" if request.param == "file" else f"memory://{tmp_path}")
    yield place
    await place.blobs.aclose()


async def chunks(*pieces: bytes, failure: BaseException | None = None) -> AsyncIterator[bytes]:
    for piece in pieces:
        yield piece
    if failure is not None:
        raise failure


async def content(blobs: BlobStore, blob: Blob, start: int = 0, length: int | None = None) -> bytes:
    wanted = blob.size - start if length is None else length
    return b"".join([piece async for piece in await blobs.read(blob, start, wanted)])


async def test_what_was_written_is_read_whole_and_in_parts(place: Place) -> None:
    body = secrets.token_bytes(3_000_000)
    blob = await place.blobs.write("b1", chunks(body[:10], body[10:2_000_000], body[2_000_000:]))

    assert blob == Blob("b1", len(body), hashlib.sha256(body).hexdigest())
    assert await content(place.blobs, blob) == body
    assert await content(place.blobs, blob, 1_500_000, 1000) == body[1_500_000:1_501_000]


async def test_an_empty_file_is_a_file(place: Place) -> None:
    blob = await place.blobs.write("b1", chunks())

    assert (blob.size, await content(place.blobs, blob)) == (0, b"")
    assert place.ids() == ["b1"]


async def test_an_interrupted_write_leaves_nothing(place: Place) -> None:
    with pytest.raises(ConnectionError):
        await place.blobs.write("b1", chunks(b"x" * 2_000_000, failure=ConnectionError()))

    assert place.ids() == []


async def test_deleting_what_is_not_there_is_no_error(place: Place) -> None:
    blob = await place.blobs.write("b1", chunks(b"one"))
    await place.blobs.delete(["b1", "b1", "nothing"])

    assert place.ids() == []
    with pytest.raises(StoreUnavailable):
        await content(place.blobs, blob)


async def test_a_folder_that_is_not_writable_is_reported(tmp_path: Path) -> None:
    (tmp_path / "files").write_text("in the way")
    place = Place(f"file://{tmp_path}/files")

    with pytest.raises(StoreUnavailable):
        await place.blobs.write("b1", chunks(b"one"))
    await place.blobs.aclose()
