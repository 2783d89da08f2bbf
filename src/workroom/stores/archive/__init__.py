"""A database for ended jobs."""

from __future__ import annotations

from pathlib import Path

from workroom.ports import Archive
from workroom.stores.archive.sqlite import SqliteArchive


def open_archive(url: str) -> Archive:
    """Open the archive that a URL names: `sqlite:///path/to/archive.db`. Call it inside a running loop."""
    scheme, _, path = url.partition(":///")
    if scheme != "sqlite" or not path:
        raise ValueError(f"unknown archive '{url}': use sqlite:///path/to/archive.db")
    return SqliteArchive(Path(path))
