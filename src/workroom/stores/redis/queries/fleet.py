"""Extensions and workers."""

from __future__ import annotations

from collections.abc import Awaitable, Callable
from functools import lru_cache

import orjson

from workroom.domain.extension import Extension, ExtensionKey, ExtensionSpec, Policy, RunnerKind, make_policy
from workroom.domain.queries import (
    CountLanes,
    CountReady,
    ExtensionsOverview,
    ExtensionUsage,
    FindActor,
    FindExtension,
    FindIdle,
    FindPolicy,
    FindQueues,
    FindSeating,
    FindWorker,
    FindWorkers,
    LaneUse,
    LastFailure,
    Queue,
    VisibleExtensions,
)
from workroom.domain.steps import Seating
from workroom.domain.storage.recent_ends import decode_ends
from workroom.domain.worker import Worker, WorkerSpec
from workroom.stores.redis.keys import form, scheduling
from workroom.stores.redis.messages.codec import maybe_int, to_bytes, to_text
from workroom.stores.redis.messages.layouts import ExtensionRow, QueueRow, UsageRow, WorkerRow
from workroom.stores.redis.messages.replies import consent_requests, extension_key, seating
from workroom.stores.redis.reader import Reader

_MAX_COUNT = 1000  # larger counts are of no use to callers
_SPEC = ("room", "category", "name", "schema", "schema_hash", "runner", "owner", "policy", "active")
_IDLE = ("online", "draining", "slots")


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


async def count_lanes(reader: Reader, query: CountLanes) -> dict[str, LaneUse]:
    commands = [
        (command, scheduling(kind, str(query.extension_id), lane))
        for lane in query.lanes
        for command, kind in (("SCARD", "active"), ("ZCARD", "open"), ("ZCARD", "parked"))
    ]
    counts = [int(count) for count in await reader.send(commands)] if commands else []
    triples = zip(counts[::3], counts[1::3], counts[2::3], strict=True)
    return {
        lane: LaneUse(active, is_open + parked)
        for lane, (active, is_open, parked) in zip(query.lanes, triples, strict=True)
    }


async def count_ready(reader: Reader, query: CountReady) -> int:
    counts = await reader.send([("ZCARD", scheduling("ready", str(each))) for each in query.extensions])
    return sum(min(int(count), _MAX_COUNT) for count in counts)


async def find_idle(reader: Reader, query: FindIdle) -> list[str]:
    offered = await reader.execute("SMEMBERS", scheduling("offered", str(query.extension_id)))
    workers = [to_text(worker) for worker in offered]
    found = await reader.send([("HMGET", scheduling("worker", each), *_IDLE) for each in workers])
    held = await reader.send([("HLEN", scheduling("held", each)) for each in workers])
    waiting = await reader.send([("SCARD", scheduling("suspended", each)) for each in workers])
    return [
        worker
        for worker, (online, draining, slots), count, suspended in zip(
            workers, found, held, waiting, strict=True
        )
        if (online, draining) == (b"1", b"0") and count - suspended < int(slots)
    ]


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
    return sorted((_visible(ExtensionRow._make(row)) for row in found), key=_by_name)


FindDeparted = Callable[[str], Awaitable[LastFailure | None]] | None


async def extensions_overview(
    reader: Reader, query: ExtensionsOverview, find_departed: FindDeparted = None
) -> list[ExtensionUsage]:
    """`find_departed` reads the error of a job that has left Redis."""
    found = await reader.run_script("find_extensions", {"usage": True})
    rows = [ExtensionRow._make(row) for row in found]
    usages = [await _usage(_visible(row), UsageRow._make(row.usage or ()), find_departed) for row in rows]
    return sorted(usages, key=lambda usage: _by_name(usage.extension))


async def find_queues(reader: Reader, query: FindQueues) -> list[Queue]:
    rows = [QueueRow._make(row) for row in await reader.run_script("find_queues", {})]
    return sorted((_queue(row) for row in rows), key=lambda queue: queue.extension_id)


def _queue(row: QueueRow) -> Queue:
    return Queue(
        row.id,
        extension_key(row.key),
        is_paused=bool(row.is_paused),
        is_broken=bool(row.is_broken),
        ready=row.ready,
        limited=row.limited,
        paced=row.paced,
        later=row.later,
        oldest_us=maybe_int(row.oldest),
        completed=row.completed,
        failed=row.failed,
        cancelled=row.cancelled,
    )


async def _usage(extension: Extension, row: UsageRow, find_departed: FindDeparted) -> ExtensionUsage:
    counts = (("pending", extension.pending_jobs), *row.jobs)
    return ExtensionUsage(
        extension,
        jobs={status: count for status, count in counts if count},
        last_job_at_us=maybe_int(row.last),
        recent=decode_ends(to_bytes(row.recent)),
        last_failure=await _last_failure(row, find_departed),
    )


async def _last_failure(row: UsageRow, find_departed: FindDeparted) -> LastFailure | None:
    if row.failed_job is False:
        return None
    if row.failed_us is not False and row.error is not False:
        return LastFailure(row.failed_job, row.failed_us, to_bytes(row.error))
    return None if find_departed is None else await find_departed(row.failed_job)


def _by_name(extension: Extension) -> tuple[str, str, list[int]]:
    """Sort by category and name; a room's extension precedes the public one of the same name."""
    key = extension.key
    return key.category, key.name, [*(-ord(letter) for letter in key.room or ""), 0]


def _visible(row: ExtensionRow) -> Extension:
    key = extension_key(row.key)
    return Extension(
        id=row.id,
        spec=_spec(key, row.schema, row.schema_hash, row.runner, row.owner, row.policy),
        idle_workers=row.idle,
        busy_workers=row.busy,
        pending_jobs=row.pending,
        paused=int(row.paused),
        opened_us=maybe_int(row.opened),
        left_us=maybe_int(row.left),
    )


def _spec(
    key: ExtensionKey, schema: str, schema_hash: str, runner: str, owner: str, policy: str
) -> ExtensionSpec:
    return ExtensionSpec(key, to_bytes(schema), schema_hash, RunnerKind(runner), owner, parsed_policy(policy))


async def find_worker(reader: Reader, query: FindWorker) -> Worker | None:
    found = await reader.run_script("find_workers", {"id": query.id})
    return _worker(WorkerRow._make(found[0])) if found else None


async def find_workers(reader: Reader, query: FindWorkers) -> list[Worker]:
    arguments: dict[str, object] = {"offline": query.offline}
    if query.room is not None:
        arguments["room"] = query.room
    found = await reader.run_script("find_workers", arguments)
    return [_worker(WorkerRow._make(row)) for row in found]


async def find_seating(reader: Reader, query: FindSeating) -> Seating:
    return seating(query.worker, await reader.run_script("find_seating", {"worker": query.worker}))


def _worker(row: WorkerRow) -> Worker:
    keys = sorted((extension_key(each) for each in row.offers), key=lambda key: (key.category, key.name))
    return Worker(
        spec=WorkerSpec(row.id, row.user, row.name, row.runner, int(row.slots), to_bytes(row.machine)),
        online=row.online == "1",
        draining=row.draining == "1",
        session=int(row.session),
        registered_at_us=int(row.registered),
        since_us=int(row.since),
        assigned=row.assigned,
        running=row.running,
        extensions=tuple(keys),
        awaiting=consent_requests(row.awaiting),
    )
