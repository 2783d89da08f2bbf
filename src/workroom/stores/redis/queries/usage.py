"""Counts of what quotas limit."""

from __future__ import annotations

from workroom.domain.queries import CountUsage, FindOwners, FindSubmitted
from workroom.stores.redis.connection import Command
from workroom.stores.redis.keys import SEPARATOR, scheduling
from workroom.stores.redis.messages.codec import to_text
from workroom.stores.redis.reader import Reader


async def count_usage(reader: Reader, query: CountUsage) -> tuple[int, ...]:
    counters = [[str(kind), str(per), subject] for kind, per, subject in query.counters]
    found = await reader.run_script("count_usage", {"counters": counters, "now": str(query.now_us)})
    return tuple(int(count) for count in found)


async def find_owners(reader: Reader, query: FindOwners) -> tuple[str | None, ...]:
    names = [SEPARATOR.join((key.room or "", key.category, key.name)) for key in query.keys]
    if not names:
        return ()
    ids = await reader.execute("HMGET", scheduling("exts"), *names)
    known: list[Command] = [("HGET", scheduling("ext", to_text(each)), "owner") for each in ids if each]
    owners = iter(await reader.send(known) if known else [])
    return tuple(to_text(next(owners)) if each else None for each in ids)


async def find_submitted(reader: Reader, query: FindSubmitted) -> tuple[str, str] | None:
    name = SEPARATOR.join((query.user, query.route, query.key))
    body, job_id, at = await reader.execute("HMGET", scheduling("once", name), "body", "job", "at")
    is_recent = body is not None and int(at) > query.since_us
    return (to_text(body), to_text(job_id)) if is_recent else None
