"""Extensions and workers as the scripts are told of them."""

from __future__ import annotations

from collections.abc import Awaitable, Sequence
from dataclasses import asdict
from typing import Any, TypeVar

import orjson

from workroom.domain.extension import ExtensionSpec, RunnerKind, check_conflict
from workroom.domain.steps import Registered
from workroom.stores.redis import replies
from workroom.stores.redis.refusals import Conflict

T = TypeVar("T")


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
    is_new, extensions, created, told = row
    keys = tuple(replies.extension_key(each) for each in created)
    return Registered(worker, is_new, tuple(extensions), keys, replies.step(told))


async def unless_taken(specs: Sequence[ExtensionSpec], step: Awaitable[T]) -> T:
    """An extension that stands in the way is named by the rule that it breaks."""
    try:
        return await step
    except Conflict as conflict:
        key = replies.extension_key(conflict.key)
        runner = RunnerKind(conflict.runner)
        check_conflict(specs[conflict.index], ExtensionSpec(key, b"", conflict.schema_hash, runner, ""))
        raise
