"""The index of a room's frames: which segments of runs make up the sequence.

An index knows the id and the size of each segment, not its runs. The functions here are generators that yield
the ids of the segments that they need and are sent these segments, so that a change reads and writes only the
segments that it touches, and nothing here does I/O.
"""

from __future__ import annotations

import hashlib
import struct
from bisect import bisect_right
from collections.abc import Generator, Iterable, Mapping, Sequence
from dataclasses import dataclass, field
from itertools import accumulate, pairwise
from typing import TypeVar

from workroom.domain.room_data.frames import Run, Segment
from workroom.errors import InvalidRequest

T = TypeVar("T")
MAX_SEGMENT_RUNS = 256
MAX_EDIT_RUNS = 100_000
"""Runs that one change may read or write, and frames that one with a step may change."""
_ID_BYTES = 16
_COUNT = struct.Struct("<I")
_SEGMENT_HEAD = struct.Struct("<HH")
_RUN = struct.Struct("<HIIiI")
_DIGEST_BYTES = 32


@dataclass(frozen=True, slots=True)
class Runs:
    """The runs of a segment; `ends` are where each of them ends, counted from the segment's first frame."""

    runs: tuple[Run, ...]
    ends: tuple[int, ...]


Needed = Generator[Sequence[str], Mapping[str, Runs], T]


@dataclass(frozen=True, slots=True)
class FrameIndex:
    """For each segment: its id, and how many frames, runs and bytes it has. `ends` is where it ends."""

    ids: tuple[str, ...] = ()
    frames: tuple[int, ...] = ()
    runs: tuple[int, ...] = ()
    sizes: tuple[int, ...] = ()
    ends: tuple[int, ...] = field(init=False, compare=False)
    bytes: int = field(init=False, compare=False)

    def __post_init__(self) -> None:
        object.__setattr__(self, "ends", tuple(accumulate(self.frames)))
        object.__setattr__(self, "bytes", sum(self.sizes))

    @property
    def length(self) -> int:
        return self.ends[-1] if self.ends else 0

    def starts_at(self, segment: int) -> int:
        """The index of a segment's first frame."""
        return self.ends[segment - 1] if segment else 0

    def segment_of(self, position: int) -> int:
        """The number of the segment that has this frame; one beyond the last for the end of the sequence."""
        return bisect_right(self.ends, position)


@dataclass(frozen=True, slots=True)
class Spliced:
    """An index after a change, and the segments that are new in it."""

    index: FrameIndex
    segments: tuple[Segment, ...]


EMPTY = FrameIndex()


def encode_index(index: FrameIndex) -> bytes:
    count = len(index.ids)
    return b"".join(
        (
            _COUNT.pack(count),
            bytes.fromhex("".join(index.ids)),
            struct.pack(f"<{count}I{count}H{count}Q", *index.frames, *index.runs, *index.sizes),
        )
    )


def decode_index(content: bytes) -> FrameIndex:
    (count,) = _COUNT.unpack_from(content)
    ids, numbers_at = content[_COUNT.size :].hex(), _COUNT.size + count * _ID_BYTES
    numbers = struct.unpack_from(f"<{count}I{count}H{count}Q", content, numbers_at)
    width = 2 * _ID_BYTES
    return FrameIndex(
        tuple(ids[at : at + width] for at in range(0, count * width, width)),
        numbers[:count],
        numbers[count : 2 * count],
        numbers[2 * count :],
    )


def encode_segment(runs: Sequence[Run]) -> Segment:
    pieces = {piece: number for number, piece in enumerate(dict.fromkeys(run.piece for run in runs))}
    packed = [_RUN.pack(pieces[run.piece], run.first, run.count, run.step, run.frame_bytes) for run in runs]
    head = _SEGMENT_HEAD.pack(len(pieces), len(runs))
    content = b"".join((head, bytes.fromhex("".join(pieces)), *packed))
    return Segment(hashlib.sha256(content).digest()[:_ID_BYTES].hex(), content)


def decode_segment(content: bytes) -> Runs:
    pieces, _ = _SEGMENT_HEAD.unpack_from(content)
    runs_at = _SEGMENT_HEAD.size + pieces * _DIGEST_BYTES
    names, width = content[_SEGMENT_HEAD.size : runs_at].hex(), 2 * _DIGEST_BYTES
    runs = tuple(
        Run(names[piece * width : (piece + 1) * width], first, count, step, frame_bytes)
        for piece, first, count, step, frame_bytes in _RUN.iter_unpack(content[runs_at:])
    )
    return Runs(runs, tuple(accumulate(run.count for run in runs)))


def select(index: FrameIndex, positions: range | Sequence[int]) -> Needed[list[Run]]:
    """The runs of these frames, in this order. All positions must exist."""
    if not isinstance(positions, range):
        return (yield from _select_each(index, positions))
    if positions.step > 0:
        return (yield from _select_range(index, positions))
    upwards = yield from _select_range(index, positions[::-1])
    return [_reversed(run) for run in reversed(upwards)]


def splice(index: FrameIndex, start: int, stop: int, runs: Sequence[Run]) -> Needed[Spliced]:
    """Replace the frames from `start` to `stop` by these runs.

    Segments that only a part of remains of are written anew. What is written is joined with neighbours of up
    to twice its size, so that repeated appends write little and leave few small segments.
    """
    first, last = index.segment_of(start), index.segment_of(stop)
    partial = [number for number in {first, last} if index.starts_at(number) < (start, stop)[number == last]]
    loaded = yield [index.ids[number] for number in partial]
    before = _until(loaded[index.ids[first]], start - index.starts_at(first)) if first in partial else []
    after = _since(loaded[index.ids[last]], stop - index.starts_at(last)) if last in partial else []
    end = last + 1 if last in partial else last
    written = join([*before, *runs, *after])
    while written:
        side = _neighbour(index, first, end, len(written))
        if side is None:
            break
        neighbour = (yield [index.ids[side]])[index.ids[side]].runs
        written = join([*neighbour, *written] if side < first else [*written, *neighbour])
        first, end = min(first, side), max(end, side + 1)
    return _replace(index, first, end, written)


def replace_each(index: FrameIndex, positions: range, runs: Sequence[Run]) -> Needed[Spliced]:
    """Replace each of these frames by one of the runs' frames; without runs, delete them."""
    if len(positions) == 0:
        return Spliced(index, ())
    if positions.step < 0:
        positions, runs = positions[::-1], [_reversed(run) for run in reversed(runs)]
    if positions.step == 1:
        return (yield from splice(index, positions.start, positions.stop, runs))
    if len(positions) > MAX_EDIT_RUNS:
        raise too_large()
    start, stop = positions[0], positions[-1] + 1
    old, new = _Reader((yield from select(index, range(start, stop)))), _Reader(runs)
    kept: list[Run] = []
    for _ in positions:
        old.take(1)
        kept += new.take(1)
        kept += old.take(positions.step - 1)
    return (yield from splice(index, start, stop, kept))


def join(runs: Iterable[Run]) -> list[Run]:
    """The same frames in as few runs as possible."""
    joined: list[Run] = []
    for run in runs:
        both = _joined(joined[-1], run) if joined else None
        if both is not None:
            joined[-1] = both
        elif run.count:
            joined.append(run)
    return joined


def length_of(runs: Iterable[Run]) -> int:
    return sum(run.count for run in runs)


def too_large() -> InvalidRequest:
    return InvalidRequest(
        f"this concerns more than {MAX_EDIT_RUNS:,} separate parts of the sequence: "
        "divide it into several requests",
        max_runs=MAX_EDIT_RUNS,
    )


def _select_each(index: FrameIndex, positions: Sequence[int]) -> Needed[list[Run]]:
    numbers = [index.segment_of(position) for position in positions]
    loaded = yield [index.ids[number] for number in dict.fromkeys(numbers)]
    runs = []
    for position, number in zip(positions, numbers, strict=True):
        segment, within = loaded[index.ids[number]], position - index.starts_at(number)
        at = bisect_right(segment.ends, within)
        skipped = within - (segment.ends[at - 1] if at else 0)
        runs.append(part_of(segment.runs[at], skipped, 1))
    return join(runs)


def _select_range(index: FrameIndex, wanted: range) -> Needed[list[Run]]:
    if not wanted:
        return []
    numbers = [
        number
        for number in range(index.segment_of(wanted[0]), index.segment_of(wanted[-1]) + 1)
        if _hits(wanted, index.starts_at(number), index.ends[number])
    ]
    if sum(index.runs[number] for number in numbers) > MAX_EDIT_RUNS:
        raise too_large()
    loaded = yield [index.ids[number] for number in numbers]
    found: list[Run] = []
    for number in numbers:
        start, segment = index.starts_at(number), loaded[index.ids[number]]
        for run, end in zip(segment.runs, segment.ends, strict=True):
            hits = _hits(wanted, start + end - run.count, start + end)
            if hits:
                found.append(part_of(run, hits[0] - (start + end - run.count), len(hits), wanted.step))
    return join(found)


def _hits(wanted: range, start: int, stop: int) -> range:
    """The elements of an ascending range from `start` to `stop`."""
    first = max(0, -(-(start - wanted.start) // wanted.step))
    return wanted[first : max(first, -(-(stop - wanted.start) // wanted.step))]


def _neighbour(index: FrameIndex, first: int, end: int, count: int) -> int | None:
    """The number of a segment beside these that should be joined with `count` runs in their place."""
    for side in (first - 1, end):
        if 0 <= side < len(index.ids):
            runs = index.runs[side]
            if runs <= 2 * count and runs + count <= MAX_SEGMENT_RUNS:
                return side
    return None


def _replace(index: FrameIndex, first: int, end: int, runs: list[Run]) -> Spliced:
    if len(runs) > MAX_EDIT_RUNS:
        raise too_large()
    groups = _divided(runs)
    segments = [encode_segment(group) for group in groups]
    changed = FrameIndex(
        (*index.ids[:first], *(segment.id for segment in segments), *index.ids[end:]),
        (*index.frames[:first], *(length_of(group) for group in groups), *index.frames[end:]),
        (*index.runs[:first], *(len(group) for group in groups), *index.runs[end:]),
        (*index.sizes[:first], *(_size_of(group) for group in groups), *index.sizes[end:]),
    )
    return Spliced(changed, tuple({segment.id: segment for segment in segments}.values()))


def _divided(runs: list[Run]) -> list[list[Run]]:
    """Groups of equal size, none of them too large for a segment."""
    count = -(-len(runs) // MAX_SEGMENT_RUNS)
    bounds = [len(runs) * number // count for number in range(count + 1)] if count else []
    return [runs[low:high] for low, high in pairwise(bounds)]


def _size_of(runs: Iterable[Run]) -> int:
    return sum(run.count * run.frame_bytes for run in runs)


def _until(segment: Runs, frames: int) -> list[Run]:
    return _Reader(segment.runs).take(frames)


def _since(segment: Runs, frames: int) -> list[Run]:
    reader = _Reader(segment.runs)
    reader.take(frames)
    return reader.take(segment.ends[-1] - frames)


class _Reader:
    """Takes frames from the front of some runs."""

    def __init__(self, runs: Sequence[Run]) -> None:
        self._runs = runs
        self._at = 0
        self._used = 0  # frames of the run at `_at`

    def take(self, frames: int) -> list[Run]:
        taken = []
        while frames and self._at < len(self._runs):
            run = self._runs[self._at]
            count = min(frames, run.count - self._used)
            taken.append(part_of(run, self._used, count))
            frames -= count
            self._used += count
            if self._used == run.count:
                self._at, self._used = self._at + 1, 0
        return taken


def part_of(run: Run, skipped: int, count: int, step: int = 1) -> Run:
    step = run.step * step if count > 1 else 1
    return Run(run.piece, run.first + skipped * run.step, count, step, run.frame_bytes)


def _reversed(run: Run) -> Run:
    last = run.first + (run.count - 1) * run.step
    return Run(run.piece, last, run.count, -run.step, run.frame_bytes)


def _joined(run: Run, following: Run) -> Run | None:
    """Both runs as one. A run of one frame has any step."""
    if run.piece != following.piece or not run.count or not following.count:
        return None
    step = following.step if run.count == 1 and following.count > 1 else run.step
    if run.count == following.count == 1:
        step = following.first - run.first
    is_even = following.count == 1 or following.step == step
    follows = following.first == run.first + run.count * step and step != 0
    if not (is_even and follows):
        return None
    return Run(run.piece, run.first, run.count + following.count, step, run.frame_bytes)
