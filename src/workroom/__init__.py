"""Workroom: a Python class becomes a job that anyone in a room can run, and that is never lost."""

from workroom import errors
from workroom.client.handle import AsyncJobHandle
from workroom.client.room import AsyncRoom
from workroom.client.sync import JobHandle, Room
from workroom.errors import JobCancelled, JobFailed, ResultTimeout, WorkroomError
from workroom.runtime.context import JobContext
from workroom.runtime.extension import Extension

__version__ = "0.1.0"

__all__ = [
    "AsyncJobHandle",
    "AsyncRoom",
    "Extension",
    "JobCancelled",
    "JobContext",
    "JobFailed",
    "JobHandle",
    "ResultTimeout",
    "Room",
    "WorkroomError",
    "__version__",
    "errors",
]
