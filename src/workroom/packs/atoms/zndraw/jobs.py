"""A submitted job as ZnDraw shows it."""

from __future__ import annotations

import time
from typing import Any

from workroom import JobHandle, ResultTimeout, WorkroomError

_LOCK_SECONDS = 5.0
_PAUSE_SECONDS = 0.02


class Job:
    """What `vis.run(...)` returns. `handle` offers the rest: result, logs, artifacts, cancel."""

    def __init__(self, handle: JobHandle, room: Any) -> None:
        self.handle = handle
        self._room = room

    @property
    def job_id(self) -> str:
        return self.handle.id

    @property
    def status(self) -> str:
        """One of pending, assigned, processing, completed, failed, cancelled."""
        return self.handle.status.replace("running", "processing")

    def refresh(self) -> dict[str, Any]:
        return self.handle.refresh()

    def is_pending(self) -> bool:
        return self.status == "pending"

    def is_assigned(self) -> bool:
        return self.status == "assigned"

    def is_processing(self) -> bool:
        return self.status == "processing"

    def is_completed(self) -> bool:
        return self.status == "completed"

    def is_failed(self) -> bool:
        return self.status in ("failed", "cancelled")

    def is_done(self) -> bool:
        return self.is_completed() or self.is_failed()

    def wait(self, timeout: float | None = None, poll_interval: float = 0.5) -> None:
        """Wait for any end, and until others may change the frames again. Raises TimeoutError."""
        try:
            self.handle.result(timeout)
        except ResultTimeout as error:
            raise TimeoutError(f"job {self.job_id} did not end within {timeout} seconds") from error
        except WorkroomError:
            self.handle.refresh()
        self._wait_for_locks()

    def _wait_for_locks(self) -> None:
        """The server frees the locks of a job right after its end."""
        deadline = time.monotonic() + _LOCK_SECONDS
        while any(each["job_id"] == self.job_id for each in self._room.locks()):
            if time.monotonic() > deadline:
                break
            time.sleep(_PAUSE_SECONDS)

    def __repr__(self) -> str:
        return f"Job(id={self.job_id}, status={self.status})"
