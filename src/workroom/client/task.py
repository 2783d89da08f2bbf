"""An attempt in this process, and how it is spoken of on the wire."""

from __future__ import annotations

import os
import platform
import socket
from dataclasses import dataclass
from typing import Any

import orjson

from workroom.domain.job import Fence
from workroom.domain.worker import Phase
from workroom.runtime.context import JobContext
from workroom.runtime.extension import Extension
from workroom.runtime.outcome import Outcome


@dataclass(slots=True)
class Task:
    """An attempt in this process: from its assignment until the server has acked its end."""

    fence: Fence
    room: str
    extension: type[Extension] | None
    data: bytes | None
    context: JobContext
    phase: Phase = Phase.QUEUED
    outcome: Outcome | None = None


def named(fence: Fence) -> dict[str, Any]:
    return {"job_id": fence.job_id, "attempt": fence.attempt, "token": fence.token}


def fence_of(item: dict[str, Any]) -> Fence:
    return Fence(item["job_id"], item["attempt"], item["token"])


def report_size(task: Task) -> int:
    return len(task.outcome.result or b"") if task.outcome else 0


def finish_report(task: Task) -> dict[str, Any]:
    outcome = task.outcome
    assert outcome is not None
    return {
        **named(task.fence),
        "status": outcome.status,
        "result": None if outcome.result is None else orjson.Fragment(outcome.result),
        "error": outcome.error,
        "run_ms": round(outcome.run_ms, 3),
    }


def this_machine() -> dict[str, Any]:
    return {
        "host": socket.gethostname(),
        "pid": os.getpid(),
        "python": platform.python_version(),
        "system": platform.system(),
        "cpus": os.cpu_count(),
    }
