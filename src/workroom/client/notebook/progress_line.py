"""A job in a notebook: one line that follows its progress."""

from __future__ import annotations

import importlib
import threading
import time
from contextvars import copy_context
from html import escape
from typing import TYPE_CHECKING, Any

from workroom.errors import WorkroomError

if TYPE_CHECKING:
    from workroom.client.sync_handles import JobHandle

Document = dict[str, Any]
_UPDATE_SECONDS = 0.2


def describe(document: Document) -> str:
    """`EstimatePi: running, 45 %, sample 9 of 20`."""
    progress, error = document.get("progress") or {}, document.get("error") or {}
    fraction = progress.get("fraction")
    parts = [str(document["status"])]
    if document["status"] == "running":
        parts += [f"{fraction:.0%}"] if fraction is not None else []
        parts += [progress["message"]] if progress.get("message") else []
    if error:
        parts.append(f"{error.get('type')}: {error.get('message')}")
    return f"{document['name']}: {', '.join(parts)}"


def mimebundle(document: Document) -> dict[str, str]:
    text = describe(document)
    return {"text/plain": text, "text/html": f"{_bar(document)} {escape(text)}"}


def _bar(document: Document) -> str:
    """A bar without a value moves, so that it is left out while a job waits."""
    if document["status"] == "completed":
        return '<progress value="1"></progress>'
    fraction = (document.get("progress") or {}).get("fraction")
    return "" if fraction is None else f'<progress value="{fraction:.4f}"></progress>'


class ProgressLine:
    """Shows a job with IPython, and updates the line in the background until the job ends."""

    def __init__(self, job: JobHandle) -> None:
        self._job = job
        self._handle: Any = None

    def show(self) -> None:
        display = importlib.import_module("IPython.display").display
        self._handle = display(mimebundle(self._job.document), raw=True, display_id=True)
        if not self._job.is_finished:
            run = copy_context().run  # the cell to which the line belongs
            threading.Thread(target=run, args=(self._follow,), name="workroom-line", daemon=True).start()

    def update(self) -> None:
        self._handle.update(mimebundle(self._job.document), raw=True)

    def _follow(self) -> None:
        shown_at = 0.0
        try:
            for _ in self._job.watch():
                if self._job.is_finished or time.monotonic() - shown_at >= _UPDATE_SECONDS:
                    self.update()
                    shown_at = time.monotonic()
        except (WorkroomError, RuntimeError):
            return  # the room was closed, or the job is no longer to be seen: the line stays as it is
