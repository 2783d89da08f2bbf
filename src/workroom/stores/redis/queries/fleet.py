"""Extensions and workers."""

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
    FindSeating,
    FindWorker,
    FindWorkers,
    VisibleExtensions,
)
from workroom.domain.steps import Seating
from workroom.domain.worker import Worker, WorkerSpec
from workroom.stores.redis.keys import form, scheduling
from workroom.stores.redis.messages.codec import maybe_int, to_bytes, to_text
from workroom.stores.redis.messages.replies import consent_requests, extension_key, seating
from workroom.stores.redis.reader import Reader

_MAX_COUNT = 1000  # larger counts are of no use to callers
_SPEC = ("room", "category", "name", "schema", "schema_hash", "runner", "owner", "policy", "active")


@lru_cache(maxsize=1024)
def parsed_policy(text: str) -> Policy:
    return make_policy(orjson.loads(text))


async def find_extension(reader: Reader, query: FindExtension) -> Extension | None:
    """Return the room's extension of this name, or else the public one."""
    names = [form(room, query.category, query.name) for room in (query.room, "")]
    for found in await reader.execute("HMGET", scheduling("exts"), *names):
        extension = await _extension(reader, found)
        if extension is not None:
            return extension
    return None


async def find_actor(reader: Reader, query: FindActor) -> Extension | None:
    for found in await reader.execute("ZRANGE", scheduling("actor", query.actor), 0, -1):
        extension = await _extension(reader, found)
        if extension is not None:
            return extension
    return None


async def find_policy(reader: Reader, query: FindPolicy) -> Policy:
    policy = await reader.execute("HGET", scheduling("ext", str(query.extension_id)), "policy")
    return parsed_policy(to_text(policy))


async def count_ready(reader: Reader, query: CountReady) -> int:
    counts = await reader.send([("ZCARD", scheduling("ready", str(each))) for each in query.extensions])
    return sum(min(int(count), _MAX_COUNT) for count in counts)


async def _extension(reader: Reader, found: bytes | None) -> Extension | None:
    if found is None:
        return None
    row = await reader.execute("HMGET", scheduling("ext", to_text(found)), *_SPEC)
    room, category, name, schema, schema_hash, runner, owner, policy, active = map(to_text, row)
    if active != "1":
        return None
    spec = _spec(extension_key((room, category, name)), schema, schema_hash, runner, owner, policy)
    return Extension(int(found), spec)


async def visible_extensions(reader: Reader, query: VisibleExtensions) -> list[Extension]:
    arguments: dict[str, object] = {} if query.room is None else {"rooms": [query.room, ""]}
    found = await reader.run_script("find_extensions", arguments)
    return sorted((_visible(row) for row in found), key=_by_name)


async def extensions_overview(reader: Reader, query: ExtensionsOverview) -> list[ExtensionUsage]:
    found = await reader.run_script("find_extensions", {"usage": True})
    usages = [_usage(_visible(row), row[-1]) for row in found]
    return sorted(usages, key=lambda usage: _by_name(usage.extension))


def _usage(extension: Extension, counts: Iterable[tuple[str, int]]) -> ExtensionUsage:
    by_status = dict(counts)
    last = by_status.pop("last", None)
    jobs = {status: count for status, count in by_status.items() if count}
    if extension.pending_jobs:
        jobs["pending"] = extension.pending_jobs
    return ExtensionUsage(extension, jobs, last)


def _by_name(extension: Extension) -> tuple[str, str, list[int]]:
    """Sort by category and name; a room's extension precedes the public one of the same name."""
    key = extension.key
    return key.category, key.name, [*(-ord(letter) for letter in key.room or ""), 0]


def _visible(row: Sequence[Any]) -> Extension:
    extension, key, schema, schema_hash, runner, owner, policy, numbers, paused, opened, left, _ = row
    spec = _spec(extension_key(key), schema, schema_hash, runner, owner, policy)
    idle, busy, pending = numbers
    return Extension(extension, spec, idle, busy, pending, int(paused), maybe_int(opened), maybe_int(left))


def _spec(
    key: ExtensionKey, schema: str, schema_hash: str, runner: str, owner: str, policy: str
) -> ExtensionSpec:
    return ExtensionSpec(key, to_bytes(schema), schema_hash, RunnerKind(runner), owner, parsed_policy(policy))


async def find_worker(reader: Reader, query: FindWorker) -> Worker | None:
    found = await reader.run_script("find_workers", {"id": query.id})
    return _worker(found[0]) if found else None


async def find_workers(reader: Reader, query: FindWorkers) -> list[Worker]:
    arguments: dict[str, object] = {"offline": query.offline}
    if query.room is not None:
        arguments["room"] = query.room
    return [_worker(row) for row in await reader.run_script("find_workers", arguments)]


async def find_seating(reader: Reader, query: FindSeating) -> Seating:
    return seating(query.worker, await reader.run_script("find_seating", {"worker": query.worker}))


def _worker(row: Sequence[Any]) -> Worker:
    worker, values, assigned, running, offers, awaiting = row
    user, name, runner, slots, machine, online, draining, session, registered, since, _ = values
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
        awaiting=consent_requests(awaiting),
    )
