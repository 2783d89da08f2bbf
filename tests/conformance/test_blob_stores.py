"""Bytes are kept the same wherever an fsspec URL leads, and what was cut leaves nothing."""

from __future__ import annotations

import hashlib
import mmap
import secrets
from collections.abc import AsyncIterator, Iterator
from pathlib import Path

import fsspec
import pytest

from support.stores.s3 import s3_bucket
from workroom.domain.files import Blob, BlobRange
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


@pytest.fixture(scope="session")
def bucket() -> Iterator[str]:
    with s3_bucket() as url:
        yield url


@pytest.fixture(params=["file", "memory", "s3"])
async def place(request: pytest.FixtureRequest, tmp_path: Path, bucket: str) -> AsyncIterator[Place]:
    folder = secrets.token_hex(8)
    urls = {
        "file": f"file://{tmp_path}/files",
        "memory": f"memory://{tmp_path}",
        "s3": f"{bucket}/{folder}",
    }
    place = Place(urls[request.param])
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


async def test_a_blob_that_is_in_memory_is_written_at_once(place: Place) -> None:
    body = memoryview(bytearray(secrets.token_bytes(1_000_000)))
    digest = hashlib.sha256(body).hexdigest()
    blob = await place.blobs.write_whole("b1", body, digest)

    assert blob == Blob("b1", len(body), digest)
    assert await content(place.blobs, blob) == body


def mapped(body: bytes) -> memoryview:
    """In memory as requests receive it: aligned."""
    memory = memoryview(mmap.mmap(-1, len(body)))
    memory[:] = body
    return memory


@pytest.mark.parametrize("size", [2**20 - 1, 2**20, 2**20 + 1, 4_209_683])
@pytest.mark.parametrize("is_aligned", [True, False])
async def test_a_large_blob_is_written_whole_whatever_its_size_and_place_in_memory(
    place: Place, size: int, is_aligned: bool
) -> None:
    body = secrets.token_bytes(size)
    given = mapped(body) if is_aligned else memoryview(mapped(b"-" + body))[1:]
    blob = await place.blobs.write_whole("b1", given, "")

    assert await content(place.blobs, blob) == body
    parts = [BlobRange(blob, size - 5, 5), BlobRange(blob, 0, 3), BlobRange(blob, size // 2, 7)]
    for _ in range(2):
        found = await place.blobs.read_ranges(parts)
        assert found == [body[-5:], body[:3], body[size // 2 : size // 2 + 7]]


async def test_a_large_blob_that_is_written_again_has_the_new_bytes_alone(place: Place) -> None:
    await place.blobs.write_whole("b1", mapped(b"x" * 3_000_000), "")
    blob = await place.blobs.write_whole("b1", mapped(b"y" * 2_000_000), "")

    assert await content(place.blobs, blob) == b"y" * 2_000_000
    with pytest.raises(StoreUnavailable):
        await place.blobs.read_ranges([BlobRange(blob, 2_000_000, 1)])


async def test_several_parts_are_read_in_order_the_first_time_and_again(place: Place) -> None:
    first = await place.blobs.write("b1", chunks(b"0123456789" * 100))
    second = await place.blobs.write("b2", chunks(b"abcdefghij" * 100))
    wanted = [
        BlobRange(second, 993, 7),
        BlobRange(first, 0, 3),
        BlobRange(first, 10, 0),
        BlobRange(first, 5, 10),
    ]

    for _ in range(2):
        assert await place.blobs.read_ranges(wanted) == [b"defghij", b"012", b"", b"5678901234"]


async def test_a_part_beyond_the_end_or_of_a_missing_blob_is_refused(place: Place) -> None:
    blob = await place.blobs.write("b1", chunks(b"0123456789"))

    for _ in range(2):
        with pytest.raises(StoreUnavailable):
            await place.blobs.read_ranges([BlobRange(blob, 0, 5), BlobRange(blob, 5, 6)])
    with pytest.raises(StoreUnavailable):
        await place.blobs.read_ranges([BlobRange(Blob("b2", 10, ""), 0, 5)])


async def test_a_deleted_blob_is_not_read_from_an_open_file(place: Place) -> None:
    blob = await place.blobs.write("b1", chunks(b"0123456789"))
    await place.blobs.read_ranges([BlobRange(blob, 0, 5)])
    await place.blobs.delete(["b1"])

    with pytest.raises(StoreUnavailable):
        await place.blobs.read_ranges([BlobRange(blob, 0, 5)])


def open_files() -> list[Path]:
    return list(Path("/proc/self/fd").iterdir())


async def test_many_files_are_read_while_few_remain_open(tmp_path: Path) -> None:
    place = Place(f"file://{tmp_path}/files")
    blobs = [await place.blobs.write_whole(f"b{number}", b"%d" % number, "") for number in range(600)]
    before = len(open_files())

    found = await place.blobs.read_ranges([BlobRange(blob, 0, blob.size) for blob in blobs])
    assert found == [b"%d" % number for number in range(600)]
    assert len(open_files()) - before < 300

    await place.blobs.aclose()
    assert len(open_files()) <= before
