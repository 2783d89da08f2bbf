"""A worker that ends thousands of jobs a second: it sends its reports hundreds at a time."""

from __future__ import annotations

from typing import Any

from support.raw_worker import NONCE, RawWorker
from support.users import Document, Person, extension, fence

BATCH = 1000
_ITEMS = 256  # that one message may have
_RUN_MS = 5000  # so long that nothing is fetched ahead


class BulkWorker(RawWorker):
    """Submits jobs to a room of its own and completes them. Its person must be an admin, for the slots."""

    def __init__(self, person: Person, room: str = "bulk") -> None:
        self._person = person
        self._room = person.create_room(room)
        registered = person.register(extension(room), slots=BATCH)
        assert registered.status_code == 201, registered.text
        super().__init__(person, registered.json()["worker_id"])
        self.socket.settimeout(120)

    def run(self, jobs: int) -> None:
        for _ in range(jobs // BATCH):
            self._submit()
            ended = 0
            while ended < BATCH:
                ended += self._end_assigned()

    def _submit(self) -> None:
        job = {"category": "analysis", "name": "Echo", "data": {"text": "x" * 40}}
        answer = self._person.post(
            f"/api/rooms/{self._room}/jobs/batch",
            json={"jobs": [job] * BATCH},
            headers={"Prefer": "return=minimal"},
            timeout=120,
        )
        assert answer.status_code == 202, answer.text

    def _end_assigned(self) -> int:
        items = [self.take(), *self._assigned]
        self._assigned.clear()
        for first in range(0, len(items), _ITEMS):
            fences = [fence(item) for item in items[first : first + _ITEMS]]
            self._report("job:start", [{**each, "nonce": NONCE} for each in fences])
            ended = {"status": "completed", "result": {"n": 1}, "run_ms": _RUN_MS}
            self._report("job:finish", [{**each, **ended} for each in fences])
        return len(items)

    def _report(self, event: str, items: list[Document]) -> None:
        answer: Any = self.call(event, items)
        assert answer == {"answers": [None] * len(items)}, answer
