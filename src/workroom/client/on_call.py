"""A worker that comes when it is called: it asks for a job, and works in the thread of who calls it."""

from __future__ import annotations

from typing import Any, ClassVar

from workroom.client.task import Task
from workroom.client.worker import Worker
from workroom.domain.worker import Phase
from workroom.runtime.context import JobContext


class OnCallWorker(Worker):
    on_call: ClassVar[bool] = True

    async def ask(self) -> JobContext | None:
        """Win a job, for `work` to do. None if there is nothing to do."""
        while len(self._tasks) >= self.slot_count:  # the end of the last one is still being told
            await self._task_move()
        answer = await self._connection.call("worker:ask", {"session": self._session})
        for item in answer["jobs"]:
            task = self._assigned(item)
            if task is not None and await self._is_begun(task):
                return task.context
        return None

    def work(self) -> None:
        """Do the job, in this thread."""
        self._slots.serve_one()

    async def _is_begun(self, task: Task) -> bool:
        while task.phase is Phase.QUEUED and task.fence in self._tasks:
            await self._task_move()
        return task.phase is Phase.BEGUN

    def _pushed(self, item: dict[str, Any]) -> None:
        """Nobody is there for what was not asked for: the server will see that it is not held."""
        self._seen = max(self._seen, item["number"])
