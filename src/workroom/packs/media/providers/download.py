"""Fetch results: guarded, bounded in size and time, and of a type that was looked at."""

from __future__ import annotations

import contextlib
import hashlib
from collections.abc import Iterator
from dataclasses import dataclass
from pathlib import Path
from urllib.parse import urljoin

import httpx

from workroom.packs.media.providers.errors import DownloadError, ResultRefused
from workroom.packs.media.providers.media_types import SNIFFED_BYTES, MediaType, sniff
from workroom.packs.media.providers.outbound import GuardedTransport, OutboundGuard
from workroom.packs.media.providers.transport import time_limit

_TIMEOUT = httpx.Timeout(30.0, connect=10.0)


@dataclass(frozen=True, slots=True)
class DownloadLimits:
    max_bytes: int = 500_000_000
    max_s: float = 300.0
    redirects: int = 5


DEFAULT_LIMITS = DownloadLimits()


@dataclass(frozen=True, slots=True)
class Downloaded:
    path: Path
    media_type: str
    extension: str
    size: int
    sha256: str


def download_media(
    url: str,
    folder: Path,
    name: str,
    *,
    guard: OutboundGuard | None = None,
    limits: DownloadLimits = DEFAULT_LIMITS,
) -> Downloaded:
    """Fetch an image or a video into a folder as `name.EXTENSION`. If that fails, nothing remains.

    Raises DownloadError, and AddressRefused for an address inside the network.
    """
    part = folder / f"{name}.part"
    try:
        with _opened(url, guard or OutboundGuard(), limits) as chunks, part.open("wb") as file:
            media_type, size, sha256 = _write(chunks, file.write, limits)
        path = part.rename(folder / f"{name}.{media_type.extension}")
    except httpx.TimeoutException as error:
        raise DownloadError(f"the result was not fetched within {limits.max_s:g} s") from error
    except httpx.HTTPError as error:
        raise DownloadError(f"the result could not be fetched: {error or type(error).__name__}") from error
    except httpx.InvalidURL as error:
        raise DownloadError("the address of the result is not valid") from error
    finally:
        part.unlink(missing_ok=True)
    return Downloaded(path, media_type.name, media_type.extension, size, sha256)


@contextlib.contextmanager
def _opened(url: str, guard: OutboundGuard, limits: DownloadLimits) -> Iterator[Iterator[bytes]]:
    """The body behind an address and its redirects, in chunks."""
    with (
        httpx.Client(transport=GuardedTransport(guard), timeout=_TIMEOUT, trust_env=False) as client,
        time_limit(limits.max_s),
    ):
        for _ in range(limits.redirects + 1):
            with client.stream("GET", url, headers={"Accept-Encoding": "identity"}) as response:
                if not response.has_redirect_location:
                    _check_status(response)
                    yield response.iter_bytes()
                    return
                url = urljoin(url, response.headers["location"])
    raise DownloadError("the address of the result redirects too often")


def _check_status(response: httpx.Response) -> None:
    if response.status_code in (403, 404, 410):
        raise DownloadError(
            f"the result is gone ({response.status_code}): its address may have expired",
            status=response.status_code,
        )
    if response.status_code != 200:
        raise DownloadError(f"the result could not be fetched: {response.status_code}")


def _write(chunks: Iterator[bytes], write: object, limits: DownloadLimits) -> tuple[MediaType, int, str]:
    assert callable(write)
    digest, size, head = hashlib.sha256(), 0, b""
    media_type: MediaType | None = None
    for chunk in chunks:
        size += len(chunk)
        if size > limits.max_bytes:
            raise ResultRefused(f"the result has more than {limits.max_bytes:,} bytes")
        if media_type is None:
            head += chunk[: SNIFFED_BYTES - len(head)]
            if len(head) >= SNIFFED_BYTES:
                media_type = _known(head)
        digest.update(chunk)
        write(chunk)
    return media_type or _known(head), size, digest.hexdigest()


def _known(head: bytes) -> MediaType:
    media_type = sniff(head)
    if media_type is None:
        raise ResultRefused("the result is no image or video")
    return media_type
