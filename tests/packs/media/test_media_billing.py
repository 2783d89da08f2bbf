"""Never billed twice: worker, server and network fail at every point of the protocol, in real processes."""

from __future__ import annotations

import signal
from collections.abc import Callable, Iterable, Iterator
from contextlib import ExitStack
from dataclasses import dataclass, field
from pathlib import Path
from urllib.parse import urlsplit

import pytest

from support.billing_service import POINTS, BillingService, billing_service
from support.chaos.history import Journal
from support.chaos.proxy import FaultProxy
from support.users import LoopThread, Person
from workroom.testing.processes import ADMIN_PASSWORD, ServerProcess, WorkerProcess, eventually

ROOM = "lab"
UNSURE = {"intended", "received", "accepted", "replied"}
"""Where an attempt may end so that nobody knows whether the order was accepted."""


@dataclass
class Stage:
    server: ServerProcess
    service: BillingService
    ada: Person
    folder: Path
    network: FaultProxy
    """Between the server and the workers that are started with `is_remote`."""
    workers: list[WorkerProcess] = field(default_factory=list)
    intended: set[str] = field(default_factory=set)
    """The orders that are held right before they are sent."""

    def close(self) -> None:
        for worker in self.workers:
            worker.close()

    def clear(self) -> None:
        """Ready for the next round."""
        self.close()
        self.workers.clear()
        self.intended.clear()

    def start_worker(self, *, is_remote: bool = True) -> None:
        environment = {
            "PAID_URL": self.service.url,
            "WORKROOM_PACK_MEDIA_PROVIDERS": "support.extensions.paid_providers",
            "WORKROOM_OUTBOUND_ALLOW": "127.0.0.1",
        }
        self.workers.append(
            WorkerProcess(
                self.network.url if is_remote else self.server.url,
                "workroom.packs.media.generate:Generate",
                slots=20,
                name=f"worker-{len(self.workers)}",
                log=self.folder / "worker.log",
                environment=environment,
            )
        )

    def order(self, provider: str, point: str, *, closes: bool = False) -> str:
        data = {"provider": provider, "params": {"prompt": f"{point} at {provider}"}}
        id = str(self.ada.order(ROOM, "Generate", data, category="media")["id"])
        self.service.hold(id, point, closes=closes)
        if point == "intended":
            self.intended.add(id)
        return id

    def order_all(
        self, points: tuple[str, ...] = POINTS, *, closes: bool = False
    ) -> dict[str, tuple[str, str]]:
        return {
            self.order(provider, point, closes=closes): (provider, point)
            for provider in ("listing", "forgetful")
            for point in points
        }

    def finish(self, orders: dict[str, tuple[str, str]]) -> set[str]:
        """Answer all questions truthfully until all jobs are completed. Returns the jobs that had some."""
        questioned: set[str] = set()

        def have_ended() -> bool:
            for question in self.ada.items(f"/api/rooms/{ROOM}/questions"):
                questioned.add(question["job_id"])
                self._answer(question["job_id"], question["id"])
            return all(self.ada.job(id)["status"] == "completed" for id in orders)

        eventually(have_ended, 60, "the end of all jobs")
        return questioned

    def _answer(self, job_id: str, question_id: int) -> None:
        known = self.service.id_of(job_id)
        choice = "look again" if known else "it was not charged, send again"
        path = f"/api/jobs/{job_id}/questions/{question_id}/answer"
        response = self.ada.post(path, json={"answer": {"choice": choice, "task_id": known or ""}})
        assert response.status_code in (200, 409), response.text

    def states(self, orders: Iterable[str]) -> set[str]:
        """Of the records: no earlier attempt has overwritten what a later one wrote."""
        found = self.ada.items(f"/api/rooms/{ROOM}/records/media-generations", limit=200)
        states = {each["body"]["job_id"]: each["body"]["state"] for each in found}
        return {states[id] for id in orders}

    def check(self, orders: dict[str, tuple[str, str]], questioned: set[str]) -> None:
        for id, order in orders.items():
            assert self.service.bills[id] == 1, order
        assert self.states(orders) == {"done"}
        assert self.service.cancelled == set()  # what an attempt that was given up does not do
        for id in questioned & set(orders):
            provider, point = orders[id]
            assert provider == "forgetful"
            assert point in UNSURE


@pytest.fixture
def stage(tmp_path: Path) -> Iterator[Stage]:
    with ExitStack() as stack:
        thread = LoopThread()
        stack.callback(thread.close)
        service = stack.enter_context(billing_service())
        server = stack.enter_context(
            ServerProcess(tmp_path / "data", grace=0.2, lease=3, heartbeat=0.3, sweep=0.1, rooms=ROOM)
        )
        ada = Person(thread, server.url, "admin", ADMIN_PASSWORD)
        stack.callback(ada.close)
        upstream = urlsplit(server.url).port
        assert upstream is not None
        network = stack.enter_context(FaultProxy(upstream, journal=Journal(tmp_path / "journal")))
        found = Stage(server, service, ada, tmp_path, network)
        stack.callback(found.close)
        found.start_worker()  # the server knows the extension from then on
        eventually(lambda: ada.items(f"/api/rooms/{ROOM}/extensions"), what="the extension")
        found.workers[-1].stop()
        yield found


Thaw = Callable[[], None]
Kill = Callable[[Stage], Thaw | None]


def kill_worker(stage: Stage) -> None:
    stage.workers[-1].kill()
    stage.service.release()
    stage.start_worker()


def kill_server(stage: Stage) -> None:
    stage.server.kill()
    stage.service.release()
    stage.server.restart()


def kill_both(stage: Stage) -> None:
    stage.server.kill()
    kill_worker(stage)
    stage.server.restart()


def kill_network(stage: Stage) -> None:
    """The worker goes on and cannot report; when its last words arrive, another one has taken over."""
    stage.network.hold()
    stage.service.release()
    running = {job["id"] for job in stage.ada.items(f"/api/rooms/{ROOM}/jobs", status="running")}
    eventually(
        lambda: all(stage.ada.job(id)["status"] == "pending" for id in running), 30, "the end of leases"
    )
    stage.start_worker(is_remote=False)
    eventually(lambda: "pending" not in _statuses(stage, running), 30, "new attempts")
    stage.network.heal()


def freeze_worker(stage: Stage) -> Thaw:
    """It goes on after another one has taken over, and must not send what it was about to send."""
    frozen, intended = stage.workers[-1], set(stage.intended)
    frozen.signal(signal.SIGSTOP)
    stage.service.release()
    stage.start_worker()

    def thaw() -> None:
        stage.service.reached.clear()
        for id in intended:
            stage.service.hold(id, "unsent", closes=True)
        frozen.signal(signal.SIGCONT)
        eventually(
            lambda: stage.service.reached >= intended or not frozen.is_alive,
            30,
            "what the frozen worker does",
        )

    return thaw


def _statuses(stage: Stage, jobs: set[str]) -> set[str]:
    return {stage.ada.job(id)["status"] for id in jobs}


KILLS: list[Kill] = [kill_worker, kill_server, kill_both, kill_network, freeze_worker]


def run_round(stage: Stage, kill: Kill) -> int:
    """Hold an order of each provider at each point, kill, and see what was billed in the end."""
    orders = stage.order_all()
    stage.start_worker()
    eventually(lambda: stage.service.reached >= set(orders), 60, "all points")
    thaw = kill(stage)
    questioned = stage.finish(orders)
    if thaw is not None:
        thaw()
    stage.check(orders, questioned)
    stage.clear()
    return len(orders)


@pytest.mark.full
@pytest.mark.parametrize("kill", KILLS)
def test_every_order_is_billed_once_when_processes_are_killed(stage: Stage, kill: Kill) -> None:
    assert run_round(stage, kill) == 2 * len(POINTS)


def run_without_connections(stage: Stage) -> int:
    """The connection to the provider ends at each of its points, and nobody is killed."""
    orders = stage.order_all(("received", "accepted", "looking"), closes=True)
    stage.start_worker()
    questioned = stage.finish(orders)
    stage.check(orders, questioned)
    assert questioned == {id for id, (name, at) in orders.items() if name == "forgetful" and at in UNSURE}
    stage.clear()
    return len(orders)


def test_every_order_is_billed_once_when_connections_are_closed(stage: Stage) -> None:
    assert run_without_connections(stage) == 6


@pytest.mark.full
@pytest.mark.timeout(900)
def test_every_order_is_billed_once_in_two_hundred_runs(stage: Stage) -> None:
    runs = 0
    while runs < 200:
        runs += sum(run_round(stage, kill) for kill in KILLS) + run_without_connections(stage)
    assert len(stage.service.bills) == runs
    assert set(stage.service.bills.values()) == {1}
