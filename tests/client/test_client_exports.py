"""The public surface, and what importing it costs."""

from __future__ import annotations

import inspect
import subprocess
import sys

import pytest

import workroom
from workroom import AsyncJobGroup, AsyncJobHandle, AsyncRoom, JobGroup, JobHandle, Room


def test_the_public_names_are_these() -> None:
    assert workroom.__all__ == [
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


def test_every_public_name_is_there() -> None:
    assert all(hasattr(workroom, name) for name in workroom.__all__)


@pytest.mark.parametrize("module", ["workroom", "workroom.client.worker.worker", "workroom.runtime.executor"])
def test_the_client_imports_nothing_of_the_server(module: str) -> None:
    heavy = (
        "fastapi",
        "uvicorn",
        "starlette",
        "sqlite3",
        "jwt",
        "jsonschema_rs",
        "structlog",
        "celery",
    )
    without_redis = "sys.modules['redis'] = None"  # Socket.IO imports it wherever it is installed
    listing = f"print([name for name in {heavy} if name in sys.modules])"
    script = f"import sys; {without_redis}; import {module}; {listing}"

    imported = subprocess.run([sys.executable, "-c", script], capture_output=True, text=True, check=True)

    assert imported.stdout.strip() == "[]"


def surface(kind: type[object]) -> dict[str, list[str]]:
    """Public methods and properties, with the parameters that a caller can give."""
    found: dict[str, list[str]] = {}
    for name, member in vars(kind).items():
        if name.startswith("_") or isinstance(member, classmethod):
            continue
        is_property = isinstance(member, property)
        found[name] = [] if is_property else [str(each) for each in _parameters(member)]
    return found


def _parameters(member: object) -> list[inspect.Parameter]:
    assert callable(member)
    return [each.replace(annotation=each.empty) for each in inspect.signature(member).parameters.values()]


def test_the_rooms_are_twins() -> None:
    plain, awaited = surface(Room), surface(AsyncRoom)
    plain["aclose"] = plain.pop("close")
    del plain["serve_until"]  # asyncio code cancels the task that serves
    del plain["name"]  # an attribute of the other

    assert plain == awaited


def test_the_handles_are_twins() -> None:
    plain, awaited = surface(JobHandle), surface(AsyncJobHandle)
    del plain["document"]  # an attribute of the other

    assert plain == awaited


def test_the_groups_are_twins() -> None:
    plain, awaited = surface(JobGroup), surface(AsyncJobGroup)
    del plain["document"]  # an attribute of the other
    del awaited["handles"]  # a synchronous group reads them itself

    assert plain == awaited
