"""Extensions and workers, as they stand."""

from __future__ import annotations

from collections.abc import Iterable, Sequence
from functools import lru_cache
from typing import Any

import orjson

from workroom.domain.extension import Extension, ExtensionKey, ExtensionSpec, Policy, RunnerKind, make_policy
from workroom.domain.queries import (
    CountReady,
    ExtensionsOverview,
    ExtensionUsage,
    FindActor,
    FindExtension,
    FindPolicy,
    FindWorker,
    FindWorkers,
    VisibleExtensions,
)
from workroom.domain.worker import Worker, WorkerSpec
from workroom.stores.redis.asking import Asker
from workroom.stores.redis.keys import form, scheduling
from workroom.stores.redis.packing import to_bytes, to_text
from workroom.stores.redis.replies import extension_key

_COUNTED = 1000  # of each: nobody needs a larger number
_SPEC = ("room", "category", "name", "schema", "schema_hash", "runner", "owner", "policy", "active")


@lru_cache(maxsize=1024)
def parsed_policy(text: str) -> Policy:
    return make_policy(orjson.loads(text))


async def find_extension(asker: Asker, query: FindExtension) -> Extension | None:
    """The room's own first, then public."""
    names = [form(room, query.category, query.name) for room in (query.room, "")]
    for found in await asker.one("HMGET", scheduling("exts"), *names):
        extension = await _extension(asker, found)
        if extension is not None:
            return extension
    return None


async def find_actor(asker: Asker, query: FindActor) -> Extension | None:
    for found in await asker.one("ZRANGE", scheduling("actor", query.actor), 0, -1):
        extension = await _extension(asker, found)
        if extension is not None:
            return extension
    return None


async def find_policy(asker: Asker, query: FindPolicy) -> Policy:
    policy = await asker.one("HGET", scheduling("ext", str(query.extension_id)), "policy")
    return parsed_policy(to_text(policy))


async def count_ready(asker: Asker, query: CountReady) -> int:
    counts = await asker.send([("ZCARD", scheduling("ready", str(each))) for each in query.extensions])
    return sum(min(int(count), _COUNTED) for count in counts)


async def _extension(asker: Asker, found: bytes | None) -> Extension | None:
    if found is None:
        return None
    row = await asker.one("HMGET", scheduling("ext", to_text(found)), *_SPEC)
    room, category, name, schema, schema_hash, runner, owner, policy, active = map(to_text, row)
    if active != "1":
        return None
    spec = _spec(extension_key((room, category, name)), schema, schema_hash, runner, owner, policy)
    return Extension(int(found), spec)


async def visible_extensions(asker: Asker, query: VisibleExtensions) -> list[Extension]:
    arguments: dict[str, object] = {} if query.room is None else {"rooms": [query.room, ""]}
    found = await asker.script("find_extensions", arguments)
    return sorted((_visible(row) for row in found), key=_by_name)


async def extensions_overview(asker: Asker, query: ExtensionsOverview) -> list[ExtensionUsage]:
    found = await asker.script("find_extensions", {"usage": True})
    usages = [_usage(_visible(row), row[-1]) for row in found]
    return sorted(usages, key=lambda usage: _by_name(usage.extension))


def _usage(extension: Extension, counts: Iterable[tuple[str, int]]) -> ExtensionUsage:
    told = dict(counts)
    last = told.pop("last", None)
    jobs = {status: count for status, count in told.items() if count}
    if extension.pending_jobs:
        jobs["pending"] = extension.pending_jobs
    return ExtensionUsage(extension, jobs, last)


def _by_name(extension: Extension) -> tuple[str, str, list[int]]:
    """One of a room stands before one of the same name for all, and rooms from the last on."""
    key = extension.key
    return key.category, key.name, [*(-ord(letter) for letter in key.room or ""), 0]


def _visible(row: Sequence[Any]) -> Extension:
    extension, key, schema, schema_hash, runner, owner, policy, numbers, paused, opened, _ = row
    spec = _spec(extension_key(key), schema, schema_hash, runner, owner, policy)
    idle, busy, pending = numbers
    return Extension(extension, spec, idle, busy, pending, int(paused), None if opened is False else opened)


def _spec(
    key: ExtensionKey, schema: str, schema_hash: str, runner: str, owner: str, policy: str
) -> ExtensionSpec:
    return ExtensionSpec(key, to_bytes(schema), schema_hash, RunnerKind(runner), owner, parsed_policy(policy))


async def find_worker(asker: Asker, query: FindWorker) -> Worker | None:
    found = await asker.script("find_workers", {"id": query.id})
    return _worker(found[0]) if found else None


async def find_workers(asker: Asker, query: FindWorkers) -> list[Worker]:
    arguments: dict[str, object] = {} if query.room is None else {"room": query.room}
    return [_worker(row) for row in await asker.script("find_workers", arguments)]


def _worker(row: Sequence[Any]) -> Worker:
    worker, values, assigned, running, offers = row
    user, name, runner, slots, machine, online, draining, session, registered, since = values
    keys = sorted((extension_key(each) for each in offers), key=lambda key: (key.category, key.name))
    return Worker(
        spec=WorkerSpec(worker, user, name, runner, int(slots), to_bytes(machine)),
        online=online == "1",
        draining=draining == "1",
        session=int(session),
        registered_at_us=int(registered),
        since_us=int(since),
        assigned=assigned,
        running=running,
        extensions=tuple(keys),
    )
