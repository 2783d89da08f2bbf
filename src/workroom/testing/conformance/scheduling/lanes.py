"""Extensions whose jobs wait in lanes, and how they are submitted and run."""

from __future__ import annotations

from dataclasses import replace
from typing import Any

from workroom.domain.extension import Concurrency, ExtensionSpec, Policy, RetryOn
from workroom.domain.worker import Session
from workroom.testing.conformance.stage import (
    Stage,
    completed,
    extension,
)

LIMITS = {"slow": 1, "fast": 3}
CONCURRENCY = Concurrency("{provider}", LIMITS, default=2)
LIMITED = extension("Smooth", policy=Policy(concurrency=CONCURRENCY))
RETRIED = extension(
    "Smooth", policy=Policy(concurrency=CONCURRENCY, retries=100, retry_on=RetryOn.ERROR, timeout=4)
)


async def submit_to(stage: Stage, lane: str | None, spec: ExtensionSpec = LIMITED, **options: Any) -> str:
    job = replace(await stage.new_job(spec, **options), lane=lane)
    assert (await stage.store.submit([job])).answers == [None]
    return job.id


async def one_by_one(stage: Stage, session: Session, count: int) -> list[str]:
    """Run jobs of a lane to their end, never more than one of them at a time."""
    taken: list[str] = []
    for _ in range(count):
        (assignment,) = await stage.claim(session, count)
        await stage.start(assignment)
        await stage.finish(completed(assignment), session.worker)
        taken.append(assignment.fence.job_id)
    return taken
