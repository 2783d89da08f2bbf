"""A Celery fleet: what a doorbell calls for is done once, whatever becomes of doorbells and processes."""

from __future__ import annotations

from collections.abc import Iterator
from pathlib import Path
from typing import ClassVar

import pytest

from support.extensions.misbehaving import Deaf, Hold, Mark, TwiceHold, notes
from support.runners.celery_fleet import EXTENSIONS, HASTE, Fleet, idle_slots
from support.runners.parity import SECONDS, RunnerParity, error_of, runs
from workroom import Room
from workroom.runners.celery_notifier import CeleryNotifier
from workroom.testing.processes import ServerProcess, eventually
from workroom.testing.valkey import Valkey


@pytest.fixture(scope="module")
def store(tmp_path_factory: pytest.TempPathFactory) -> Iterator[Valkey]:
    valkey = Valkey(tmp_path_factory.mktemp("store"))
    valkey.start()
    yield valkey
    valkey.stop()


@pytest.fixture(scope="module")
def servers(
    tmp_path_factory: pytest.TempPathFactory, store: Valkey, broker: Valkey
) -> Iterator[list[ServerProcess]]:
    """Two on one store, for one fleet."""
    shared = {
        "runner": "celery",
        "store": store.url,
        "broker": broker.url,
        "storage": f"file://{tmp_path_factory.mktemp('files')}",
        "signing_key": "the same for both of them",
        **HASTE,
    }
    with (
        ServerProcess(tmp_path_factory.mktemp("near"), *EXTENSIONS, **shared) as near,
        ServerProcess(tmp_path_factory.mktemp("far"), *EXTENSIONS, **shared) as far,
    ):
        yield [near, far]


@pytest.fixture(scope="module")
def server(servers: list[ServerProcess]) -> ServerProcess:
    """Where jobs are submitted; the fleet is connected to the other one."""
    return servers[0]


@pytest.fixture(scope="module")
def fleet(
    tmp_path_factory: pytest.TempPathFactory, servers: list[ServerProcess], broker: Valkey
) -> Iterator[Fleet]:
    near, far = servers
    fleet = Fleet([far, near], broker.url, tmp_path_factory.mktemp("fleet") / "log", "--concurrency=2")
    fleet.wait(2)
    yield fleet
    fleet.kill()


@pytest.fixture(autouse=True)
def _everybody_is_back(fleet: Fleet) -> None:
    fleet.wait(2)


class TestCeleryRunner(RunnerParity):
    runner: ClassVar[str] = "celery"


def test_an_unnecessary_wake_up_message_is_harmless(room: Room, broker: Valkey, diary: Path) -> None:
    bell = CeleryNotifier(broker.url.replace("unix://", "redis+socket://"))
    bell.notify(20)
    job = room.submit(Mark(word="once", diary=str(diary)))
    bell.notify(20)

    assert job.result(SECONDS) == "once"
    bell.close()
    assert notes(diary) == ["once"]
    assert job.document["attempt"] == 1


def test_code_that_does_not_stop_is_ended_with_its_process(
    room: Room, fleet: Fleet, diary: Path, tmp_path: Path
) -> None:
    before = {member.pid for member in fleet.members()}

    assert error_of(room.submit(Deaf(gate=str(tmp_path / "never"), diary=str(diary)))) == "JobTimeout"

    eventually(lambda: len(before - {member.pid for member in fleet.members()}) == 1, what="its end")
    fleet.wait(2)


def test_a_killed_process_takes_no_job_with_it(room: Room, fleet: Fleet, diary: Path, tmp_path: Path) -> None:
    gate = tmp_path / "gate"
    job = room.submit(TwiceHold(gate=str(gate), diary=str(diary)))
    runs(job, diary)

    [victim] = [member for member in fleet.members() if str(member.pid) in notes(diary)]
    victim.kill()
    eventually(lambda: len(notes(diary)) == 2, what="the second try")
    gate.touch()

    assert job.result(SECONDS) != victim.pid


def test_a_fleet_is_killed_and_another_one_goes_on(
    room: Room, server: ServerProcess, fleet: Fleet, diary: Path, tmp_path: Path
) -> None:
    gate = tmp_path / "gate"
    job = room.submit(TwiceHold(gate=str(gate), diary=str(diary)))
    waiting = [room.submit(TwiceHold(gate=str(gate))) for _ in range(3)]
    runs(job, diary)
    fleet.kill()
    eventually(lambda: idle_slots(server.url) == 0, what="the fleet being missed")
    gate.touch()

    fleet.start()

    assert job.result(SECONDS)
    assert all(each.result(SECONDS) for each in waiting)


def test_a_server_that_is_killed_costs_its_fleet_no_job(
    room: Room, servers: list[ServerProcess], fleet: Fleet, diary: Path, tmp_path: Path
) -> None:
    gate = tmp_path / "gate"
    job = room.submit(Hold(gate=str(gate), diary=str(diary)))
    runs(job, diary)

    servers[1].kill()
    gate.touch()

    assert job.result(SECONDS)
    assert job.document["attempt"] == 1
    assert room.submit(Mark(word="next")).result(SECONDS) == "next"
    servers[1].restart()


def test_a_broker_that_is_lost_costs_time_only(room: Room, broker: Valkey, diary: Path) -> None:
    broker.kill()
    jobs = [room.submit(Mark(word=f"{number}", diary=str(diary))) for number in range(3)]
    assert [job.status for job in jobs] == ["pending"] * 3

    broker.start()

    assert [job.result(SECONDS) for job in jobs] == ["0", "1", "2"]
    assert sorted(notes(diary)) == ["0", "1", "2"]


@pytest.fixture
def diary(tmp_path: Path) -> Path:
    return tmp_path / "diary"
