"""Groups: verbs as scripts, and their queries."""

from __future__ import annotations

import asyncio
from collections.abc import Awaitable, Callable, Sequence
from typing import Any, TypeVar

import orjson

from workroom.domain.job import JobState
from workroom.domain.jobs.group import Group, GroupChange, Neighbours, NewGroup
from workroom.domain.queries import FindGroup, FindGroupEnds, FindGroups, FindNeighbours, Page
from workroom.domain.steps import Step
from workroom.stores.redis.connection import Command
from workroom.stores.redis.keys import scheduling
from workroom.stores.redis.messages import replies
from workroom.stores.redis.messages.codec import to_text
from workroom.stores.redis.reader import Reader

T = TypeVar("T")


class GroupVerbs:
    def _step(
        self, script: str, decode: Callable[[Any], T], *, before: Sequence[Command] = (), **arguments: object
    ) -> asyncio.Future[T]:
        raise NotImplementedError

    def create_group(self, new: NewGroup) -> Awaitable[None]:
        return self._step(
            "create_group",
            lambda _: None,
            id=new.id,
            room=new.room,
            user=new.user,
            title=new.title,
            parameters=orjson.dumps(new.parameters).decode(),
        )

    def change_group(self, group: str, change: GroupChange, actor: str, reason: str) -> Awaitable[Step]:
        return self._step(
            "change_group", replies.step, group=group, change=str(change), actor=actor, reason=reason
        )


async def find_group(reader: Reader, query: FindGroup) -> Group | None:
    found = await reader.run_script("find_groups", {"ids": [query.id]})
    return _group(*found[0]) if found else None


async def find_groups(reader: Reader, query: FindGroups) -> Page[Group]:
    before = "+inf" if query.before is None else str(query.before)
    wanted: dict[str, object] = {"room": query.room, "before": before, "limit": query.limit + 1}
    found = [_group(*row) for row in await reader.run_script("find_groups", wanted)]
    page = found[: query.limit]
    return Page(page, page[-1].sequence if len(found) > query.limit else None)


async def find_group_ends(reader: Reader, query: FindGroupEnds) -> list[str]:
    last = query.after + query.limit - 1
    return [
        to_text(job_id)
        for job_id in await reader.execute("LRANGE", scheduling("group_ends", query.id), query.after, last)
    ]


async def find_neighbours(reader: Reader, query: FindNeighbours) -> Neighbours:
    last = query.limit - 1
    before = await reader.execute("LRANGE", scheduling("arrows", query.job_id), 0, last)
    after = await reader.execute("LRANGE", scheduling("followers", query.job_id), 0, last)
    return Neighbours(
        tuple(sorted(to_text(each) for each in before)),
        tuple(to_text(each)[1:] for each in after),  # the first character is how it follows
    )


def _group(group: str, values: Sequence[str]) -> Group:
    fields = dict(zip(values[::2], values[1::2], strict=True))
    counts = {state: int(fields.get(state, 0)) for state in JobState}
    counts[JobState.FAILED] -= int(fields.get("retried", 0))
    change, ended = fields.get("change"), fields.get("ended")
    return Group(
        int(fields["sequence"]),
        group,
        fields["room"],
        fields["user"],
        fields["title"],
        tuple(orjson.loads(fields["parameters"])),
        _us(fields["created"]),
        fields.get("is_open") == "1",
        fields.get("is_paused") == "1",
        fields.get("is_cancelled") == "1",
        None if change is None else GroupChange(change),
        int(fields["version"]),
        None if ended is None else _us(ended),
        counts,
    )


def _us(text: str) -> int:
    """Lua writes large numbers in exponential form."""
    return int(float(text))
