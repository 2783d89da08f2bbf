"""Fills results into the values of jobs that refer to them, once they can start."""

from __future__ import annotations

from collections import Counter
from collections.abc import Sequence
from typing import Any

import orjson
import structlog

from workroom.domain.job import Job
from workroom.domain.queries import FindJob
from workroom.domain.schema.result_refs import MissingPart, Reference, filled, part, references
from workroom.domain.steps import Filled
from workroom.errors import StoreUnavailable, WorkroomError
from workroom.ports import ReadableStore
from workroom.services.jobs.admission import Admission
from workroom.services.jobs.catalog import Catalog
from workroom.services.lifecycle.background import BackgroundTasks
from workroom.services.steps import Steps

log = structlog.get_logger()

_BUG = "internal error: the server's log has the details"


class Filler:
    """A job whose values are refused is cancelled with the reason. What is lost, a sweep offers again."""

    def __init__(
        self,
        store: ReadableStore,
        steps: Steps,
        catalog: Catalog,
        admission: Admission,
        tasks: BackgroundTasks,
    ) -> None:
        self._store = store
        self._steps = steps
        self._catalog = catalog
        self._admission = admission
        self._tasks = tasks

    def start(self, job_ids: Sequence[str]) -> None:
        self._tasks.start(self.fill(job_ids))

    async def fill(self, job_ids: Sequence[str]) -> None:
        try:
            for job_id in job_ids:
                job = await self._store.read(FindJob(job_id))
                if job is not None:
                    await self._steps.fill([await self._filled(job)])
        except StoreUnavailable as error:
            log.warning("filling_postponed", reason=error.detail)

    async def _filled(self, job: Job) -> Filled:
        try:
            values = orjson.loads(job.data)
            extension = await self._catalog.find(job.room, job.category, job.name)
            data = filled(values, await self._parts(values))
            return Filled(
                job.id, job.room, *await self._admission.filled(job.user, job.room, extension, data)
            )
        except StoreUnavailable:
            raise
        except (MissingPart, WorkroomError) as refusal:
            return Filled(job.id, job.room, refusal=f"its values cannot be filled in: {refusal}"[:1000])
        except Exception:  # it would fail again with each sweep, and keep others from being filled
            log.exception("filling_failed", job=job.id)
            return Filled(job.id, job.room, refusal=f"its values cannot be filled in: {_BUG}")

    async def _parts(self, values: Any) -> dict[Reference, Any]:
        """What the values refer to: one result at a time, and no more than a job may have."""
        wanted = Counter(references(values))
        found: dict[Reference, Any] = {}
        size = 0
        for job_id in dict.fromkeys(each.job for each in wanted):
            job = await self._store.read(FindJob(job_id))
            if job is None:
                raise MissingPart(f"job {job_id} was deleted")
            result = None if job.result is None else orjson.loads(job.result)
            for each in wanted.keys() - found.keys():
                if each.job == job_id:
                    found[each] = part(result, each)
                    size += len(orjson.dumps(found[each])) * wanted[each]
            self._admission.check_size(size)
        return found
