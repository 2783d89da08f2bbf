"""Ends what attempts changed in rooms: taken back unless the attempt completed, and its locks are freed."""

from __future__ import annotations

import asyncio
from collections.abc import Iterable, Sequence

import structlog

from workroom.domain.identity import SERVER
from workroom.domain.job import Fence, Job, JobState, Transition
from workroom.domain.queries import FindJobEdits, FindJobsById
from workroom.domain.room_data.documents import DataLimits
from workroom.domain.room_data.versions import EditsEnd, EndedEdits, JobEdits
from workroom.errors import RoomNotFound, WorkroomError
from workroom.ports import ReadableStore
from workroom.services.room_data.data_steps import DataSteps
from workroom.services.steps import Steps

log = structlog.get_logger()

_BUSY_SECONDS = 10.0  # while jobs that this server knows edit a room
_IDLE_SECONDS = 60.0
_PAUSE_SECONDS = 1.0  # after an error
_BATCH = 100
_MAX_KNOWN = 10_000
_MAX_NAMED = 5  # documents in a line of the chat


class JobEditsKeeper:
    """Ends edits as soon as this server knows that their attempt is over.

    The store has the record of them, so a sweep ends those of servers that died, and those that were not
    remembered here.
    """

    def __init__(self, store: ReadableStore, data: DataSteps, steps: Steps, limits: DataLimits) -> None:
        self._store = store
        self._data = data
        self._steps = steps
        self._limits = limits
        self._known: dict[str, set[JobEdits]] = {}
        self._over: list[JobEdits] = []
        self._woken = asyncio.Event()
        data.on_job(self.note)

    def note(self, room: str, fence: Fence) -> None:
        """An attempt is about to edit a room, or to acquire a lock in it."""
        if len(self._known) >= _MAX_KNOWN and fence.job_id not in self._known:
            del self._known[next(iter(self._known))]
        self._known.setdefault(fence.job_id, set()).add(JobEdits(room, fence.job_id, fence.attempt))

    def jobs_changed(self, transitions: Sequence[Transition]) -> None:
        """A step of jobs took place here or on another server. Nearly all concern no known job."""
        if not self._known:
            return
        for each in transitions:
            if each.status is not JobState.RUNNING and each.job_id in self._known:
                self._end_up_to(each.job_id, each.attempt)

    def _end_up_to(self, job_id: str, attempt: int) -> None:
        known = self._known.pop(job_id)
        self._over += [each for each in known if each.attempt <= attempt]
        later = {each for each in known if each.attempt > attempt}
        if later:
            self._known[job_id] = later
        self._woken.set()

    async def run(self) -> None:
        """End what is over: at once if this server saw the end, else by the next sweep."""
        while True:
            try:
                await self.sweep()
                while await self._is_woken(_BUSY_SECONDS if self._known else _IDLE_SECONDS):
                    over, self._over = self._over, []
                    await self._end_all(over)
            except WorkroomError as error:
                log.warning("job_edits_not_ended", reason=error.detail)
                await asyncio.sleep(_PAUSE_SECONDS)

    async def _is_woken(self, seconds: float) -> bool:
        try:
            async with asyncio.timeout(seconds):
                await self._woken.wait()
        except TimeoutError:
            return False
        self._woken.clear()
        return True

    async def sweep(self) -> None:
        """End what no server did."""
        while over := await self._store.read(FindJobEdits(_BATCH)):
            await self._end_all(over)

    async def _end_all(self, over: Iterable[JobEdits]) -> None:
        for each in over:
            await self._end(each)

    async def _end(self, edits: JobEdits) -> None:
        found = await self._store.read(FindJobsById((edits.job_id,), brief=True))
        job = found[0] if found else None
        has_completed = job is None or (job.status, job.attempt) == (JobState.COMPLETED, edits.attempt)
        end = EditsEnd(edits, _summary(job), has_completed, self._limits)
        ended = await self._data.end_job_edits(end)
        if ended is not None and (ended.kept or ended.is_trimmed):
            await self._report(ended, end.summary)

    async def _report(self, ended: EndedEdits, summary: str) -> None:
        try:
            await self._steps.post(ended.edits.room, SERVER, _line(ended, summary), None)
        except RoomNotFound:
            return  # with all that was in it


def _summary(job: Job | None) -> str:
    name = "a job" if job is None else job.name
    is_cancelled = job is not None and job.status is JobState.CANCELLED
    return f"{name} was cancelled" if is_cancelled else f"{name} failed"


def _line(ended: EndedEdits, summary: str) -> str:
    """The chat message about changes that stay."""
    lines = [f"{summary}, but some of its changes stay."]
    if ended.kept:
        names = ", ".join(ended.kept[:_MAX_NAMED])
        more = len(ended.kept) - _MAX_NAMED
        others = f" and {more:,} more" if more > 0 else ""
        lines.append(f"Somebody else has changed or locked: {names}{others}.")
    if ended.is_trimmed:
        lines.append("Some versions are no longer kept.")
    return " ".join(lines)
