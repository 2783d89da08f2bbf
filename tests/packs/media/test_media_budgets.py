"""What counts in the budget of a month: what was sent, or may still be sent, and nothing else."""

from __future__ import annotations

import json
from collections.abc import Iterator
from contextlib import ExitStack
from dataclasses import dataclass
from pathlib import Path

import pytest

from support.billing_service import BillingService, billing_service
from support.users import Document, LoopThread, Person
from workroom.packs.media.records import Generation, GenerationState, Request
from workroom.packs.media.settlement import is_open, settled
from workroom.testing.processes import ADMIN_PASSWORD, ServerProcess, eventually
from workroom.testing.valkey import Valkey

ROOM = "lab"
ESTIMATE = 2.5
BUDGET = 3.0  # of one order, and not of two
LONGER_THAN_ANY_ORDER_WAITS = 7200.0


@dataclass
class Stage:
    server: ServerProcess
    service: BillingService
    ada: Person

    def kill(self) -> None:
        """The server and its worker. After that there is a server again, and no worker."""
        self.server.kill()
        self.server.restart(workers=0)

    def start_worker(self) -> None:
        self.server.restart(workers=1)

    def order(self, provider: str, point: str = "") -> str:
        """The id of the job. It is held at a point of the protocol, if one is named."""
        self.service.every_order_at = point
        data = {"provider": provider, "params": {"prompt": "a fox"}}
        return str(self.ada.order(ROOM, "Generate", data, category="media")["id"])

    def reached(self, job: str) -> None:
        eventually(lambda: job in self.service.reached, 30, "the order at the provider")

    def cancel(self, job: str) -> None:
        assert self.ada.delete(f"/api/jobs/{job}").status_code == 200

    def ended(self, job: str) -> Document:
        def read() -> Document | None:
            found = self.ada.job(job)
            return found if found["status"] in ("completed", "failed") else None

        return eventually(read, 60, "the end of the job")

    def spent(self, provider: str) -> float:
        items = self.ada.items(f"/api/packs/media/{ROOM}/spending")
        return next(float(each["spent"]) for each in items if each["provider"] == provider)

    def refused(self, job: str) -> None:
        """The provider has not accepted it, and it waits to be sent again."""
        where = json.dumps({"job": job})

        def is_refused() -> bool:
            found = self.ada.items(f"/api/rooms/{ROOM}/records/media-generations", where=where)
            return bool(found) and found[0]["body"]["refused"] == 1

        eventually(is_refused, 30, "the refusal of the order")


@pytest.fixture(params=["sqlite", "valkey"])
def stage(request: pytest.FixtureRequest, tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> Iterator[Stage]:
    with ExitStack() as stack:
        service = stack.enter_context(billing_service())
        for name, value in {
            "PAID_URL": service.url,
            "WORKROOM_PACK_MEDIA_PROVIDERS": "support.extensions.paid_providers",
            "WORKROOM_PACK_MEDIA_BUDGETS": json.dumps({"three": BUDGET, "forgetful": BUDGET}),
            "WORKROOM_OUTBOUND_ALLOW": "127.0.0.1",
        }.items():
            monkeypatch.setenv(name, value)
        store = {"store": _valkey(stack, tmp_path)} if request.param == "valkey" else {}
        options = {"packs": "media", "rooms": ROOM, "workers": 1, "slots": 4, **store}
        server = stack.enter_context(ServerProcess(tmp_path / "data", **options))
        thread = LoopThread()
        stack.callback(thread.close)
        ada = Person(thread, server.url, "admin", ADMIN_PASSWORD)
        stack.callback(ada.close)
        yield Stage(server, service, ada)


def _valkey(stack: ExitStack, folder: Path) -> str:
    valkey = Valkey(folder / "valkey")
    valkey.start()
    stack.callback(valkey.stop)
    return valkey.url


def test_an_order_that_is_cancelled_before_it_was_accepted_gives_its_estimate_back(stage: Stage) -> None:
    stage.service.retry_after = 30.0
    job = stage.order("three")
    stage.refused(job)
    assert stage.spent("three") == ESTIMATE  # it may still be sent
    stage.cancel(job)

    assert stage.spent("three") == 0
    stage.service.retry_after = None
    assert stage.ended(stage.order("three"))["status"] == "completed"


def test_the_estimate_comes_back_although_the_worker_was_killed_before(stage: Stage) -> None:
    stage.service.retry_after = 30.0
    job = stage.order("three")
    stage.refused(job)
    stage.kill()
    assert stage.spent("three") == ESTIMATE  # another attempt may send it
    stage.cancel(job)

    assert stage.spent("three") == 0
    stage.service.retry_after = None
    stage.start_worker()
    assert stage.ended(stage.order("three"))["status"] == "completed"


def test_an_order_that_failed_before_it_was_accepted_gives_its_estimate_back(stage: Stage) -> None:
    stage.service.retry_after = LONGER_THAN_ANY_ORDER_WAITS
    assert stage.ended(stage.order("three"))["error"]["type"] == "RateLimited"

    assert stage.spent("three") == 0


@pytest.mark.parametrize("is_killed", [False, True])
def test_an_order_that_was_sent_keeps_its_estimate_when_it_is_cancelled(
    stage: Stage, is_killed: bool
) -> None:
    job = stage.order("forgetful", "accepted")
    stage.reached(job)
    if is_killed:
        stage.kill()
    stage.cancel(job)
    stage.service.release()
    if is_killed:
        stage.start_worker()

    assert stage.service.bills[job] == 1
    assert stage.spent("forgetful") == ESTIMATE
    failed = stage.ended(stage.order("forgetful"))
    assert failed["error"]["type"] == "BudgetExceeded"
    assert "this would cost 2.5 credits, and 2.5 of the 3 credits" in failed["error"]["message"]
    assert stage.spent("forgetful") == ESTIMATE  # what was refused for the budget counts nothing


def test_an_accepted_order_counts_what_it_costs_although_it_is_cancelled(stage: Stage) -> None:
    stage.service.cost = 1.0
    job = stage.order("three", "looking")
    stage.reached(job)
    assert stage.spent("three") == 1.0
    stage.cancel(job)
    stage.service.release()
    eventually(lambda: stage.service.cancelled == {job}, 30, "the end of the provider's task")

    assert stage.spent("three") == 1.0


def generation(state: GenerationState = GenerationState.INTENT, **fields: object) -> Generation:
    values = {"estimate": ESTIMATE, "unit": "credits", **fields}
    return Generation("gm_j", "j", "ada", Request("mine", "txt2img"), state, "2026-11", **values)  # type: ignore[arg-type]


INTENT = {"provider": "mine.1"}
ACCEPTED = {"provider": "mine.1", "id": "t1"}
FOREIGN = {"provider": "other.1", "id": "x"}


@pytest.mark.parametrize(
    ("status", "intents", "external", "refused", "charged"),
    [
        ("pending", [], [], 0, ESTIMATE),
        ("running", [INTENT], [], 1, ESTIMATE),
        ("cancelled", [], [], 0, 0),
        ("failed", [FOREIGN], [FOREIGN], 0, 0),
        ("cancelled", [INTENT], [], 1, 0),
        ("cancelled", [INTENT], [], 0, ESTIMATE),
        ("failed", [INTENT], [], 0, ESTIMATE),
        ("cancelled", [INTENT], [ACCEPTED], 1, ESTIMATE),
        ("completed", [INTENT], [ACCEPTED], 0, ESTIMATE),
    ],
)
def test_the_job_tells_whether_an_order_counts(
    status: str, intents: list[Document], external: list[Document], refused: int, charged: float
) -> None:
    job = {"status": status, "intents": intents, "external": external}
    assert settled(generation(refused=refused), job).charged == charged


def test_an_order_whose_job_was_deleted_counts() -> None:
    assert settled(generation(), None).charged == ESTIMATE


@pytest.mark.parametrize(
    "known",
    [
        generation(GenerationState.LOOKING, provider_task_id="t1"),
        generation(GenerationState.FAILED),
        generation(cost=1.0),
        generation(estimate=0.0),
    ],
)
def test_jobs_are_only_read_for_orders_that_may_still_be_sent(known: Generation) -> None:
    assert not is_open(known)
    assert is_open(generation())
