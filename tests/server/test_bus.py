"""What goes out by socket: to whom, in which order, and in how few messages."""

from __future__ import annotations

import asyncio
from collections.abc import Iterable, Mapping
from typing import Any

import orjson
import pytest

from workroom.clock import SystemClock
from workroom.domain.events import Event, JobProgressed, JobStateChanged, WorkerStateChanged
from workroom.domain.extension import ExtensionKey
from workroom.domain.job import Fence, JobState, Transition
from workroom.domain.steps import Assignment
from workroom.server.bus import SocketBus, SocketCourier
from workroom.server.engine import Acked, Lines

Told = tuple[tuple[str, ...], str, list[Any]]
LAB, ATTIC = ("room:lab", "user:ada"), ("room:attic", "user:ada")


class RecordingLines(Lines):
    """To whoever is said to listen."""

    def __init__(self) -> None:
        self.listening: list[str | None] = [None, "sid"]
        self.told: list[Told] = []
        self.asked: list[bytes] = []
        self.has_told = asyncio.Event()

    def audiences(self) -> Mapping[str | None, Any]:
        return dict.fromkeys(self.listening)

    def tell(self, audiences: Iterable[str], event: str, body: bytes) -> None:
        self.told.append((tuple(audiences), event, orjson.loads(body)))
        self.has_told.set()

    def ask(self, sid: str, event: str, body: bytes, acked: Acked) -> None:
        self.asked.append(body)


@pytest.fixture
def lines() -> RecordingLines:
    return RecordingLines()


@pytest.fixture
async def bus(lines: RecordingLines) -> SocketBus:
    return SocketBus(lines)


def step(number: int, job: str = "j1", room: str = "lab") -> JobStateChanged:
    status = JobState.RUNNING
    return JobStateChanged(Transition(number, job, room, "ada", number, status, 1, None, "ada", None, 0))


async def told(lines: RecordingLines, bus: SocketBus, *batches: list[Event]) -> list[Told]:
    """All that is told of these, and of an end that everybody hears of."""
    lines.listening.append("fleet")
    for batch in batches:
        bus.publish(batch)
    bus.publish([WorkerStateChanged("last", "idle", 0, ())])
    async with asyncio.timeout(5):
        await lines.has_told.wait()
    return [each for each in lines.told if each[0] != ("fleet",)]


def versions(told: list[Told]) -> list[tuple[tuple[str, ...], list[int]]]:
    return [(audiences, [item["version"] for item in items]) for audiences, _, items in told]


async def test_many_steps_are_one_message_for_each_audience(lines: RecordingLines, bus: SocketBus) -> None:
    lines.listening += ["room:lab", "room:attic"]

    heard = await told(lines, bus, [step(1), step(2, room="attic"), step(3)], [step(4, room="attic")])

    assert versions(heard) == [(LAB, [1, 3]), (ATTIC, [2, 4])]


async def test_steps_of_several_servers_are_told_in_the_order_of_the_log(
    lines: RecordingLines, bus: SocketBus
) -> None:
    lines.listening.append("room:lab")

    heard = await told(lines, bus, [step(5), step(3)], [step(4), step(1)], [step(3)])

    assert versions(heard) == [(LAB, [1, 3, 3, 4, 5])]


async def test_what_nobody_listened_to_when_it_happened_is_not_told(
    lines: RecordingLines, bus: SocketBus
) -> None:
    lines.listening.append("room:attic")
    bus.publish([step(1)])
    lines.listening.append("room:lab")

    assert versions(await told(lines, bus, [step(2)])) == [(LAB, [2])]


async def test_a_submitter_hears_of_a_room_that_nobody_is_in(lines: RecordingLines, bus: SocketBus) -> None:
    lines.listening.append("user:ada")

    assert versions(await told(lines, bus, [step(1)])) == [(LAB, [1])]


async def test_who_watches_a_job_hears_of_that_job_and_the_room_of_all(
    lines: RecordingLines, bus: SocketBus
) -> None:
    lines.listening += ["room:lab", "job:j2"]

    heard = await told(lines, bus, [step(1), step(2, "j2"), step(3), step(4, "j2")])

    assert versions(heard) == [(LAB, [1, 2, 3, 4]), (("job:j2",), [2, 4])]


async def test_who_watches_a_job_hears_of_it_although_nobody_is_in_its_room(
    lines: RecordingLines, bus: SocketBus
) -> None:
    lines.listening.append("job:j2")

    heard = await told(lines, bus, [step(1), step(2, "j2")])

    assert (("job:j2",), [2]) in versions(heard)
    assert 1 not in [version for _, found in versions(heard) for version in found]


async def test_how_far_a_job_came_is_told_before_its_steps(lines: RecordingLines, bus: SocketBus) -> None:
    lines.listening += ["room:lab", "job:j1"]

    heard = await told(lines, bus, [step(1), JobProgressed("j1", b"{}")])

    assert [name for _, name, _ in heard] == [JobProgressed.name, JobStateChanged.name, JobStateChanged.name]


async def test_of_a_worker_only_how_it_stands_now_is_told(lines: RecordingLines, bus: SocketBus) -> None:
    lines.listening.append("room:lab")
    states = [WorkerStateChanged("w1", state, 0, ("lab",)) for state in ("assigned", "running", "idle")]

    heard = await told(lines, bus, [*states])

    assert [item["state"] for _, _, items in heard for item in items] == ["idle"]


def assignment(number: int, size: int) -> Assignment:
    fence, key = Fence(f"job-{number}", 1, "token"), ExtensionKey("lab", "analysis", "Echo")
    return Assignment(fence, number, "w1", 1, key, "lab", "ada", b'"' + b"x" * size + b'"', None)


@pytest.mark.parametrize(
    ("jobs", "size", "messages"), [(100, 1, 1), (100, 60_000, 13), (1, 600_000, 1), (0, 0, 0)]
)
def test_many_jobs_are_pushed_in_messages_of_a_size_that_every_client_takes(
    lines: RecordingLines, jobs: int, size: int, messages: int
) -> None:
    courier = SocketCourier(lines, SystemClock(), 5)
    courier.attach("w1", "sid")
    courier.push("w1", [assignment(number, size) for number in range(jobs)])
    items = [item["number"] for body in lines.asked for item in orjson.loads(body)]

    assert (len(lines.asked), items) == (messages, list(range(jobs)))
    assert all(len(body) < 1_000_000 for body in lines.asked)
