"""Jobs of any length, workers that lie about it, and kills: nobody hoards, and only what ran is lost."""

from __future__ import annotations

import pytest

from support.chaos.pacing import Pacing
from support.chaos.stage import Stage
from workroom.testing.valkey import Valkey

pytestmark = [pytest.mark.full, pytest.mark.timeout(600)]

SETTINGS = {"heartbeat": 1, "lease": 30, "grace": 0.5, "ack": 5}
IDLE_SECONDS = 1.0  # 0.1 on a machine of its own; here three test processes share two cores
BEGIN_SECONDS = 1.0  # between an accepted start and the first line of code, on such a machine


@pytest.mark.parametrize("store", ["sqlite", "redis"])
def test_a_thousand_jobs_of_any_length_at_honest_and_lying_workers(stage: Stage, store: str) -> None:
    valkey = Valkey(stage.folder / "valkey")
    if store == "redis":
        valkey.start()
        stage.open({**SETTINGS, "store": valkey.url})
    else:
        stage.open(SETTINGS)
    try:
        played = Pacing(stage, longest_ms=2000).play(jobs=1000, kills=10)
    finally:
        stage.server.close()
        valkey.stop()
    ends = [steps[-1].status for steps in played.steps.values()]

    print(f"seed {stage.seed}, {ends.count('failed')} lost, idle at most {played.longest_idle():.3f} s")
    assert set(ends) <= {"completed", "failed"}
    assert len(played.lost()) <= len(played.killed) == 10
    assert played.unexplained(BEGIN_SECONDS) == []
    assert played.longest_idle() < IDLE_SECONDS
