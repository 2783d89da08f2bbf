"""What a worker is seen to be doing."""

from __future__ import annotations

import pytest

from workroom.domain.worker import WorkerState, worker_state


@pytest.mark.parametrize(
    ("online", "running", "assigned", "state"),
    [
        (True, 0, 0, WorkerState.IDLE),
        (True, 0, 2, WorkerState.ASSIGNED),
        (True, 1, 0, WorkerState.RUNNING),
        (True, 1, 2, WorkerState.RUNNING),
        (False, 0, 0, WorkerState.OFFLINE),
        (False, 1, 1, WorkerState.OFFLINE),
    ],
)
def test_a_worker_shows_the_most_that_it_does(
    online: bool, running: int, assigned: int, state: WorkerState
) -> None:
    assert worker_state(online=online, running=running, assigned=assigned) is state
