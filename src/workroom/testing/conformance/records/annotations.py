"""What people write about jobs."""

from __future__ import annotations

import asyncio

from workroom.domain.jobs.annotation import Annotating, Annotation, Saved
from workroom.domain.queries import FindJob, FindJobs, FindJobsById
from workroom.ports import Store
from workroom.testing.conformance.stage import ATTIC, LAB, SMOOTH, Conformance, Stage, completed, extension

PAINT = extension("Paint", room=ATTIC)
WRITTEN = Annotation("Kupfer grün", True, ("paper", "zwei Wörter"), "check\nagain 🙂", 1, "ada", 1_800_000)


def annotating(job_id: str, annotation: Annotation = WRITTEN) -> Annotating:
    return Annotating(job_id, LAB, annotation)


class AnnotateConformance(Conformance):
    async def test_an_annotation_reads_as_it_was_written(self, stage: Stage, store: Store) -> None:
        await stage.register("w1", SMOOTH)
        job, other = await stage.submit_many(2, SMOOTH)

        assert await store.annotate([annotating(job)]) == [Saved.SAVED]
        assert (await stage.job(job)).annotation == WRITTEN
        assert (await stage.job(other)).annotation is None
        listed = {each.id: each.annotation for each in (await store.read(FindJobs(room=LAB))).items}
        assert listed == {job: WRITTEN, other: None}

    async def test_an_annotation_changes_nothing_else(self, stage: Stage, store: Store) -> None:
        session = await stage.connect("w1", SMOOTH)
        assignment = await stage.assigned(session)
        before = await stage.job(assignment.fence.job_id)
        await store.annotate([annotating(before.id)])
        after = await stage.job(before.id)
        after.annotation = None
        assert after == before

        await stage.start(assignment)
        await stage.finish(completed(assignment))
        assert (await stage.job(before.id)).annotation == WRITTEN

    async def test_of_two_changes_of_one_version_the_first_counts(self, stage: Stage, store: Store) -> None:
        await stage.register("w1", SMOOTH)
        job = await stage.submit(SMOOTH)
        first, second = Annotation(name="first", version=1), Annotation(name="second", version=1)
        saved = await asyncio.gather(
            store.annotate([annotating(job, first)]), store.annotate([annotating(job, second)])
        )

        assert list(saved) == [[Saved.SAVED], [Saved.OUTDATED]]
        assert (await stage.job(job)).annotation == first
        next_one = Annotation(name="third", version=2)
        assert await store.annotate([annotating(job, next_one), annotating(job, second)]) == [
            Saved.SAVED,
            Saved.OUTDATED,
        ]
        assert (await stage.job(job)).annotation == next_one

    async def test_a_missing_job_cannot_be_annotated_and_does_not_stop_others(
        self, stage: Stage, store: Store
    ) -> None:
        await stage.register("w1", SMOOTH)
        job = await stage.submit(SMOOTH)

        saved = await store.annotate([annotating("no-such-job"), annotating(job)])
        assert saved == [Saved.MISSING, Saved.SAVED]
        assert await store.read(FindJob("no-such-job")) is None

    async def test_annotated_jobs_of_a_room_are_listed_page_by_page(self, stage: Stage, store: Store) -> None:
        await stage.register("w1", SMOOTH, PAINT)
        jobs = await stage.submit_many(6, SMOOTH)
        elsewhere = await stage.submit(PAINT, room=ATTIC)
        await store.annotate([annotating(each) for each in (jobs[4], jobs[0], jobs[2])])
        await store.annotate([Annotating(elsewhere, ATTIC, WRITTEN)])

        first = await store.read(FindJobs(room=LAB, annotated=True, limit=2))
        assert [job.id for job in first.items] == [jobs[4], jobs[2]]
        rest = await store.read(FindJobs(room=LAB, annotated=True, limit=2, before=first.next_cursor))
        assert [job.id for job in rest.items] == [jobs[0]]
        assert rest.next_cursor is None
        in_attic = await store.read(FindJobs(room=ATTIC, annotated=True))
        assert [job.id for job in in_attic.items] == [elsewhere]
        of_bob = await store.read(FindJobs(room=LAB, annotated=True, user="bob"))
        assert of_bob.items == []

    async def test_jobs_are_found_by_their_ids_in_the_order_of_the_ids(
        self, stage: Stage, store: Store
    ) -> None:
        await stage.register("w1", SMOOTH)
        jobs = await stage.submit_many(4, SMOOTH)
        wanted = (jobs[2], "no-such-job", jobs[0], jobs[3])

        found = await store.read(FindJobsById(wanted))
        assert found == [await stage.job(each) for each in (jobs[2], jobs[0], jobs[3])]
        assert await store.read(FindJobsById(())) == []
