"""Never billed twice: an order is sent once, whatever ends the attempt that sends it, and wherever."""

from __future__ import annotations

import itertools
import time
from collections.abc import Callable
from dataclasses import dataclass, field

import pytest

from workroom.packs.media.acceptance import Acceptance, Choice, Decision
from workroom.packs.media.providers import (
    Accepted,
    Action,
    BadRequest,
    Look,
    LookState,
    MediaProvider,
    Order,
    OutcomeUnknown,
    ProviderDown,
    RateLimited,
)

ORDER = Order(Action.TXT2IMG, "a red fox", reference="job-1")


class Killed(BaseException):
    """The process of the attempt ends here."""


class Points:
    """Ends the attempt at the n-th step of its protocol, once."""

    def __init__(self, *kills: int) -> None:
        self._kills = set(kills)
        self.passed = 0

    def step(self) -> None:
        self.passed += 1
        if self.passed in self._kills:
            raise Killed


@dataclass
class Store:
    """What outlives an attempt."""

    external: list[str] = field(default_factory=list)
    intents: list[float] = field(default_factory=list)
    refused: int = 0
    questions: int = 0


class StoreRegister:
    """A register over a store, with a step before and after everything that it makes durable."""

    def __init__(self, store: Store, points: Points, decide: Callable[[], Decision]) -> None:
        self._store, self._points, self._decide = store, points, decide

    def task_id(self) -> str | None:
        return self._store.external[-1] if self._store.external else None

    def intended_at(self) -> float | None:
        return self._store.intents[-1] if len(self._store.intents) > self._store.refused else None

    def check(self) -> None:
        """Every order may be sent."""

    def intend(self) -> None:
        self._points.step()
        self._store.intents.append(time.time())
        self._points.step()

    def withdraw(self) -> None:
        self._points.step()
        self._store.refused = len(self._store.intents)

    def accept(self, accepted: Accepted) -> None:
        self._points.step()
        self._store.external.append(accepted.task_id)
        self._points.step()

    def decide(self, reason: str) -> Decision:
        self._store.questions += 1
        return self._decide()


class BillingProvider(MediaProvider):
    """Bills every order that it accepts. `answers` is what the next submissions meet."""

    name = "billing"
    poll_s = 0.0
    max_wait_s = 5.0
    listed_after_s = 0.0
    max_send_s = 0.0

    def __init__(self, points: Points, *, can_find: bool, is_free: bool = False) -> None:
        self.can_find, self.is_free = can_find, is_free  # type: ignore[misc]
        self._points = points
        self.billed: list[str] = []
        self.sent_at_kill = False
        self.faults: list[Exception] = []

    def submit(self, order: Order) -> Accepted:
        self.sent_at_kill = True
        self._points.step()  # it is under way
        if self.faults:
            raise self.faults.pop(0)
        self.billed.append(f"task-{len(self.billed) + 1}")
        self._points.step()  # accepted, and the answer is under way
        self.sent_at_kill = False
        return Accepted(self.billed[-1])

    def find(self, order: Order, since: float, is_known: Callable[[str], bool]) -> Accepted | None:
        self._points.step()
        return Accepted(self.billed[-1]) if self.billed else None

    def look(self, task_id: str) -> Look:
        return Look(LookState.DONE)

    def close(self) -> None:
        """Nothing is open."""


def run_until_accepted(provider: BillingProvider, points: Points) -> tuple[str, Store, int]:
    """Attempt after attempt, as a job with retries. A person who can see the account decides truthfully."""

    def decide() -> Decision:
        if provider.billed:
            return Decision(task_id=provider.billed[-1])
        return Decision(choice=Choice.SEND)

    store, kills = Store(), 0
    while True:
        register = StoreRegister(store, points, decide)
        try:
            found = Acceptance(provider, ORDER, register, wait=lambda _: None).task_id()
        except Killed:
            kills += 1
        else:
            return found, store, kills


def sweep(*, can_find: bool, depth: int) -> int:
    """Kill at every combination of steps. Returns the number of runs."""
    runs = 0
    for kills in itertools.combinations(range(1, 16), depth):
        points = Points(*kills)
        provider = BillingProvider(points, can_find=can_find)
        task_id, store, _ = run_until_accepted(provider, points)
        assert provider.billed == [task_id], kills
        assert store.questions == 0 or not can_find, kills
        runs += 1
    return runs


def test_an_order_is_billed_once_wherever_its_attempts_are_killed() -> None:
    runs = sum(sweep(can_find=can_find, depth=depth) for can_find in (True, False) for depth in (1, 2, 3))
    assert runs >= 1000


def test_a_person_decides_only_where_the_order_was_intended_and_its_answer_not_recorded() -> None:
    provider = BillingProvider(points := Points(), can_find=False)
    run_until_accepted(provider, points)
    steps = points.passed
    questions = []
    for kill in range(1, steps + 1):
        points = Points(kill)
        _, store, kills = run_until_accepted(BillingProvider(points, can_find=False), points)
        assert kills == 1
        questions.append(store.questions)
    # before the intent, after it, sent, accepted, answered, recorded
    assert questions == [0, 1, 1, 1, 1, 0]


def test_a_refusal_is_final_and_needs_no_person() -> None:
    provider = BillingProvider(points := Points(), can_find=False)
    provider.faults = [BadRequest("no such size")]
    store = Store()
    register = StoreRegister(store, points, Decision)
    with pytest.raises(BadRequest, match="no such size"):
        Acceptance(provider, ORDER, register, wait=lambda _: None).task_id()
    assert register.intended_at() is None
    assert store.questions == 0


@pytest.mark.parametrize("fault", [ProviderDown("not reached"), RateLimited("later", 7.0)])
def test_what_was_not_sent_is_sent_again_after_a_while(fault: Exception) -> None:
    provider = BillingProvider(points := Points(), can_find=False)
    provider.faults = [fault, fault]
    provider.max_wait_s = 60.0
    waits: list[float] = []
    store = Store()
    register = StoreRegister(store, points, Decision)
    assert Acceptance(provider, ORDER, register, wait=waits.append).task_id() == "task-1"
    assert len(waits) == 2
    assert store.questions == 0
    if isinstance(fault, RateLimited):
        assert waits == [7.0, 7.0]


def test_a_limit_that_lasts_longer_than_an_order_may_wait_ends_it() -> None:
    provider = BillingProvider(points := Points(), can_find=False)
    provider.faults = [RateLimited("tomorrow", 86_400.0)]
    waits: list[float] = []
    register = StoreRegister(Store(), points, Decision)
    with pytest.raises(RateLimited, match="tomorrow"):
        Acceptance(provider, ORDER, register, wait=waits.append).task_id()
    assert (provider.billed, waits) == ([], [])


def test_a_lost_answer_is_found_in_the_list_of_the_provider() -> None:
    provider = BillingProvider(points := Points(), can_find=True)
    provider.billed = ["task-1"]
    provider.faults = [OutcomeUnknown("no answer")]
    store = Store()
    register = StoreRegister(store, points, Decision)
    assert Acceptance(provider, ORDER, register, wait=lambda _: None).task_id() == "task-1"
    assert (provider.billed, store.questions) == (["task-1"], 0)


def test_an_order_of_a_lost_attempt_may_still_be_under_way() -> None:
    provider = BillingProvider(points := Points(), can_find=True)
    provider.max_send_s = 60.0
    register = StoreRegister(Store(intents=[time.time()]), points, Decision)

    def wait(seconds: float) -> None:
        provider.billed.append("task-1")  # it arrives only now

    assert Acceptance(provider, ORDER, register, wait=wait).task_id() == "task-1"
    assert provider.billed == ["task-1"]


def test_what_is_prepared_is_not_intended_yet() -> None:
    provider = BillingProvider(points := Points(), can_find=False)
    faults: list[Exception] = [ProviderDown("the upload failed")]

    def prepare(order: Order) -> Order:
        assert store.intents == []
        if faults:
            raise faults.pop()
        return order

    store, provider.prepare = Store(), prepare  # type: ignore[method-assign]
    register = StoreRegister(store, points, Decision)
    assert Acceptance(provider, ORDER, register, wait=lambda _: None).task_id() == "task-1"
    assert (len(store.intents), store.refused) == (1, 0)


def test_a_person_can_give_up() -> None:
    provider = BillingProvider(points := Points(), can_find=False)
    provider.faults = [OutcomeUnknown("no answer")]
    register = StoreRegister(Store(), points, lambda: Decision(choice=Choice.GIVE_UP))
    with pytest.raises(OutcomeUnknown, match="given up"):
        Acceptance(provider, ORDER, register, wait=lambda _: None).task_id()
    assert provider.billed == []


def test_an_id_that_a_slow_attempt_sets_meanwhile_is_taken_over() -> None:
    provider = BillingProvider(points := Points(), can_find=False)
    store = Store(intents=[time.time()])

    def decide() -> Decision:
        store.external.append("task-of-the-slow-attempt")
        return Decision(choice=Choice.SEND)

    register = StoreRegister(store, points, decide)
    assert Acceptance(provider, ORDER, register, wait=lambda _: None).task_id() == "task-of-the-slow-attempt"
    assert provider.billed == []


def test_an_order_that_costs_nothing_is_sent_again_without_a_question() -> None:
    provider = BillingProvider(points := Points(), can_find=False, is_free=True)
    store = Store(intents=[time.time()])
    register = StoreRegister(store, points, Decision)
    assert Acceptance(provider, ORDER, register, wait=lambda _: None).task_id() == "task-1"
    assert store.questions == 0
