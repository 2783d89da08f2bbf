"""Requests to submit a job, and the keys by which a repeated request is recognised."""

from __future__ import annotations

import hmac
from collections.abc import Sequence
from dataclasses import asdict, dataclass
from typing import Any

import orjson

from workroom.domain.jobs.job_ids import first_id, item_id
from workroom.domain.steps import Idempotency
from workroom.errors import IdempotencyConflict
from workroom.services.jobs.secrets import derived_key
from workroom.services.json_codec import encoded


@dataclass(frozen=True, slots=True)
class Conditions:
    """When a job may start: at a time, and after jobs and groups.

    With `on_end`, any end of these counts, not only completion. If one has ended so that the job is skipped,
    `skip` is the reason. A job with references has results filled into its values before it starts.
    """

    run_us: int | None = None
    delay_ms: float | None = None
    after: tuple[str, ...] = ()
    on_end: bool = False
    skip: str | None = None
    has_refs: bool = False


@dataclass(slots=True)
class SubmitRequest:
    """A job that somebody wants to run.

    `key` is the caller's Idempotency-Key. `retry_of` is the job that this one replays; with `once`, a job
    that was replayed before is not replayed again. `conditions` is None for a job that may start at once, as
    nearly all may. `trace` is the caller's W3C traceparent. Services set the last three fields: whether the
    caller may raise the priority, the key as the store compares it, and an id that is derived from the key of
    a batch.
    """

    room: str
    category: str
    name: str
    data: dict[str, Any]
    priority: int | None = None
    key: str | None = None
    retry_of: str | None = None
    once: bool = False
    conditions: Conditions | None = None
    group: str | None = None
    trace: str | None = None
    may_raise: bool = False
    idempotency: Idempotency | None = None
    job_id: str | None = None


@dataclass(frozen=True, slots=True)
class BatchKey:
    """The key of a batch, and a digest of its user, route and key from which the job ids are derived."""

    idempotency: Idempotency
    digest: str


class IdempotencyKeys:
    """Digests of request bodies. They are keyed, so that nobody finds a secret value by trying digests."""

    def __init__(self, key: bytes) -> None:
        self._key = derived_key(key, b"workroom idempotency")

    def of_request(self, request: SubmitRequest, route: str) -> Idempotency | None:
        if request.key is None:
            return None
        body = {"data": request.data, "priority": request.priority, **_conditions(request)}
        return Idempotency(route, request.key, self.digest(body))

    def of_batch(
        self, user: str, route: str, requests: Sequence[SubmitRequest], key: str | None
    ) -> BatchKey | None:
        if key is None:
            return None
        body = [
            (each.category, each.name, each.data, each.priority, *_conditions(each).values())
            for each in requests
        ]
        return BatchKey(Idempotency(route, key, self.digest(body)), self.digest((user, route, key)))

    def digest(self, body: object) -> str:
        canonical = encoded(body, "the request", orjson.OPT_SORT_KEYS)
        return hmac.digest(self._key, canonical, "sha256").hex()


def _conditions(request: SubmitRequest) -> dict[str, Any]:
    return {} if request.conditions is None else {"conditions": asdict(request.conditions)}


def assign_ids(
    requests: Sequence[SubmitRequest], key: BatchKey, found: tuple[str, str] | None, at_us: int
) -> None:
    """Derive the job ids of a batch, so that it has the same ids whenever it is sent.

    `found` is the body hash and the first job id of an earlier batch with the same key.
    """
    if found is not None and found[0] != key.idempotency.body_hash:
        raise IdempotencyConflict()
    first = first_id(key.digest, at_us) if found is None else found[1]
    for index, request in enumerate(requests):
        request.job_id = item_id(first, index)
