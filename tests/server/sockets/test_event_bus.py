"""Events that go out by socket: to which audiences, in which order, in how few messages."""

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
from workroom.domain.worker import Session
from workroom.server.sockets.client_socket import ClientSocket, SocketLimits
from workroom.server.sockets.event_bus import SocketBus
from workroom.server.sockets.socket_server import Acked, SocketServer
from workroom.server.sockets.worker_channel import SocketWorkerChannel
from workroom.services.workers.registry import ConnectedWorker, WorkerRegistry
from workroom.settings import Settings

Published = tuple[tuple[str, ...], str, list[Any]]
LAB, ATTIC = ("room:lab", "user:ada"), ("room:attic", "user:ada")


class RecordingServer(SocketServer):
    """Records what is published to the audiences of a test."""

    def __init__(self) -> None:
        super().__init__(SocketLimits.of(Settings()))
        self.members: list[str | None] = [None, "sid"]
        self.published: list[Published] = []
        self.requested: list[bytes] = []
        self.congested: set[str] = set()
        self.has_published = asyncio.Event()

    def audiences(self) -> Mapping[str | None, Any]:
        return dict.fromkeys(self.members)

    def publish(self, audiences: Iterable[str], event: str, body: bytes, *, volatile: bool = False) -> None:
        self.published.append((tuple(audiences), event, orjson.loads(body)))
        self.has_published.set()

    def is_congested(self, sid: str) -> bool:
        return sid in self.congested

    def _socket(self, sid: str) -> ClientSocket | None:
        return None

    def request(self, sid: str, event: str, body: bytes, on_ack: Acked) -> None:
        self.requested.append(body)


@pytest.fixture
def server() -> RecordingServer:
    return RecordingServer()


@pytest.fixture
async def bus(server: RecordingServer) -> SocketBus:
    return SocketBus(server)


def step(number: int, job: str = "j1", room: str = "lab") -> JobStateChanged:
    status = JobState.RUNNING
    return JobStateChanged(Transition(number, job, room, "ada", number, status, 1, None, "ada", None, 0))


async def published(server: RecordingServer, bus: SocketBus, *batches: list[Event]) -> list[Published]:
    """Everything published for these batches."""
    server.members.append("fleet")
    for batch in batches:
        bus.publish(batch)
    bus.publish([WorkerStateChanged("last", "idle", 0, ())])
    async with asyncio.timeout(5):
        await server.has_published.wait()
    return [each for each in server.published if each[0] != ("fleet",)]


def versions(found: list[Published]) -> list[tuple[tuple[str, ...], list[int]]]:
    return [(audiences, [item["version"] for item in items]) for audiences, _, items in found]


async def test_many_steps_are_one_message_for_each_audience(server: RecordingServer, bus: SocketBus) -> None:
    server.members += ["room:lab", "room:attic"]

    found = await published(server, bus, [step(1), step(2, room="attic"), step(3)], [step(4, room="attic")])

    assert versions(found) == [(LAB, [1, 3]), (ATTIC, [2, 4])]


async def test_steps_of_several_servers_are_published_in_the_order_of_the_log(
    server: RecordingServer, bus: SocketBus
) -> None:
    server.members.append("room:lab")

    found = await published(server, bus, [step(5), step(3)], [step(4), step(1)], [step(3)])

    assert versions(found) == [(LAB, [1, 3, 3, 4, 5])]


async def test_an_event_without_subscribers_at_its_time_is_not_published(
    server: RecordingServer, bus: SocketBus
) -> None:
    server.members.append("room:attic")
    bus.publish([step(1)])
    server.members.append("room:lab")

    assert versions(await published(server, bus, [step(2)])) == [(LAB, [2])]


async def test_a_submitter_receives_the_steps_of_an_empty_room(
    server: RecordingServer, bus: SocketBus
) -> None:
    server.members.append("user:ada")

    assert versions(await published(server, bus, [step(1)])) == [(LAB, [1])]


async def test_a_watcher_receives_the_steps_of_its_job_and_the_room_those_of_all(
    server: RecordingServer, bus: SocketBus
) -> None:
    server.members += ["room:lab", "job:j2"]

    found = await published(server, bus, [step(1), step(2, "j2"), step(3), step(4, "j2")])

    assert versions(found) == [(LAB, [1, 2, 3, 4]), (("job:j2",), [2, 4])]


async def test_a_watcher_receives_the_steps_of_its_job_in_an_empty_room(
    server: RecordingServer, bus: SocketBus
) -> None:
    server.members.append("job:j2")

    found = await published(server, bus, [step(1), step(2, "j2")])

    assert (("job:j2",), [2]) in versions(found)
    assert 1 not in [version for _, found in versions(found) for version in found]


async def test_progress_is_published_before_steps(server: RecordingServer, bus: SocketBus) -> None:
    server.members += ["room:lab", "job:j1"]

    found = await published(server, bus, [step(1), JobProgressed("j1", b"{}")])

    assert [name for _, name, _ in found] == [JobProgressed.name, JobStateChanged.name, JobStateChanged.name]


async def test_only_the_latest_state_of_a_worker_is_published(
    server: RecordingServer, bus: SocketBus
) -> None:
    server.members.append("room:lab")
    states = [WorkerStateChanged("w1", state, 0, ("lab",)) for state in ("assigned", "running", "idle")]

    found = await published(server, bus, [*states])

    assert [item["state"] for _, _, items in found for item in items] == ["idle"]


async def test_the_jobs_of_a_worker_of_several_rooms_are_for_the_fleet(
    server: RecordingServer, bus: SocketBus
) -> None:
    server.members += ["room:lab", "everyone"]
    public = WorkerStateChanged("w1", "running", 0, (None,), ("j1",))
    shared = WorkerStateChanged("w2", "running", 0, ("lab", "attic"), ("j2",))
    own = WorkerStateChanged("w3", "running", 0, ("lab",), ("j3",))

    await published(server, bus, [public, shared, own])
    shown = [
        (audiences, item["worker"], item["jobs"])
        for audiences, _, items in server.published
        for item in items
    ]

    rooms = [(worker, jobs) for audiences, worker, jobs in shown if audiences != ("fleet",)]
    fleet = [(worker, jobs) for audiences, worker, jobs in shown if audiences == ("fleet",)]
    assert rooms == [("w1", []), ("w2", []), ("w3", ["j3"])]
    assert [each for each in fleet if each[0] != "last"] == [("w1", ["j1"]), ("w2", ["j2"])]


def connected(worker: str, socket: str) -> WorkerRegistry:
    registry = WorkerRegistry()
    registry.add(ConnectedWorker(Session(worker, 1), 1, (), socket=socket))
    return registry


def assignment(number: int, size: int) -> Assignment:
    fence, key = Fence(f"job-{number}", 1, "token"), ExtensionKey("lab", "analysis", "Echo")
    return Assignment(fence, number, "w1", 1, key, "lab", "ada", b'"' + b"x" * size + b'"', None)


@pytest.mark.parametrize(
    ("jobs", "size", "messages"), [(100, 1, 1), (100, 60_000, 13), (1, 600_000, 1), (0, 0, 0)]
)
def test_many_jobs_are_pushed_in_messages_of_a_size_that_every_client_takes(
    server: RecordingServer, jobs: int, size: int, messages: int
) -> None:
    channel = SocketWorkerChannel(connected("w1", "sid"), server, SystemClock(), 5)
    channel.push("w1", [assignment(number, size) for number in range(jobs)])
    items = [item["number"] for body in server.requested for item in orjson.loads(body)]

    assert (len(server.requested), items) == (messages, list(range(jobs)))
    assert all(len(body) < 1_000_000 for body in server.requested)


def test_a_congested_worker_is_pushed_jobs_without_their_values(server: RecordingServer) -> None:
    channel = SocketWorkerChannel(connected("w1", "sid"), server, SystemClock(), 5)
    server.congested.add("sid")
    channel.push("w1", [assignment(number, 60_000) for number in range(10)])

    assert [item["data"] for body in server.requested for item in orjson.loads(body)] == [None] * 10
