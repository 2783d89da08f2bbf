"""Fetches what a generation made: each result once, saved as artifacts of the job, with a record."""

from __future__ import annotations

from collections.abc import Callable, Sequence
from contextlib import suppress
from pathlib import Path

from workroom import JobContext
from workroom.packs.media.generation_record import GenerationRecord
from workroom.packs.media.providers import (
    AddressRefused,
    Downloaded,
    DownloadError,
    DownloadLimits,
    MediaProvider,
    OutboundGuard,
    ProviderError,
    ResultRefused,
)
from workroom.packs.media.records import Content, content_id
from workroom.packs.media.thumbnails import Picture, picture_of

_TRIES = 6
_PAUSE_S = 2.0
_MAX_PAUSE_S = 30.0


class Results:
    """`look` returns the addresses of the results, which may be new ones where the old ones have expired.

    `poster` is a picture to show for a video, whose own frames cannot be read.
    """

    def __init__(
        self,
        provider: MediaProvider,
        record: GenerationRecord,
        job: JobContext,
        *,
        folder: Path,
        guard: OutboundGuard,
        limits: DownloadLimits,
        look: Callable[[], Sequence[str]],
        wait: Callable[[float], None],
        poster: Path | None,
    ) -> None:
        self._provider = provider
        self._record = record
        self._job = job
        self._folder = folder
        self._guard = guard
        self._limits = limits
        self._look = look
        self._wait = wait
        self._poster = poster

    def fetch(self, urls: Sequence[str]) -> list[Content]:
        """All results. What an earlier attempt has fetched is not fetched again."""
        contents = []
        for index, url in enumerate(urls):
            self._job.progress(index / len(urls), f"fetching {index + 1} of {len(urls)}")
            id = content_id(self._job.id, index)
            contents.append(self._record.content(id) or self._fetch(id, index, url, len(urls)))
        return contents

    def _fetch(self, id: str, index: int, url: str, count: int) -> Content:
        downloaded = self._download(url, id, index)
        name = downloaded.path.name
        self._job.save(name, downloaded.path, media_type=downloaded.media_type)
        picture = picture_of(downloaded.path)
        thumbnail = self._save_thumbnail(id, picture)
        downloaded.path.unlink()
        content = self._content(id, index, url, downloaded, picture, thumbnail, count)
        self._record.add(content)
        return content

    def _download(self, url: str, id: str, index: int) -> Downloaded:
        """It is paid for, so it is not given up at once."""
        pause = _PAUSE_S
        for left in range(_TRIES - 1, -1, -1):
            try:
                return self._provider.fetch(url, self._folder, id, self._guard, self._limits)
            except (AddressRefused, ResultRefused):
                raise
            except DownloadError:
                if not left:
                    raise
                self._wait(pause)
                pause = min(pause * 2, _MAX_PAUSE_S)
                url = self._fresh(url, index)
        raise AssertionError("unreachable")

    def _fresh(self, url: str, index: int) -> str:
        with suppress(ProviderError):
            urls = self._look()
            return urls[index] if index < len(urls) else url
        return url

    def _save_thumbnail(self, id: str, picture: Picture | None) -> str:
        shown = picture or (self._poster and picture_of(self._poster))
        if not shown:
            return ""
        name = f"{id}.thumb.webp"
        self._job.save(name, shown.thumbnail, media_type="image/webp")
        return name

    def _content(
        self,
        id: str,
        index: int,
        url: str,
        found: Downloaded,
        picture: Picture | None,
        thumbnail: str,
        count: int,
    ) -> Content:
        generation = self._record.generation
        return Content(
            id=id,
            generation_id=generation.id,
            job_id=generation.job_id,
            user=generation.user,
            index=index,
            request=generation.request,
            provider_task_id=generation.provider_task_id,
            provider_url=url if url.startswith(("http://", "https://")) else "",
            file=found.path.name,
            media_type=found.media_type,
            extension=found.extension,
            size=found.size,
            sha256=found.sha256,
            width=picture.width if picture else 0,
            height=picture.height if picture else 0,
            thumbnail=thumbnail,
            cost=None if generation.cost is None else round(generation.cost / count, 6),
            unit=generation.unit,
        )
