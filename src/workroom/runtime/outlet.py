"""What a running job needs of the outside for its files."""

from __future__ import annotations

from pathlib import Path
from typing import Any, Protocol

from workroom.runtime.content import Content


class Outlet(Protocol):
    """Every call may come from any thread but that of the connection."""

    def save(self, name: str, content: Content, media_type: str | None) -> dict[str, Any]:
        """Send a file of the job, and wait until it is kept."""

    def show(self, kind: str, body: bytes) -> None:
        """Send a preview soon; of several in short time, the last."""

    def fetch(self, file_id: str, folder: Path) -> Path:
        """Bring a file of the room into a folder, under its own name."""

    def close(self) -> None:
        """Wait until the last preview is sent."""
