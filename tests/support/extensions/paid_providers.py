"""Providers of `support.billing_service`: `listing` can list its orders, `forgetful` cannot."""

from __future__ import annotations

import os
from collections.abc import Callable
from contextlib import suppress
from pathlib import Path
from typing import Any

import httpx

from workroom.packs.media.providers import (
    Accepted,
    Action,
    Cost,
    Downloaded,
    DownloadLimits,
    Look,
    LookState,
    MediaProvider,
    MediaProviderRegistry,
    Order,
    OutboundGuard,
    OutcomeUnknown,
)
from workroom.packs.media.providers.http import ProviderHttp


class PaidProvider(MediaProvider):
    actions = frozenset({Action.TXT2IMG, Action.IMG2IMG})
    poll_s = 0.05
    max_wait_s = 60.0
    listed_after_s = 0.0
    max_send_s = 4.0

    def __init__(self, name: str, *, can_find: bool) -> None:
        self.name, self.can_find = name, can_find  # type: ignore[misc]
        self._url = os.environ["PAID_URL"]
        self._http = ProviderHttp(self._url, {}, httpx.Timeout(20.0))
        self._references: dict[str, str] = {}

    def submit(self, order: Order) -> Accepted:
        self._pass("intended", order.reference)
        try:
            answer = self._http.order("/orders", json={"reference": order.reference, "account": self.name})
        except OutcomeUnknown:
            self._pass("unsent", order.reference)
            raise
        self._pass("replied", order.reference)
        self._references[answer["id"]] = order.reference
        return Accepted(answer["id"], Cost(answer["cost"], "credits"))

    def look(self, task_id: str) -> Look:
        answer: Any = self._http.read(f"/orders/{task_id}")
        if answer["state"] != "done":
            return Look(LookState.RUNNING, 0.5, "painting")
        return Look(LookState.DONE, 1.0, urls=(answer["url"],))

    def fetch(
        self, url: str, folder: Path, name: str, guard: OutboundGuard, limits: DownloadLimits
    ) -> Downloaded:
        reference = name.removeprefix("gc_").rpartition("_")[0]  # the id of the job
        self._pass("fetching", reference)
        found = super().fetch(url, folder, name, guard, limits)
        self._pass("fetched", reference)
        return found

    def find(self, order: Order, since: float, is_known: Callable[[str], bool]) -> Accepted | None:
        ids: list[str] = self._http.read("/orders", params={"reference": order.reference})["ids"]
        return Accepted(ids[0], Cost(2.5, "credits")) if ids else None

    def cancel(self, task_id: str) -> bool:
        self._http.call(f"/orders/{task_id}/cancel")
        return True

    def estimate(self, order: Order) -> Cost:
        return Cost(2.5, "credits")

    def close(self) -> None:
        self._http.close()

    def _pass(self, point: str, reference: str) -> None:
        with suppress(httpx.HTTPError):
            httpx.get(f"{self._url}/points/{point}", params={"reference": reference}, timeout=30)


MediaProviderRegistry.register("listing", lambda: PaidProvider("listing", can_find=True), concurrency=50)
MediaProviderRegistry.register("forgetful", lambda: PaidProvider("forgetful", can_find=False), concurrency=50)
MediaProviderRegistry.register("one", lambda: PaidProvider("one", can_find=True), concurrency=1)
MediaProviderRegistry.register("three", lambda: PaidProvider("three", can_find=True), concurrency=3)
