"""A paid service on loopback: it bills what it accepts, and holds requests at points of the protocol.

`support.extensions.paid_providers` has the providers that speak to it.
"""

from __future__ import annotations

import io
import threading
from collections import Counter
from collections.abc import Iterator
from contextlib import contextmanager

from PIL import Image

from support.fake_service import Answer, Call, FakeService

POINTS = ("intended", "received", "accepted", "replied", "looking", "fetching", "fetched")
"""Where an order can be held, in the order of the protocol."""


def _png() -> bytes:
    target = io.BytesIO()
    Image.new("RGB", (96, 64), (200, 90, 40)).save(target, "PNG")
    return target.getvalue()


PNG = _png()


class BillingService:
    def __init__(self) -> None:
        self._service = FakeService(self._handle)
        self._lock = threading.Lock()
        self._holds: dict[str, str] = {}
        self._closes: set[str] = set()
        self._released = threading.Event()
        self.reached: set[str] = set()
        self.bills: Counter[str] = Counter()
        self.cancelled: set[str] = set()
        """The orders whose tasks were stopped."""
        self.orders: dict[str, str] = {}
        self.looks = 1
        """How often an order is looked at before it is done."""
        self.expires = False
        """Whether the address of a result is only good after another look."""
        self.every_order_at = ""
        """The point at which an order is held for which `hold` names none."""
        self.retry_after: float | None = None
        """In how many seconds orders that are refused now may be sent again."""
        self.cost = 2.5
        """What an order costs; it is estimated with 2.5."""
        self.most: Counter[str] = Counter()
        self._accounts: dict[str, str] = {}
        self._looked: Counter[str] = Counter()

    @property
    def url(self) -> str:
        return self._service.url

    def hold(self, reference: str, point: str, *, closes: bool = False) -> None:
        """Hold the order of a job at a point, once. With `closes`, the connection is closed there instead."""
        with self._lock:
            self._holds[reference] = point
            if closes:
                self._closes.add(reference)

    def release(self) -> None:
        """Let go of everything that is held."""
        with self._lock:
            self._holds = dict.fromkeys(self._holds, "")
            self._released.set()
            self._released = threading.Event()

    def id_of(self, reference: str) -> str | None:
        return next((id for id, each in self.orders.items() if each == reference), None)

    @contextmanager
    def serving(self) -> Iterator[BillingService]:
        with self._service.running():
            try:
                yield self
            finally:
                self.release()

    def _handle(self, call: Call) -> Answer:
        if call.path.startswith("/points/"):
            return self._at(call.path.removeprefix("/points/"), call.query["reference"]) or Answer({})
        if call.path.startswith("/files/"):
            is_first = call.path.endswith(f"-{self.looks}.png")
            return Answer(status=410) if self.expires and is_first else Answer(PNG)
        if call.path.endswith("/cancel"):
            self.cancelled.add(self.orders[call.path.split("/")[2]])
            return Answer({})
        if call.method == "POST":
            return self._accept(call)
        if call.path == "/orders":
            found = self.id_of(call.query["reference"])
            return Answer({"ids": [found] if found else []})
        return self._look(call.path.removeprefix("/orders/"))

    def _accept(self, call: Call) -> Answer:
        reference, account = call.json["reference"], call.json["account"]
        held = self._at("received", reference)
        if held is not None:
            return held
        if self.retry_after is not None:
            self.reached.add(reference)
            return Answer({"error": "slow down"}, 429, {"Retry-After": str(self.retry_after)})
        with self._lock:
            self.bills[reference] += 1
            id = f"order-{len(self.orders) + 1}"
            self.orders[id] = reference
            self._accounts[id] = account
            self.most[account] = max(self.most[account], self._running(account))
        return self._at("accepted", reference) or Answer({"id": id, "cost": self.cost})

    def _look(self, id: str) -> Answer:
        held = self._at("looking", self.orders[id])
        if held is not None:
            return held
        with self._lock:
            self._looked[id] += 1
        state = "done" if self._is_done(id) else "running"
        return Answer({"state": state, "url": f"{self.url}/files/{id}-{self._looked[id]}.png"})

    def _is_done(self, id: str) -> bool:
        return self._looked[id] >= self.looks

    def _running(self, account: str) -> int:
        own = [id for id, each in self._accounts.items() if each == account]
        return sum(not self._is_done(id) for id in own)

    def _at(self, point: str, reference: str) -> Answer | None:
        """What to answer at a point where the order is held; None where it is not."""
        with self._lock:
            if self._holds.setdefault(reference, self.every_order_at) != point:
                return None
            self._holds[reference] = ""
            closes, released = reference in self._closes, self._released
        self.reached.add(reference)
        if not closes:
            released.wait(30)
        return Answer(closes=True)


@contextmanager
def billing_service() -> Iterator[BillingService]:
    with BillingService().serving() as service:
        yield service
