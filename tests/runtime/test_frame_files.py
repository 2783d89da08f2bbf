"""Frames in .wrf and .npz files."""

from __future__ import annotations

from pathlib import Path
from typing import Any

import numpy as np
import pytest

from workroom.errors import InvalidFrames
from workroom.runtime.frames.encoder import encode_frames
from workroom.runtime.frames.files import open_frames, suffix_of, write_arrays, write_messages

FRAMES = [{"positions": np.full((2, 3), index / 7), "file": index, "name": "a" * index} for index in range(5)]


def _save(path: Path, *messages: bytes) -> list[int]:
    write = write_arrays if path.suffix == ".npz" else write_messages
    with path.open("wb") as file:
        return list(write(messages, file))


@pytest.mark.parametrize("suffix", [".wrf", ".npz"])
def test_frames_are_read_as_they_were_written(tmp_path: Path, suffix: str) -> None:
    path = tmp_path / f"trajectory{suffix}"

    assert _save(path, encode_frames(FRAMES[:2]), encode_frames(FRAMES[2:])) == [2, 3]

    found = open_frames(path)
    assert len(found) == 5
    for one, other in zip(found, FRAMES, strict=True):
        np.testing.assert_array_equal(one["positions"], other["positions"])
        assert (one["file"], one["name"]) == (other["file"], other["name"])


@pytest.mark.parametrize("suffix", [".wrf", ".npz"])
def test_a_file_may_have_no_frames(tmp_path: Path, suffix: str) -> None:
    path = tmp_path / f"none{suffix}"
    _save(path, encode_frames([]))

    assert (len(open_frames(path)), list(open_frames(path))) == (0, [])


def test_a_wrf_file_holds_frames_of_any_shape(tmp_path: Path) -> None:
    path = tmp_path / "any.WRF"
    frames: list[Any] = [{"a": np.zeros(3), "v": [1, None]}, {}, {"b": np.arange(5, dtype="i1")}]
    _save(path, encode_frames(frames))

    assert [list(frame) for frame in open_frames(path)] == [["a", "v"], [], ["b"]]


@pytest.mark.parametrize(
    ("frames", "message"),
    [
        ([{"a": 1}, {"b": 1}], "the frames have different keys"),
        ([{"a": np.zeros(3)}, {"a": np.zeros(4)}], "'a' has different shapes"),
        ([{"a": None}], "an .npz file cannot hold 'a'"),
        ([{"a": [1, 2]}], "an .npz file cannot hold 'a'"),
    ],
)
def test_an_npz_file_cannot_hold_frames_that_differ(tmp_path: Path, frames: Any, message: str) -> None:
    with pytest.raises(ValueError, match=message):
        _save(tmp_path / "a.npz", encode_frames(frames))


def test_what_is_no_file_of_frames_is_refused(tmp_path: Path) -> None:
    path = tmp_path / "short.wrf"
    _save(path, encode_frames(FRAMES))
    whole = path.read_bytes()

    with pytest.raises(ValueError, match=r"'a\.txt' is neither a \.wrf nor an \.npz file"):
        suffix_of(Path("a.txt"))
    for broken in (whole[:-50], whole[:20], b"PK" + whole):
        path.write_bytes(broken)
        with pytest.raises(InvalidFrames):
            list(open_frames(path))
    np.savez(tmp_path / "rows.npz", a=np.zeros(2), b=np.zeros(3))
    with pytest.raises(ValueError, match="do not have the same number of rows"):
        open_frames(tmp_path / "rows.npz")
