"""How many jobs the history reads at once."""

from __future__ import annotations

from collections.abc import Sequence
from typing import Any

from support.dispatch_harness import SMOOTH, DispatchHarness
from workroom.domain.job import Job
from workroom.domain.queries import FindJobsById
from workroom.ports import Store
from workroom.services.history.job_finder import CHUNK, JobFinder


class Reading:
    """A store that counts the jobs of each read."""

    def __init__(self, store: Store) -> None:
        self._store = store
        self.sizes: list[int] = []

    async def read(self, query: Any) -> Any:
        assert isinstance(query, FindJobsById)
        self.sizes.append(len(query.ids))
        return await self._store.read(query)


def _ids(jobs: Sequence[Job]) -> list[str]:
    return [job.id for job in jobs]


async def test_jobs_to_export_are_read_a_few_at_a_time(harness: DispatchHarness) -> None:
    await harness.stage.register("w1", SMOOTH)
    ids = await harness.stage.submit_many(2 * CHUNK + 1, SMOOTH)
    store = Reading(harness.stage.store)

    made = [each async for each in JobFinder(store).convert("ada", [*ids, "no-such-job"], _ids)]
    assert [job_id for each in made for job_id in each] == ids
    assert store.sizes == [CHUNK, CHUNK, 2]
