"""Events are published by the steps that cause them, so that no service forgets one."""

from __future__ import annotations

import re
from pathlib import Path

SERVICES = Path(__file__).parents[2] / "src/workroom/services"
PUBLISHERS = {
    "effects.py",
    "steps.py",
    "room_data/data_steps.py",
    "rooms/room_steps.py",
    "room_data/records.py",  # with the verbs of records that it calls
    "workers/worker_steps.py",
    "workers/dispatcher.py",  # with the claims that it makes
    "live/replicas.py",  # what other servers published
    "live/resync.py",
    "live/positions.py",  # no step: nothing is stored
    "live/presence.py",  # no step: nothing is stored
}


def test_only_steps_publish_events() -> None:
    publishers = {
        str(path.relative_to(SERVICES))
        for path in SERVICES.rglob("*.py")
        if re.search(r"publish\(\[|\.publish\(", path.read_text())
    }

    assert publishers <= PUBLISHERS
