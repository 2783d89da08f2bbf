"""Numbered events: each once, in their order, and those of other kinds where they were."""

from __future__ import annotations

import asyncio
from itertools import permutations

import pytest

from workroom.domain.events import ChatPosted, Event, JobProgressed, JobStateChanged
from workroom.domain.job import JobState, Transition
from workroom.domain.room import ChatMessage
from workroom.services.live.sequence import InOrder, chat_in_order, steps_in_order

Gaps = asyncio.Queue[list[Event]]
PROGRESS = JobProgressed("j1", b"{}")
ORDERS = list(permutations((1, 2, 3, 4)))


def step(number: int) -> JobStateChanged:
    status = JobState.RUNNING
    return JobStateChanged(Transition(number, "j1", "lab", "ada", number, status, 1, None, "ada", None, 0))


def steps(*numbers: int) -> list[Event]:
    return [step(number) for number in numbers]


def said(number: int) -> ChatPosted:
    return ChatPosted(ChatMessage(number, "lab", "ada", "hello", None, 0))


@pytest.fixture
def gaps() -> Gaps:
    """Those that waited, each time that somebody was given up."""
    return asyncio.Queue()


@pytest.fixture
def order(gaps: Gaps) -> InOrder:
    return steps_in_order(0, gaps.put_nowait)


async def next_gap(gaps: Gaps) -> list[Event]:
    async with asyncio.timeout(5):
        return await gaps.get()


def test_what_comes_in_order_is_passed_on_as_it_is(order: InOrder) -> None:
    events = [step(1), PROGRESS, step(2), said(9), step(3)]

    assert order.take(events) is events
    assert order.reached == 3
    assert order.take(steps(4)) == steps(4)


@pytest.mark.parametrize("numbers", ORDERS)
async def test_many_at_once_in_any_order_come_out_in_theirs(order: InOrder, numbers: tuple[int, ...]) -> None:
    assert order.take(steps(*numbers)) == steps(1, 2, 3, 4)
    assert order.reached == 4


@pytest.mark.parametrize("numbers", ORDERS)
async def test_one_by_one_in_any_order_they_come_out_in_theirs(
    order: InOrder, numbers: tuple[int, ...]
) -> None:
    assert [event for number in numbers for event in order.take(steps(number))] == steps(1, 2, 3, 4)


async def test_what_is_ahead_waits_for_those_before_it(order: InOrder) -> None:
    assert order.take(steps(1, 3, 6)) == steps(1)
    assert order.take(steps(4)) == []
    assert order.take(steps(2)) == steps(2, 3, 4)
    assert order.take(steps(5)) == steps(5, 6)
    assert order.take(steps(7, 8)) == steps(7, 8)


async def test_what_is_repeated_comes_out_once(order: InOrder) -> None:
    assert order.take(steps(1, 1, 2)) == steps(1, 2)
    assert order.take(steps(1, 2)) == []
    assert order.take(steps(4, 4)) == []
    assert order.take(steps(2, 3, 4, 5)) == steps(3, 4, 5)


async def test_other_kinds_wait_for_nobody_and_keep_their_place(order: InOrder) -> None:
    assert order.take([step(2), PROGRESS, step(1), said(7)]) == [PROGRESS, step(1), step(2), said(7)]
    assert order.take([step(4), PROGRESS]) == [PROGRESS]
    assert order.take([PROGRESS]) == [PROGRESS]


def test_nothing_is_nothing(order: InOrder) -> None:
    assert order.take([]) == []
    assert order.reached == 0


def test_chat_has_numbers_of_its_own(gaps: Gaps) -> None:
    chat = chat_in_order(4, gaps.put_nowait)

    assert chat.take([step(9), said(5), step(2), said(6)]) == [step(9), said(5), step(2), said(6)]
    assert chat.take([said(6), said(7)]) == [said(7)]


async def test_who_never_comes_is_given_up_and_those_that_waited_go_on(order: InOrder, gaps: Gaps) -> None:
    order.take(steps(1, 5, 3))

    assert await next_gap(gaps) == steps(3, 5)
    assert order.take(steps(2, 4)) == []
    assert order.take(steps(6)) == steps(6)


async def test_what_was_only_out_of_order_gives_nobody_up(order: InOrder, gaps: Gaps) -> None:
    order.take(steps(2, 1))
    order.take(steps(4))
    order.take(steps(3))
    order.take(steps(6))

    assert await next_gap(gaps) == steps(6)
    assert gaps.empty()
