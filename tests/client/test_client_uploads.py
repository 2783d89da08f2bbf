"""Pieces on their way to the server: in order, and reported together."""

from __future__ import annotations

import asyncio
from collections.abc import Sequence
from typing import Any

import numpy as np
import pytest

from workroom.client.requests import Request
from workroom.client.room_data.frames.uploads import MessageSender, PieceQueue, Uploaded
from workroom.errors import InvalidFrames, Locked

FRAME = {"positions": np.zeros((1000, 3))}
AN_HOUR = 3600.0


class Server:
    """Names pieces in the order in which they arrive."""

    def __init__(self, *, refuses: int | None = None) -> None:
        self._refuses = refuses
        self.received = 0
        self.reported: list[list[str]] = []
        self.held: asyncio.Event | None = None
        self.arrived = asyncio.Semaphore(0)
        self.has_reported = asyncio.Event()

    async def send(self, request: Request) -> Any:
        number = self.received
        self.received += 1
        self.arrived.release()
        if number == self._refuses:
            raise InvalidFrames("refused")
        if number == 0 and self.held is not None:
            await self.held.wait()
        return {"piece": str(number)}

    async def report(self, pieces: Sequence[Uploaded]) -> None:
        self.reported.append([each.name for each in pieces])
        self.has_reported.set()

    def queue(self, pace: float) -> PieceQueue:
        return PieceQueue(MessageSender("lab", self.send), self.report, pace)


async def send(queue: PieceQueue, pieces: int) -> None:
    for _ in range(pieces):
        queue.add(FRAME)
        await queue.send()


async def test_pieces_of_a_short_upload_are_reported_together() -> None:
    server = Server()
    queue = server.queue(AN_HOUR)

    await send(queue, 7)
    assert server.reported == []
    await queue.finish()

    assert server.reported == [["0", "1", "2", "3", "4", "5", "6"]]


async def test_pieces_of_a_long_upload_are_reported_meanwhile() -> None:
    server = Server()
    queue = server.queue(0.0)

    await send(queue, 7)
    await asyncio.wait_for(server.has_reported.wait(), 20)
    await queue.finish()

    assert [name for each in server.reported for name in each] == list("0123456")
    assert len(server.reported) > 1


async def test_a_piece_waits_for_those_before_it() -> None:
    server = Server()
    server.held = asyncio.Event()
    queue = server.queue(0.0)

    await send(queue, 3)
    for _ in range(3):
        await asyncio.wait_for(server.arrived.acquire(), 20)
    assert server.reported == []
    server.held.set()
    await queue.finish()

    assert [name for each in server.reported for name in each] == ["0", "1", "2"]


async def test_pieces_before_one_that_is_refused_are_reported() -> None:
    server = Server(refuses=2)
    queue = server.queue(AN_HOUR)

    with pytest.raises(InvalidFrames):
        await send(queue, 100)
    with pytest.raises(InvalidFrames):
        await queue.finish()

    assert server.reported == [["0", "1"]]


async def test_nothing_is_reported_after_a_report_that_failed() -> None:
    async def refuse(pieces: Sequence[Uploaded]) -> None:
        server.reported.append([each.name for each in pieces])
        raise Locked("somebody else holds the lock")

    server = Server()
    queue = PieceQueue(MessageSender("lab", server.send), refuse)

    with pytest.raises(Locked):
        await send(queue, 100)
    with pytest.raises(Locked):
        await queue.finish()

    assert len(server.reported) == 1
    assert server.received < 100


async def test_an_upload_that_is_aborted_reports_nothing_more() -> None:
    server = Server()
    queue = server.queue(AN_HOUR)

    await send(queue, 5)
    await queue.abort()

    assert server.reported == []
