"""The files of one running job: artifacts, previews and fetched room files."""

from __future__ import annotations

import operator
import os
import tempfile
import threading
import time
from collections.abc import Callable
from pathlib import Path
from typing import Any, Protocol

from workroom.domain.files import file_name, media_type_of
from workroom.runtime.content import Content, Source, open_content
from workroom.runtime.positions import encode_positions
from workroom.runtime.previews import render_preview

POSITIONS_SECONDS = 0.1
_now = time.monotonic


class Uploader(Protocol):
    """Sends and fetches files for a job. Call it from any thread except that of the connection."""

    def save(self, name: str, content: Content, media_type: str | None) -> dict[str, Any]:
        """Upload an artifact, and wait until the server has it."""

    def show(self, kind: str, body: bytes) -> None:
        """Send a preview soon; of several in quick succession, the last."""

    def preview(self, frame: int, positions: bytes) -> None:
        """Send positions soon, or never if others follow or the job ends."""

    def fetch(self, file_id: str, folder: Path) -> Path:
        """Download a file of the room into a folder, under its own name."""

    def close(self) -> None:
        """Wait until the last preview is sent."""


class JobFiles:
    """Opens the uploader on first use: most jobs have no files."""

    def __init__(self, open_uploader: Callable[[], Uploader] | None) -> None:
        self._open_uploader = open_uploader
        self._uploader: Uploader | None = None
        self._lock = threading.RLock()
        self._fetched: dict[str, Path] = {}
        self._folder: tempfile.TemporaryDirectory[str] | None = None
        self._next_positions = 0.0

    def save(self, name: str, source: Source, media_type: str | None) -> dict[str, Any]:
        checked = _checked_name(name)
        media_type_of(checked, media_type)  # raises for what the server would refuse
        with open_content(source) as content:
            return self._uploads().save(checked, content, media_type)

    def show(self, thing: Any, kind: str | None) -> None:
        self._uploads().show(*render_preview(thing, kind))

    def preview(self, frame: int, positions: Any) -> None:
        """Encode and send ten a second at most: a job may call this in its innermost loop."""
        now = _now()
        if now >= self._next_positions:
            self._next_positions = now + POSITIONS_SECONDS
            self._uploads().preview(operator.index(frame), encode_positions(positions))

    def fetch(self, file_id: str) -> Path:
        with self._lock:
            if file_id not in self._fetched:
                self._folder = self._folder or tempfile.TemporaryDirectory(
                    prefix="workroom-", ignore_cleanup_errors=True
                )
                folder = Path(self._folder.name) / str(len(self._fetched))
                folder.mkdir(exist_ok=True)
                self._fetched[file_id] = self._uploads().fetch(file_id, folder)
            return self._fetched[file_id]

    def close(self) -> None:
        with self._lock:
            if self._uploader is not None:
                self._uploader.close()
            if self._folder is not None:
                self._folder.cleanup()
            self._fetched, self._folder = {}, None

    def _uploads(self) -> Uploader:
        with self._lock:
            if self._uploader is None:
                if self._open_uploader is None:
                    raise RuntimeError("files and previews need a worker: this job runs without one")
                self._uploader = self._open_uploader()
            return self._uploader


def _checked_name(name: object) -> str:
    if not isinstance(name, str | os.PathLike):
        raise TypeError(
            f"job.save() takes a file name, then the content; the name is a {type(name).__name__}"
        )
    return file_name(str(name))
