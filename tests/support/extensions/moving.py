"""Moves atoms for as long as it runs."""

from __future__ import annotations

import time
from typing import Any

from workroom import Extension, JobContext


class Push(Extension, category="modifiers"):
    """Shows the atoms of the first frame elsewhere, until it is cancelled."""

    def run(self, room: Any, job: JobContext) -> None:
        positions = room.frames[0]["positions"] + [0, 2, 0]
        while True:
            job.check()
            job.preview(0, positions)
            time.sleep(0.05)
