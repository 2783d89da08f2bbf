"""The model of groups, and of jobs that wait for others."""

from __future__ import annotations

from workroom.domain.job import JobState
from workroom.domain.steps import NewJob
from workroom.testing.machine import decisions
from workroom.testing.machine.queue import Queue
from workroom.testing.machine.values import ModelJob


class Links(Queue):
    def _move(self, job: ModelJob, status: JobState) -> None:
        raise NotImplementedError

    def _take(self, new: NewJob) -> None:
        super()._take(new)
        job = self.jobs[new.id]
        if new.group is not None:
            self.groups[new.group].jobs.append(job)
        if new.postponed is None:
            return
        for before in dict.fromkeys(new.postponed.after):
            verdict = decisions.follow(self._end_of(before), new.postponed.on_end)
            if verdict == "wait":
                job.blockers.add(before)
            elif verdict == "skip" and not job.is_skipped:
                job.is_skipped = True
        if job.is_skipped:
            self._skip(job)
        else:
            self.enqueue_when_due(job)
        self.follow_up()

    def _end_of(self, before: str) -> str | None:
        if before in self.groups:
            return self.groups[before].end
        status = self.jobs[before].status
        return str(status) if status.is_terminal else None

    def note_end(self, job: ModelJob) -> None:
        self._ended.append(job)

    def follow_up(self) -> None:
        """Jobs that have ended are followed up first, then the groups that ended with them."""
        queue: list[tuple[str, str]] = []
        while self._ended or queue:
            ended, self._ended = self._ended, []
            queue += [(job.new.id, str(job.status)) for job in ended]
            groups = dict.fromkeys(job.new.group for job in ended if job.new.group is not None)
            queue += [(name, end) for name in groups if (end := self.groups[name].end) is not None]
            if queue:
                self._follow(*queue.pop(0))

    def close_group(self, name: str) -> None:
        group = self.groups[name]
        group.is_open = False
        if group.end is not None:
            self._follow(name, group.end)
            self.follow_up()

    def _follow(self, before: str, status: str) -> None:
        for job in list(self.jobs.values()):
            if before not in job.blockers or not job.postponed:
                continue
            job.blockers.discard(before)
            postponed = job.new.postponed
            assert postponed is not None
            if decisions.follow(status, postponed.on_end) == "skip":
                self._skip(job)
            else:
                self.enqueue_when_due(job)

    def _skip(self, job: ModelJob) -> None:
        job.postponed = False
        self._move(job, JobState.CANCELLED)
        self.look(job)

    def carry_out(self) -> list[ModelJob]:
        """The unfinished jobs of cancelled groups. Sweeps cancel one group each."""
        for group in self.groups.values():
            if group.is_changing:
                group.is_changing = False
                return [job for job in group.jobs if not job.status.is_terminal]
        return []
