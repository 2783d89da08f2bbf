"""Extensions and workers as scripts receive and return them."""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import asdict
from typing import Any

import orjson

from workroom.domain.extension import ExtensionKey, ExtensionSpec
from workroom.domain.steps import Accepted, Dismissed, Registered
from workroom.stores.redis.messages import replies


def spec_row(spec: ExtensionSpec) -> list[object]:
    key = spec.key
    policy = orjson.dumps(asdict(spec.policy))
    actor = spec.policy.actor or False
    return [
        key.room or "",
        key.category,
        key.name,
        spec.schema,
        spec.schema_hash,
        str(spec.runner),
        spec.owner,
        policy,
        actor,
    ]


def registered(worker: str, row: Sequence[Any]) -> Registered:
    is_new, extensions, created, awaiting, step = row
    keys = tuple(replies.extension_key(each) for each in created)
    requests = replies.consent_requests(awaiting)
    return Registered(worker, is_new, tuple(extensions), keys, replies.step(step), requests)


def accepted(worker: str, row: Sequence[Any]) -> Accepted:
    keys, created, seating = row
    return Accepted(
        [replies.extension_key(each) for each in keys],
        [replies.extension_key(each) for each in created],
        replies.seating(worker, seating),
    )


def dismissed(worker: str, row: Sequence[Any]) -> Dismissed:
    keys, is_over, seating, step = row
    ended = [replies.extension_key(each) for each in keys]
    return Dismissed(ended, is_over, replies.seating(worker, seating), replies.step(step))


def key_row(key: ExtensionKey) -> list[str]:
    return [key.room or "", key.category, key.name]
