"""Lists of jobs: which, in what order, page by page."""

from __future__ import annotations

from collections.abc import Iterable
from dataclasses import replace

import pytest

from workroom.domain.job import Job, JobState
from workroom.domain.queries import FindJob, FindJobs, FindJobsById, JobHistory
from workroom.ports import Store
from workroom.testing.conformance.stage import (
    COUNT,
    SMOOTH,
    Conformance,
    Stage,
    completed,
    extension,
    failed,
)

PAINT = extension("Paint", category="modifiers", room="attic")


class ListConformance(Conformance):
    async def test_an_unknown_job_is_not_found_and_has_no_history(self, store: Store) -> None:
        assert await store.read(FindJob("no-such-job")) is None
        assert await store.read(JobHistory("no-such-job")) == []

    async def test_jobs_are_listed_newest_first(self, stage: Stage, store: Store) -> None:
        await stage.register("w1", SMOOTH, COUNT)
        jobs = [await stage.submit(each) for each in (SMOOTH, COUNT, SMOOTH)]

        assert _ids((await store.read(FindJobs())).items) == jobs[::-1]

    async def test_a_listed_job_is_the_same_as_one_that_is_found(self, stage: Stage, store: Store) -> None:
        assignment = await stage.running(await stage.connect("w1", SMOOTH))
        await stage.finish(completed(assignment))
        await stage.submit(SMOOTH)

        listed = (await store.read(FindJobs())).items
        assert listed == [await stage.job(job.id) for job in listed]

    async def test_jobs_are_found_by_whether_they_were_replayed(self, stage: Stage, store: Store) -> None:
        await stage.register("w1", SMOOTH)
        first, other = await stage.submit_many(2, SMOOTH)
        again = replace(await stage.new_job(SMOOTH), retry_of=first)
        await store.submit([again])

        assert _ids((await store.read(FindJobs(replayed=True))).items) == [first]
        assert _ids((await store.read(FindJobs(replayed=False))).items) == [again.id, other]

    async def test_jobs_are_found_by_each_of_their_traits(self, stage: Stage, store: Store) -> None:
        session = await stage.connect("w1", SMOOTH, COUNT, PAINT)
        running = (await stage.running(session, SMOOTH, user="ada")).fence.job_id
        waiting = await stage.submit(COUNT, user="bob")
        painted = await stage.submit(PAINT, user="ada", room="attic")

        for query, expected in (
            (FindJobs(room="lab"), [waiting, running]),
            (FindJobs(room="attic"), [painted]),
            (FindJobs(user="ada"), [painted, running]),
            (FindJobs(worker="w1"), [running]),
            (FindJobs(status=JobState.PENDING), [painted, waiting]),
            (FindJobs(status=JobState.RUNNING), [running]),
            (FindJobs(queued=True), [painted, waiting]),
            (FindJobs(queued=False), [running]),
            (FindJobs(queued=True, room="attic"), [painted]),
            (FindJobs(unfinished=True), [painted, waiting, running]),
            (FindJobs(unfinished=False), []),
            (FindJobs(unfinished=True, user="ada"), [painted, running]),
            (FindJobs(unfinished=True, user="nobody"), []),
            (FindJobs(category="analysis"), [waiting, running]),
            (FindJobs(name="Paint"), [painted]),
            (FindJobs(room="lab", user="ada", category="analysis", name="Smooth"), [running]),
            (FindJobs(user="ada", status=JobState.PENDING), [painted]),
            (FindJobs(room="cellar"), []),
        ):
            page = await store.read(query)
            assert (_ids(page.items), page.next_cursor) == (expected, None), query

    @pytest.mark.parametrize("limit", [1, 3, 4, 7, 8, 50])
    async def test_pages_show_every_job_once(self, stage: Stage, store: Store, limit: int) -> None:
        await stage.register("w1", SMOOTH)
        jobs = await stage.submit_many(8, SMOOTH)
        pages = await _pages(store, FindJobs(limit=limit))

        assert [each for page in pages for each in page] == jobs[::-1]
        assert {len(page) for page in pages[:-1]} <= {limit}
        assert pages[-1]

    async def test_pages_hold_still_while_new_jobs_arrive(self, stage: Stage, store: Store) -> None:
        await stage.register("w1", SMOOTH)
        jobs = await stage.submit_many(4, SMOOTH)
        first = await store.read(FindJobs(limit=2))
        await stage.submit_many(3, SMOOTH)
        second = await store.read(FindJobs(limit=2, before=first.next_cursor))

        assert _ids([*first.items, *second.items]) == jobs[::-1]

    async def test_unfinished_jobs_are_found_behind_any_number_of_ended_ones(
        self, stage: Stage, store: Store
    ) -> None:
        session = await stage.connect("w1", SMOOTH)
        running = (await stage.running(session)).fence.job_id
        waiting = await stage.submit(SMOOTH)
        await store.cancel(await stage.submit_many(600, SMOOTH), "ada", "no longer needed")
        new = await stage.submit(SMOOTH)

        everything = await store.read(FindJobs(user="ada", unfinished=True, limit=3))
        assert (_ids(everything.items), everything.next_cursor) == ([new, waiting, running], None)
        first = await store.read(FindJobs(user="ada", unfinished=True, limit=2))
        assert _ids(first.items) == [new, waiting]
        rest = await store.read(FindJobs(user="ada", unfinished=True, limit=2, before=first.next_cursor))
        assert (_ids(rest.items), rest.next_cursor) == ([running], None)

    async def test_a_brief_job_has_nothing_that_may_be_large(self, stage: Stage, store: Store) -> None:
        session = await stage.connect("w1", SMOOTH)
        done, broken = await stage.running(session), await stage.running(session)
        await stage.finish(completed(done, b'{"large":1}'))
        await stage.finish(failed(broken))
        secret = replace(await stage.new_job(SMOOTH, data=b'{"key":"***"}'), secrets=b"encrypted")
        await store.submit([secret])
        ids = [secret.id, broken.fence.job_id, done.fence.job_id]
        whole = [await stage.job(each) for each in ids]

        expected = [_briefly(job) for job in whole]
        assert expected != whole
        assert await store.read(FindJobsById((*ids, "no-such-job"), brief=True)) == expected
        assert (await store.read(FindJobs(brief=True))).items == expected

    async def test_pages_of_a_filtered_list_skip_what_does_not_fit(self, stage: Stage, store: Store) -> None:
        await stage.register("w1", SMOOTH)
        mine = []
        for _ in range(5):
            mine.append(await stage.submit(SMOOTH, user="ada"))
            await stage.submit(SMOOTH, user="bob")
        pages = await _pages(store, FindJobs(user="ada", limit=2))

        assert [each for page in pages for each in page] == mine[::-1]
        assert [len(page) for page in pages] == [2, 2, 1]


def _briefly(job: Job) -> Job:
    small = replace(job, data=b"", secrets=None, progress=None, result=None, error=None)
    return replace(small, waiting=None, queue_position=None, slots=0)


def _ids(jobs: Iterable[Job]) -> list[str]:
    return [job.id for job in jobs]


async def _pages(store: Store, query: FindJobs) -> list[list[str]]:
    page = await store.read(query)
    pages = [_ids(page.items)]
    while page.next_cursor is not None:
        page = await store.read(FindJobs(user=query.user, limit=query.limit, before=page.next_cursor))
        pages.append(_ids(page.items))
    return pages
