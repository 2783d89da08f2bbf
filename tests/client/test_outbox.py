"""What is sent again, what is given up, and what one refused item means for the others."""

from __future__ import annotations

import asyncio
from collections.abc import Callable

from workroom.client.worker.reports.outbox import Outbox, Refusals
from workroom.errors import InvalidRequest, StoreUnavailable, WorkroomError

Answer = Callable[[list[int]], Refusals]


class Server:
    """Answers as it is told to, and writes down what it was sent and what was given up."""

    def __init__(self, answer: Answer) -> None:
        self._answer = answer
        self.sent: list[list[int]] = []
        self.taken: list[int] = []
        self.refused: list[tuple[int, str]] = []
        self._ready, self._moved = asyncio.Event(), asyncio.Event()
        self.outbox = Outbox(self._send, self._refuse)

    async def _send(self, batch: list[int]) -> Refusals:
        await self._ready.wait()
        self.sent.append(batch)
        answers = self._answer(batch)
        self._moved.set()
        self.taken += [item for item, refusal in zip(batch, answers, strict=True) if refusal is None]
        return answers

    def _refuse(self, item: int, why: WorkroomError) -> None:
        self.refused.append((item, why.code))
        self._moved.set()

    async def settles(self, *items: int) -> None:
        """The first item travels alone, and the others together."""
        for item in items:
            self.outbox.put(item)
        await asyncio.sleep(0)
        self._ready.set()
        async with asyncio.timeout(10):
            while len(self.taken) + len(self.refused) < len(items):
                self._moved.clear()
                await self._moved.wait()
        await self.outbox.aclose()


async def test_one_refused_item_harms_no_other() -> None:
    server = Server(lambda batch: [InvalidRequest() if item == 3 else None for item in batch])
    await server.settles(1, 2, 3, 4)

    assert server.taken == [1, 2, 4]
    assert server.refused == [(3, "invalid_request")]


async def test_a_batch_that_is_refused_as_a_whole_is_sent_item_by_item() -> None:
    def answer(batch: list[int]) -> Refusals:
        if 3 in batch:
            raise InvalidRequest()
        return [None] * len(batch)

    server = Server(answer)
    await server.settles(1, 2, 3, 4)

    assert sorted(server.taken) == [1, 2, 4]
    assert server.refused == [(3, "invalid_request")]
    assert server.sent[-3:] == [[2], [3], [4]]


async def test_what_may_succeed_later_is_sent_again_and_nothing_else() -> None:
    tries = 0

    def answer(batch: list[int]) -> Refusals:
        nonlocal tries
        tries += item_two_is_in(batch)
        return [StoreUnavailable() if item == 2 and tries < 3 else None for item in batch]

    server = Server(answer)
    await server.settles(1, 2, 3)

    assert sorted(server.taken) == [1, 2, 3]
    assert server.refused == []
    assert sum(3 in batch for batch in server.sent) == 1
    assert sum(map(item_two_is_in, server.sent)) == 3


async def test_an_error_of_the_server_is_not_repeated_for_ever() -> None:
    def answer(_: list[int]) -> Refusals:
        raise WorkroomError()

    server = Server(answer)
    await server.settles(1, 2)

    assert server.refused == [(1, "internal_error"), (2, "internal_error")]


def item_two_is_in(batch: list[int]) -> bool:
    return 2 in batch


async def test_an_item_that_cannot_be_encoded_does_not_stop_the_sender() -> None:
    def answer(batch: list[int]) -> Refusals:
        if 3 in batch:
            raise TypeError("that is no JSON")
        return [None] * len(batch)

    server = Server(answer)
    await server.settles(1, 2, 3, 4)

    assert sorted(server.taken) == [1, 2, 4]
    assert server.refused == [(3, "internal_error")]
