"""Extensions and workers as scripts receive and return them."""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import asdict
from typing import Any

import orjson

from workroom.domain.extension import ExtensionKey, ExtensionSpec
from workroom.domain.steps import Accepted, Dismissed, Registered
from workroom.stores.redis.messages import replies
from workroom.stores.redis.messages.layouts import SpecRow


def spec_row(spec: ExtensionSpec) -> SpecRow:
    key = spec.key
    return SpecRow(
        room=key.room or "",
        category=key.category,
        name=key.name,
        schema=spec.schema,
        schema_hash=spec.schema_hash,
        runner=str(spec.runner),
        owner=spec.owner,
        policy=orjson.dumps(asdict(spec.policy)),
        actor=spec.policy.actor or False,
    )


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
