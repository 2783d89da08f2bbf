"""Shows what a provider has so far as the preview of the job."""

from __future__ import annotations

import tempfile
import time
from contextlib import suppress
from pathlib import Path

from workroom import JobContext
from workroom.packs.media.providers import DownloadError, DownloadLimits, Look, OutboundGuard, download_media
from workroom.packs.media.thumbnails import preview_of

_EVERY_S = 3.0
_LIMITS = DownloadLimits(max_bytes=5_000_000, max_s=10.0)


class Previews:
    """A preview that cannot be fetched or read is left out."""

    def __init__(self, job: JobContext, guard: OutboundGuard) -> None:
        self._job = job
        self._guard = guard
        self._shown = b""
        self._next_fetch = 0.0

    def show(self, look: Look) -> None:
        content = look.preview or self._fetched(look.preview_url)
        if not content or content == self._shown:
            return
        self._shown = content
        preview = preview_of(content)
        if preview is not None:
            self._job.show(preview)

    def _fetched(self, url: str) -> bytes:
        if not url or time.monotonic() < self._next_fetch:
            return b""
        self._next_fetch = time.monotonic() + _EVERY_S
        with suppress(DownloadError), tempfile.TemporaryDirectory(prefix="workroom-media-") as folder:
            found = download_media(url, Path(folder), "preview", guard=self._guard, limits=_LIMITS)
            return found.path.read_bytes()
        return b""
