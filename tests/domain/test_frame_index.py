"""An index of frames behaves like a list, and a change of it touches few segments."""

from __future__ import annotations

import hashlib
from collections.abc import Sequence
from typing import TypeVar

import pytest
from hypothesis import given, settings
from hypothesis import strategies as st

from workroom.domain.room_data.frame_differences import compare
from workroom.domain.room_data.frame_index import (
    EMPTY,
    MAX_EDIT_RUNS,
    MAX_SEGMENT_RUNS,
    FrameIndex,
    Needed,
    Spliced,
    decode_index,
    decode_segment,
    encode_index,
    join,
    length_of,
    replace_each,
    select,
    splice,
)
from workroom.domain.room_data.frames import Run
from workroom.errors import InvalidRequest

T = TypeVar("T")
Frame = tuple[str, int]


def piece(number: int) -> str:
    return hashlib.sha256(str(number).encode()).hexdigest()


class Sequenced:
    """An index with its segments, and how many segments were read and written."""

    def __init__(self) -> None:
        self.index = EMPTY
        self.contents: dict[str, bytes] = {}
        self.read = self.written = 0

    def run(self, needed: Needed[T]) -> T:
        try:
            ids = next(needed)
            while True:
                self.read += len(ids)
                ids = needed.send({each: decode_segment(self.contents[each]) for each in ids})
        except StopIteration as end:
            return end.value  # type: ignore[no-any-return]

    def apply(self, needed: Needed[Spliced]) -> None:
        spliced = self.run(needed)
        self.written += len(spliced.segments)
        self.contents.update({each.id: each.content for each in spliced.segments})
        self.index = decode_index(encode_index(spliced.index))
        assert self.index == spliced.index

    def splice(self, start: int, stop: int, runs: Sequence[Run]) -> None:
        self.apply(splice(self.index, start, stop, runs))

    def frames(self, positions: range | Sequence[int] | None = None) -> list[Frame]:
        wanted = range(self.index.length) if positions is None else positions
        return expand(self.run(select(self.index, wanted)))


def expand(runs: Sequence[Run]) -> list[Frame]:
    return [(run.piece, run.first + number * run.step) for run in runs for number in range(run.count)]


def check_segments(index: FrameIndex, contents: dict[str, bytes]) -> None:
    for number, each in enumerate(index.ids):
        runs = decode_segment(contents[each]).runs
        assert 0 < len(runs) == index.runs[number] <= MAX_SEGMENT_RUNS
        assert length_of(runs) == index.frames[number]
        assert sum(run.count * run.frame_bytes for run in runs) == index.sizes[number]


new_runs = st.lists(
    st.builds(
        Run,
        st.integers(0, 3).map(piece),
        st.integers(50, 60),
        st.integers(1, 9),
        st.sampled_from([1, 1, 1, -1, 2, -3]),
        st.integers(0, 100).map(lambda size: size * 7),
    ),
    max_size=4,
)
bound = st.integers(-40, 40) | st.none()
edits = st.lists(
    st.tuples(bound, bound, st.sampled_from([None, 1, 2, 3, -1, -2]), new_runs, st.integers(1, 90)),
    max_size=12,
)


@given(edits, st.lists(st.tuples(bound, bound, st.sampled_from([1, 2, 7, -1, -3])), max_size=3))
@settings(max_examples=300, deadline=None)
def test_an_index_behaves_like_a_list(
    changes: list[tuple[int | None, int | None, int | None, list[Run], int]],
    slices: list[tuple[int | None, int | None, int]],
) -> None:
    sequence, model = Sequenced(), list[Frame]()
    for start, stop, step, drawn, times in changes:
        runs = join(drawn * (times if step in (None, 1) else 1))
        chosen = range(*slice(start, stop, step).indices(len(model)))
        if chosen.step == 1:
            chosen = range(chosen.start, max(chosen.start, chosen.stop))
            sequence.splice(chosen.start, chosen.stop, runs)
            model[chosen.start : chosen.stop] = expand(runs)
        elif len(chosen) == length_of(runs):
            sequence.apply(replace_each(sequence.index, chosen, runs))
            model[start:stop:step] = expand(runs)
        else:
            sequence.apply(replace_each(sequence.index, chosen, []))
            del model[start:stop:step]
        assert sequence.frames() == model
        check_segments(sequence.index, sequence.contents)
    for wanted in slices:
        chosen = range(*slice(*wanted).indices(len(model)))
        assert sequence.frames(chosen) == model[slice(*wanted)]
        assert sequence.frames(list(chosen)) == model[slice(*wanted)]


@given(st.data())
@settings(max_examples=100, deadline=None)
def test_frames_of_the_sequence_itself_can_be_assigned_to_it(data: st.DataObject) -> None:
    sequence, model = Sequenced(), list[Frame]()
    for number in range(20):
        sequence.splice(number * 3, number * 3, [Run(piece(number % 4), number, 3)])
        model += [(piece(number % 4), number + each) for each in range(3)]
    for _ in range(5):
        source = data.draw(st.tuples(bound, bound, st.sampled_from([1, -1, 2])))
        at = data.draw(st.integers(0, len(model)))
        moved = sequence.run(select(sequence.index, range(*slice(*source).indices(len(model)))))
        sequence.splice(at, at, moved)
        model[at:at] = model[slice(*source)]
        assert sequence.frames() == model


@given(st.lists(new_runs, max_size=40), st.tuples(bound, bound), new_runs)
@settings(max_examples=200, deadline=None)
def test_two_sequences_differ_where_their_frames_do(
    built: list[list[Run]], at: tuple[int | None, int | None], replacing: list[Run]
) -> None:
    sequence = Sequenced()
    for runs in built:
        sequence.splice(sequence.index.length, sequence.index.length, join(runs))
    before, old = sequence.index, sequence.frames()
    start, stop, _ = slice(*at).indices(len(old))
    sequence.splice(start, max(start, stop), join(replacing))
    after, new = sequence.index, sequence.frames()

    found = sequence.run(compare(before, after))

    assert found.before.start == found.after.start
    assert old[: found.before.start] == new[: found.after.start]
    assert old[found.before.stop :] == new[found.after.stop :]
    if len(found.before) and len(found.after):
        assert old[found.before[0]] != new[found.after[0]]
        assert old[found.before[-1]] != new[found.after[-1]]


def test_few_segments_of_two_long_sequences_are_compared() -> None:
    sequence = Sequenced()
    for number in range(20_000):
        sequence.splice(number, number, [Run(piece(number), 0, 1)])
    before = sequence.index
    sequence.splice(9_000, 9_002, [])
    sequence.read = 0

    found = sequence.run(compare(before, sequence.index))

    assert (found.before, found.after) == (range(9_000, 9_002), range(9_000, 9_000))
    assert sequence.read <= 12


@pytest.mark.parametrize("count", [1000, 20_000])
def test_a_change_touches_a_few_segments_however_long_the_sequence_is(count: int) -> None:
    sequence = Sequenced()
    for number in range(count):
        sequence.splice(number, number, [Run(piece(number), 0, 1)])
    assert sequence.read <= 2.5 * count
    assert len(sequence.index.ids) <= count // 100 + 10

    for at in (0, count // 2, count):
        sequence.read = sequence.written = 0
        sequence.splice(at, at, [Run(piece(count), 0, 1)])
        assert sequence.read <= 10
        assert sequence.written <= 2


def test_what_appends_write_grows_with_the_logarithm_of_a_segment() -> None:
    sequence, written = Sequenced(), 0
    for number in range(3000):
        before = set(sequence.contents)
        sequence.splice(number, number, [Run(piece(number), 0, 1)])
        written += sum(
            sequence.index.runs[sequence.index.ids.index(each)] for each in {*sequence.contents} - before
        )

    assert written <= 3000 * 9


def test_a_reversed_and_divided_piece_remains_one_run() -> None:
    sequence = Sequenced()
    sequence.splice(0, 0, [Run(piece(1), 0, 100)])
    sequence.apply(replace_each(sequence.index, range(1, 100, 2), []))

    assert sequence.run(select(sequence.index, range(49, -1, -1))) == [Run(piece(1), 98, 50, -2)]
    assert sequence.index.runs == (1,)


def test_a_change_with_a_step_has_a_limit() -> None:
    sequence = Sequenced()
    sequence.splice(0, 0, [Run(piece(1), 0, 2 * MAX_EDIT_RUNS + 2)])
    sequence.apply(replace_each(sequence.index, range(0, 2 * MAX_EDIT_RUNS, 2), []))

    sequence.splice(0, 0, [Run(piece(1), 0, MAX_EDIT_RUNS)])
    with pytest.raises(InvalidRequest):
        sequence.apply(replace_each(sequence.index, range(0, 2 * MAX_EDIT_RUNS + 2, 2), []))
