"""Waits for a state of a job, a worker or a process."""

from __future__ import annotations

from collections.abc import Callable
from typing import Any

import httpx
import psutil
import pytest

from workroom import Extension, JobFailed, JobHandle, Room
from workroom.testing.processes import eventually

HASTE = {"heartbeat": 0.5, "lease": 3.0, "grace": 0.5, "sweep": 0.1}

Document = dict[str, Any]
Serve = Callable[..., Room]
Log = Callable[[str], httpx.Client]


def error_of(job: JobHandle, seconds: float = 20) -> Document:
    """Wait for the job to fail; return its error."""
    with pytest.raises(JobFailed):
        job.result(timeout=seconds)
    error: Document = job.document["error"]
    return error


def ended_job(job: JobHandle, seconds: float = 20) -> Document:
    """Wait for the job to end; return its document."""

    def ended() -> Document | None:
        document: Document = job.refresh()
        return document if document["status"] in ("completed", "failed", "cancelled") else None

    return eventually(ended, seconds, "the end of the job")


def becomes(job: JobHandle, status: str) -> None:
    eventually(lambda: job.status == status, what=f"the job being {status}")


def waits_for(job: JobHandle, code: str) -> Document:
    """Wait until the job waits for `code`; return the reason."""

    def reason() -> Document | None:
        waiting: Document | None = job.refresh()["waiting_for"]
        return waiting if waiting is not None and waiting["code"] == code else None

    return eventually(reason, 10, f"the job waiting for {code}")


def serves(room: Room, name: str) -> None:
    eventually(lambda: name in [each["name"] for each in room.extensions()], what=f"{name} being served")


def is_running(pid: int) -> bool:
    """Whether the process exists and is not a zombie."""
    try:
        return psutil.Process(pid).status() != psutil.STATUS_ZOMBIE
    except psutil.NoSuchProcess:
        return False


def submit(http: httpx.Client, room: str, extension: Extension, **options: Any) -> httpx.Response:
    path = f"/api/rooms/{room}/extensions/{extension.category}/{extension.extension_name}/submit"
    return http.post(path, json={"data": extension.model_dump(mode="json")}, **options)
