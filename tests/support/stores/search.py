"""Searches of a room's history, which find the same in every store."""

from __future__ import annotations

import json
from typing import Any

from workroom.domain.job import JobError
from workroom.domain.jobs.annotation import Annotation
from workroom.domain.queries import Query
from workroom.domain.search.parser import parse_search
from workroom.ports import Store
from workroom.services.history.job_finder import CHUNK, MAX_BYTES, MAX_EXAMINED, Found, JobFinder
from workroom.testing.conformance import Stage
from workroom.testing.conformance.records.annotations import annotating
from workroom.testing.conformance.stage import COUNT, SMOOTH, Conformance, completed, failed

_DAY = 86_400


class Reading:
    """A store that counts the jobs that are read from it."""

    def __init__(self, store: Store) -> None:
        self._store = store
        self.jobs = 0

    async def read(self, query: Query[Any]) -> Any:
        page = await self._store.read(query)
        self.jobs += len(page.items)
        return page


class SearchConformance(Conformance):
    async def test_a_search_finds_what_it_describes(self, stage: Stage, store: Store) -> None:
        jobs = await _history(stage)
        await self.after_history(store)

        for text, expected in (
            ("window>5", ["wide", "broken"]),
            ("window<=5", ["narrow"]),
            ("calculator=emt", ["narrow"]),
            ("user:bob", ["broken"]),
            ("state:completed", ["narrow", "wide"]),
            ("state:queued", ["waiting"]),
            ("tool:count", ["waiting"]),
            ("frames", ["broken"]),
            ("secret-trace", []),
            ("starred", ["wide"]),
            ("starred window>50", []),
            ("tag:paper", ["wide", "waiting"]),
            ("-tag:paper", ["narrow", "broken"]),
            ("copper", ["wide"]),
            ("note:again", ["waiting"]),
            ("since:1d", ["broken", "waiting"]),
            ("before:1d", ["narrow", "wide"]),
            ("smooth -user:bob", ["narrow", "wide"]),
        ):
            found = await _find(stage, text)
            assert [job.id for job in found.items] == [jobs[name] for name in reversed(expected)], text
            assert found.next_cursor is None

    async def after_history(self, store: Store) -> None:
        """Something that must not change what a search finds."""

    async def test_pages_of_a_search_follow_one_another(self, stage: Stage, store: Store) -> None:
        await stage.register("w1", SMOOTH)
        jobs = [await stage.submit(SMOOTH, data=_data(window=number % 3)) for number in range(10)]
        wanted = [job for number, job in enumerate(jobs) if number % 3 == 0][::-1]

        first = await _find(stage, "window=0", limit=3)
        assert [job.id for job in first.items] == wanted[:3]
        assert (first.next_cursor, first.examined) == (first.items[-1].sequence, 7)
        rest = await _find(stage, "window=0", before=first.next_cursor, limit=3)
        assert [job.id for job in rest.items] == wanted[3:]
        assert (rest.next_cursor, rest.examined) == (None, 3)

    async def test_a_request_examines_so_many_jobs_and_says_where_to_go_on(
        self, stage: Stage, store: Store
    ) -> None:
        await stage.register("w1", SMOOTH)
        oldest = await stage.submit(SMOOTH, data=_data(window=1))
        await stage.submit_many(MAX_EXAMINED + 50, SMOOTH)

        first = await _find(stage, "window=1")
        assert (first.items, first.examined) == ([], MAX_EXAMINED)
        rest = await _find(stage, "window=1", before=first.next_cursor)
        assert ([job.id for job in rest.items], rest.examined) == ([oldest], 51)

    async def test_a_search_for_stars_examines_only_what_people_wrote_about(
        self, stage: Stage, store: Store
    ) -> None:
        await stage.register("w1", SMOOTH)
        jobs = await stage.submit_many(300, SMOOTH)
        await store.annotate([annotating(jobs[3]), annotating(jobs[7], Annotation(name="x", version=1))])

        found = await _find(stage, "starred")
        assert ([job.id for job in found.items], found.examined) == ([jobs[3]], 2)

    async def test_a_search_of_large_jobs_reads_few_at_once(self, stage: Stage, store: Store) -> None:
        await stage.register("w1", SMOOTH)
        large = _data(text="x" * 900_000)
        for _ in range(MAX_BYTES // len(large) + 2 * CHUNK):
            await stage.submit(SMOOTH, data=large)
        reading = Reading(store)

        search = parse_search("window=1", me="ada", now_us=stage.clock.now_us())
        found = await JobFinder(reading).find("ada", "lab", search, None, 50)
        assert found.examined == MAX_BYTES // len(large) + 1
        assert reading.jobs <= found.examined + CHUNK

    async def test_a_search_stops_at_its_first_day(self, stage: Stage, store: Store) -> None:
        await stage.register("w1", SMOOTH)
        await stage.submit_many(5, SMOOTH)
        stage.clock.advance(3 * _DAY)
        new = await stage.submit(SMOOTH)

        found = await _find(stage, "since:1d")
        assert ([job.id for job in found.items], found.examined) == ([new], 2)
        assert found.next_cursor is None


async def _history(stage: Stage) -> dict[str, str]:
    session = await stage.connect("w1", SMOOTH, COUNT)
    narrow = await stage.running(session, data=_data(window=3, calculator="EMT"))
    await stage.finish(completed(narrow))
    wide = await stage.running(session, data=_data(window=9))
    await stage.finish(completed(wide))
    stage.clock.advance(2 * _DAY)
    broken = await stage.running(session, user="bob", data=_data(window=7))
    await stage.finish(failed(broken, JobError("ValueError", "no frames", {}, "secret-trace")))
    waiting = await stage.submit(COUNT)
    noted = Annotation(tags=("Paper",), note="run\nAGAIN", version=1)
    starred = Annotation("Copper bulk", True, ("draft", "paper"), version=1)
    await stage.store.annotate([annotating(wide.fence.job_id, starred), annotating(waiting, noted)])
    ran = {"narrow": narrow, "wide": wide, "broken": broken}
    return {**{name: each.fence.job_id for name, each in ran.items()}, "waiting": waiting}


async def _find(stage: Stage, text: str, before: int | None = None, limit: int = 50) -> Found:
    search = parse_search(text, me="ada", now_us=stage.clock.now_us())
    return await JobFinder(stage.store).find("ada", "lab", search, before, limit)


def _data(**values: Any) -> bytes:
    return json.dumps(values).encode()
