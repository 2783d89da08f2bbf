"""Where two sequences of frames differ, from their indexes. Nothing here does I/O or compares arrays."""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass

from workroom.domain.room_data.frame_index import MAX_EDIT_RUNS, FrameIndex, Needed, part_of, select
from workroom.domain.room_data.frames import Run


@dataclass(frozen=True, slots=True)
class FramesDifference:
    """The frames that were replaced, and those that replaced them: all others are the same."""

    before: range
    after: range


def compare(before: FrameIndex, after: FrameIndex) -> Needed[FramesDifference]:
    """Segments that both have are not read. Where too many others differ, whole segments do."""
    head = _common_ids(before.ids, after.ids)
    tail = _common_ids(before.ids[head:][::-1], after.ids[head:][::-1])
    old, new = _between(before, head, tail), _between(after, head, tail)
    if max(_runs(before, head, tail), _runs(after, head, tail)) > MAX_EDIT_RUNS:
        return FramesDifference(old, new)
    first = _common((yield from select(before, old)), (yield from select(after, new)))
    old, new = old[first:], new[first:]
    last = _common((yield from select(before, old[::-1])), (yield from select(after, new[::-1])))
    return FramesDifference(old[: len(old) - last], new[: len(new) - last])


def _common_ids(ids: Sequence[str], others: Sequence[str]) -> int:
    pairs = enumerate(zip(ids, others, strict=False))
    return next((number for number, (one, other) in pairs if one != other), min(len(ids), len(others)))


def _between(index: FrameIndex, head: int, tail: int) -> range:
    return range(index.starts_at(head), index.starts_at(len(index.ids) - tail))


def _runs(index: FrameIndex, head: int, tail: int) -> int:
    return sum(index.runs[head : len(index.ids) - tail])


def _common(runs: Sequence[Run], others: Sequence[Run]) -> int:
    """How many frames both begin with, however these are divided into runs."""
    left, right = list(reversed(runs)), list(reversed(others))
    count = 0
    while left and right:
        one, other = left.pop(), right.pop()
        same = _alike(one, other)
        count += same
        if same < min(one.count, other.count):
            break
        left += _rest(one, same)
        right += _rest(other, same)
    return count


def _alike(one: Run, other: Run) -> int:
    if (one.piece, one.first) != (other.piece, other.first):
        return 0
    return min(one.count, other.count) if one.step == other.step else 1


def _rest(run: Run, skipped: int) -> list[Run]:
    return [part_of(run, skipped, run.count - skipped)] if skipped < run.count else []
