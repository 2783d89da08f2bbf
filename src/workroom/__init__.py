"""Workroom: a Python class becomes a job that anyone in a room can run, and that is never lost."""

from __future__ import annotations

import importlib
from typing import TYPE_CHECKING, Any

if TYPE_CHECKING:
    from workroom import errors
    from workroom.celery import expose_celery
    from workroom.client.conditions import Ref
    from workroom.client.job_group import AsyncJobGroup
    from workroom.client.job_handle import AsyncJobHandle
    from workroom.client.room import AsyncRoom
    from workroom.client.sync_handles import JobGroup, JobHandle
    from workroom.client.sync_room import Room
    from workroom.domain.extension import Concurrency
    from workroom.errors import JobCancelled, JobFailed, ResultTimeout, WorkroomError
    from workroom.runtime.context import JobContext, current_job
    from workroom.runtime.extension import Extension
    from workroom.runtime.files import File, FileRef
    from workroom.runtime.pack import Pack, View
    from workroom.server.embedding.embedded_app import EmbeddedApp, create_app
    from workroom.server.http.pack_request import PackRequest, PackRoom, PackRouter
    from workroom.services.identity.identified_users import User
    from workroom.settings import Settings

__version__ = "0.1.0"

__all__ = [
    "AsyncJobGroup",
    "AsyncJobHandle",
    "AsyncRoom",
    "Concurrency",
    "EmbeddedApp",
    "Extension",
    "File",
    "FileRef",
    "JobCancelled",
    "JobContext",
    "JobFailed",
    "JobGroup",
    "JobHandle",
    "Pack",
    "PackRequest",
    "PackRoom",
    "PackRouter",
    "Ref",
    "ResultTimeout",
    "Room",
    "Settings",
    "User",
    "View",
    "WorkroomError",
    "__version__",
    "create_app",
    "current_job",
    "errors",
    "expose_celery",
]

# Names are imported on first use: an isolated job or `workroom --help` needs no HTTP client.
_HOMES = {
    "AsyncJobGroup": "workroom.client.job_group",
    "AsyncJobHandle": "workroom.client.job_handle",
    "AsyncRoom": "workroom.client.room",
    "Concurrency": "workroom.domain.extension",
    "EmbeddedApp": "workroom.server.embedding.embedded_app",
    "Extension": "workroom.runtime.extension",
    "File": "workroom.runtime.files",
    "FileRef": "workroom.runtime.files",
    "JobCancelled": "workroom.errors",
    "JobContext": "workroom.runtime.context",
    "JobFailed": "workroom.errors",
    "JobGroup": "workroom.client.sync_handles",
    "JobHandle": "workroom.client.sync_handles",
    "Pack": "workroom.runtime.pack",
    "PackRequest": "workroom.server.http.pack_request",
    "PackRoom": "workroom.server.http.pack_request",
    "PackRouter": "workroom.server.http.pack_request",
    "Ref": "workroom.client.conditions",
    "ResultTimeout": "workroom.errors",
    "Room": "workroom.client.sync_room",
    "Settings": "workroom.settings",
    "User": "workroom.services.identity.identified_users",
    "View": "workroom.runtime.pack",
    "WorkroomError": "workroom.errors",
    "create_app": "workroom.server.embedding.embedded_app",
    "current_job": "workroom.runtime.context",
    "expose_celery": "workroom.celery",
}


def __getattr__(name: str) -> Any:
    if name == "errors":
        return importlib.import_module("workroom.errors")
    if name not in _HOMES:
        raise AttributeError(f"module 'workroom' has no attribute '{name}'")
    return getattr(importlib.import_module(_HOMES[name]), name)
