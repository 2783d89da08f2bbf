"""Random operations on `room.frames` and on a list: both end up the same."""

from __future__ import annotations

from collections.abc import Callable
from itertools import count
from typing import Any

import pytest
from hypothesis import HealthCheck, given, settings
from hypothesis import strategies as st

from support.frames import frame, numbers
from support.sync_rooms import Enter
from workroom import Room

_INDICES = st.integers(-12, 12)
_BOUNDS = st.none() | _INDICES
_SLICES = st.builds(slice, _BOUNDS, _BOUNDS, st.none() | st.integers(-3, 3))
_SIZES = st.integers(0, 5)
_STEPS = st.one_of(
    st.tuples(st.just("append")),
    st.tuples(st.just("extend"), _SIZES),
    st.tuples(st.just("insert"), _INDICES),
    st.tuples(st.just("set"), _INDICES),
    st.tuples(st.just("assign"), _SLICES, _SIZES),
    st.tuples(st.just("delete"), _INDICES | _SLICES),
    st.tuples(st.just("pop"), _INDICES),
    st.tuples(st.just("get"), _INDICES | _SLICES),
    st.tuples(st.just("reverse")),
    st.tuples(st.just("iadd"), _SIZES),
)


@pytest.fixture
def room_of_frames(enter: Enter) -> Room:
    return enter("ada")


def _apply(items: Any, step: tuple[Any, ...], new: Callable[[], Any]) -> Any:  # noqa: PLR0911 - one per step
    """What an operation returns or raises."""
    match step:
        case ("append",):
            return items.append(new())
        case ("extend", size):
            return items.extend(new() for _ in range(size))
        case ("insert", index):
            return items.insert(index, new())
        case ("set", index):
            return items.__setitem__(index, new())
        case ("assign", where, size):
            return items.__setitem__(where, [new() for _ in range(size)])
        case ("delete", where):
            return items.__delitem__(where)
        case ("pop", index):
            return items.pop(index)
        case ("get", where):
            return items[where]
        case ("iadd", size):
            items += [new() for _ in range(size)]
            return None
    return items.reverse()


def _outcome(items: Any, step: tuple[Any, ...], first: int, make: Callable[[int], Any]) -> Any:
    ids = count(first)
    try:
        found = _apply(items, step, lambda: make(next(ids)))
    except (IndexError, ValueError, TypeError) as error:
        return type(error)
    if isinstance(found, dict):
        return found["info.number"]
    if isinstance(found, list) and found and isinstance(found[0], dict):
        return numbers(found)
    return found


@settings(max_examples=25, deadline=None, suppress_health_check=[HealthCheck.function_scoped_fixture])
@given(steps=st.lists(_STEPS, min_size=1, max_size=12))
def test_frames_behave_as_a_list(room_of_frames: Room, steps: list[tuple[Any, ...]]) -> None:
    model: list[int] = []
    room = room_of_frames
    room.frames = []
    for number, step in enumerate(steps):
        expected = _outcome(model, step, number * 100, lambda each: each)
        assert _outcome(room.frames, step, number * 100, frame) == expected
    assert numbers(room.frames) == model
    assert len(room.frames) == len(model)
    assert room.frames.columns("info.number")["info.number"].tolist() == model
