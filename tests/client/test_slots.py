"""Slots survive exceptions that other threads raise in theirs, wherever they land."""

from __future__ import annotations

import asyncio
import ctypes
import threading
from collections import Counter
from collections.abc import Iterator
from contextlib import contextmanager

from workroom.client.worker.execution.slots import Slots
from workroom.domain.job import JobState
from workroom.runtime.outcome import Outcome

ITEMS = 3000


class Late(BaseException):
    """Raised in a thread by another one."""


def run(_: int) -> Outcome:
    sum(number for number in range(500))
    return Outcome(JobState.COMPLETED)


def interrupted(_: int, error: BaseException) -> Outcome:
    assert isinstance(error, Late)
    return Outcome(JobState.FAILED)


@contextmanager
def sniper(shots: Counter[int]) -> Iterator[None]:
    """Raise exceptions in the threads of the slots, one after the other."""
    stop = threading.Event()

    def snipe() -> None:
        while not stop.wait(0.0005):
            for thread in threading.enumerate():
                if thread.name.startswith("workroom-slot") and thread.ident is not None:
                    target = ctypes.c_ulong(thread.ident)
                    shots[thread.ident] += ctypes.pythonapi.PyThreadState_SetAsyncExc(
                        target, ctypes.py_object(Late)
                    )

    thread = threading.Thread(target=snipe)
    thread.start()
    try:
        yield
    finally:
        stop.set()
        thread.join()


async def test_every_item_ends_once_whatever_is_raised_in_its_thread() -> None:
    ends: Counter[int] = Counter()
    shots: Counter[int] = Counter()
    all_ended = asyncio.Event()

    def done(item: int, _: Outcome) -> None:
        ends[item] += 1
        if len(ends) == ITEMS:
            all_ended.set()

    slots: Slots[int] = Slots(3, run, interrupted, done)
    with sniper(shots):
        for item in range(ITEMS):
            slots.put(item)
            if item % 20 == 0:
                await asyncio.sleep(0.001)
    async with asyncio.timeout(30):
        await all_ended.wait()

    assert shots.total() > 100
    assert ends == Counter(range(ITEMS))
    slots.close()
