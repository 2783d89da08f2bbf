"""Takes jobs in: admitted, within the quotas, durable. Callers have checked who may submit."""

from __future__ import annotations

from collections import Counter
from collections.abc import Sequence

from workroom.domain.extension import Extension
from workroom.domain.identity import Principal
from workroom.domain.job import Job
from workroom.domain.jobs.group import NewGroup
from workroom.domain.queries import FindJob, FindSubmitted
from workroom.domain.rules.upkeep import KEY_LIFETIME_US
from workroom.domain.steps import Idempotency, NewJob
from workroom.errors import InvalidRequest, QuotaExceeded, WorkroomError
from workroom.ports import Clock, ReadableStore
from workroom.services.jobs.admission import Admission
from workroom.services.jobs.arrows import Arrows, Found, needs_reading, note_references
from workroom.services.jobs.catalog import Catalog
from workroom.services.jobs.form_values import FormValues, SavedSettings
from workroom.services.jobs.submit_queue import BrieflySubmitted, SubmitQueue, is_new
from workroom.services.jobs.submit_requests import BatchKey, SubmitRequest, assign_ids
from workroom.services.limits.quotas import QuotaKeeper, Reservation
from workroom.services.validation.validation import Batch, Validation


class JobIntake:
    def __init__(
        self,
        store: ReadableStore,
        catalog: Catalog,
        admission: Admission,
        arrows: Arrows,
        validation: Validation,
        queue: SubmitQueue,
        form_values: FormValues,
        quotas: QuotaKeeper,
        clock: Clock,
    ) -> None:
        self._store = store
        self._catalog = catalog
        self._admission = admission
        self._arrows = arrows
        self._validation = validation
        self._queue = queue
        self._form_values = form_values
        self._quotas = quotas
        self._clock = clock

    async def submit(self, who: Principal, request: SubmitRequest) -> Job | SavedSettings:
        admitted = self._admit_quickly(who, request) or await self._admit_or_save(who, request)
        if isinstance(admitted, SavedSettings):
            return admitted
        job, extension = admitted
        reservation = self._quotas.reserve_job(who, request.room) or await self._reserve(who, [job])
        stored = 0
        try:
            submitted = await self._queue.put(job, extension)
            if isinstance(submitted, WorkroomError):
                raise submitted
            stored = int(is_new(submitted))
        finally:
            reservation.keep(stored)
        return submitted

    async def submit_batch(
        self,
        who: Principal,
        requests: Sequence[SubmitRequest],
        key: BatchKey | None = None,
        *,
        brief: bool = False,
        group: NewGroup | None = None,
    ) -> Sequence[BrieflySubmitted]:
        """Many jobs in one commit. One that is refused does not keep the others out.

        If a quota has no room for all of them, none is taken. A batch with a key derives its job ids from the
        key, so that the store recognises them when the batch is sent again; its first job stores the key.
        """
        found = None if key is None else await self._find_submitted(who.user, key.idempotency)
        if key is not None:
            assign_ids(requests, key, found, self._clock.now_us())
        admitted = await self._admit_all(who, requests)
        jobs = [each for each in admitted if not isinstance(each, WorkroomError)]
        if key is not None and found is None and jobs:
            jobs[0][0].idempotency = key.idempotency
        submitted = iter(await self._submit_reserved(who, jobs, group, brief=brief))
        return [each if isinstance(each, WorkroomError) else next(submitted) for each in admitted]

    async def _admit_all(
        self, who: Principal, requests: Sequence[SubmitRequest]
    ) -> list[tuple[NewJob, Extension] | WorkroomError]:
        admitted: list[tuple[NewJob, Extension] | WorkroomError] = []
        batch, found = self._validation.batch(), Found()
        for request in requests:
            quickly = self._admit_quickly(who, request)
            admitted.append(quickly or await self._admit(who, request, batch, found))
            if batch.is_long:
                await batch.pause()
        return admitted

    def _admit_quickly(self, who: Principal, request: SubmitRequest) -> tuple[NewJob, Extension] | None:
        """Nearly every job: a known extension, and values that take no time to check. None otherwise."""
        extension = self._catalog.cached(request.room, request.category, request.name)
        if extension is None or extension.is_settings or needs_reading(request):
            return None
        try:
            data = self._admission.quickly_checked_data(who, request, extension)
            job = None if data is None else self._admission.new_job(who, request, extension, data)
        except WorkroomError:
            return None
        return None if job is None else (job, extension)

    async def _admit_or_save(
        self, who: Principal, request: SubmitRequest
    ) -> tuple[NewJob, Extension] | SavedSettings:
        extension = await self._catalog.find(request.room, request.category, request.name)
        note_references(request)
        data = await self._admission.checked_data(who, request, extension)
        if extension.is_settings and request.conditions is not None:
            raise InvalidRequest("settings are saved at once: they take no time and no conditions")
        if extension.is_settings:
            return await self._form_values.save(who, request, data, extension.spec.schema)
        await self._arrows.check(request, {})
        return self._admission.new_job(who, request, extension, data), extension

    async def _admit(
        self, who: Principal, request: SubmitRequest, batch: Batch, found: Found
    ) -> tuple[NewJob, Extension] | WorkroomError:
        try:
            extension = await self._catalog.find(request.room, request.category, request.name)
            if extension.is_settings:
                return InvalidRequest("settings are saved one by one, not in a batch")
            note_references(request)
            data = await self._admission.checked_data(who, request, extension, batch)
            await self._arrows.check(request, found)
            return self._admission.new_job(who, request, extension, data), extension
        except WorkroomError as refusal:
            return batch.brief(refusal)

    async def _submit_reserved(
        self,
        who: Principal,
        jobs: Sequence[tuple[NewJob, Extension]],
        group: NewGroup | None,
        *,
        brief: bool,
    ) -> Sequence[BrieflySubmitted]:
        """The group, if it is new, is created for the first of its jobs."""
        new = [job for job, _ in jobs]
        reservation = await self._reserve(who, new)
        try:
            if group is not None and new:
                await self._queue.create_group(group)
            submitted: Sequence[BrieflySubmitted] = (
                await self._queue.submit_briefly(new) if brief else await self._queue.submit(jobs)
            )
        except BaseException:
            reservation.give_back()
            raise
        is_one_room = len({job.room for job, _ in jobs}) == 1
        reservation.keep(sum(map(is_new, submitted)) if is_one_room else None)
        return submitted

    async def _reserve(self, who: Principal, jobs: Sequence[NewJob]) -> Reservation:
        """Reserve room in the quotas. Jobs that were submitted before need none, even at a limit."""
        try:
            return await self._quotas.reserve_jobs(who, Counter(job.room for job in jobs))
        except QuotaExceeded:
            new = [job for job in jobs if not await self._is_known(job)]
            if len(new) == len(jobs):
                raise
            return await self._quotas.reserve_jobs(who, Counter(job.room for job in new))

    async def _is_known(self, job: NewJob) -> bool:
        if await self._store.read(FindJob(job.id)) is not None:
            return True
        found = None if job.idempotency is None else await self._find_submitted(job.user, job.idempotency)
        return found is not None and job.idempotency is not None and found[0] == job.idempotency.body_hash

    async def _find_submitted(self, user: str, key: Idempotency) -> tuple[str, str] | None:
        """The body hash and the job of a submit with the same key within a day."""
        since_us = self._clock.now_us() - KEY_LIFETIME_US
        return await self._store.read(FindSubmitted(user, key.route, key.key, since_us))
