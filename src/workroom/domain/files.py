"""Artifacts and previews of jobs, and files that are uploaded to a room."""

from __future__ import annotations

import mimetypes
import re
import unicodedata
from collections.abc import Iterable
from dataclasses import dataclass
from enum import StrEnum

from workroom.domain.job import Fence
from workroom.errors import BodyTooLarge, InvalidName, InvalidRequest

MAX_NAME = 200
UNKNOWN_TYPE = "application/octet-stream"
_JOINERS = "\u200c\u200d"  # they join letters and emoji
_HIDDEN = frozenset({"Cc", "Cf", "Cs", "Co", "Cn", "Zl", "Zp"})
_MEDIA_TYPE = re.compile(r"[a-z0-9][a-z0-9.+_-]{0,62}/[a-z0-9][a-z0-9.+_-]{0,62}")


class FileKind(StrEnum):
    """How a page shows a file."""

    IMAGE = "image"
    VIDEO = "video"
    AUDIO = "audio"
    TABLE = "table"
    TEXT = "text"
    MARKDOWN = "markdown"
    JSON = "json"
    PLOT = "plot"
    XYZ = "xyz"
    ARCHIVE = "archive"
    FILE = "file"


class PreviewKind(StrEnum):
    PNG = "png"
    PLOTLY = "plotly"
    XYZ = "xyz"
    MARKDOWN = "markdown"
    TEXT = "text"
    JSON = "json"


PREVIEW_TYPES = {
    PreviewKind.PNG: "image/png",
    PreviewKind.PLOTLY: "application/vnd.plotly.v1+json",
    PreviewKind.XYZ: "chemical/x-xyz",
    PreviewKind.MARKDOWN: "text/markdown",
    PreviewKind.TEXT: "text/plain",
    PreviewKind.JSON: "application/json",
}


@dataclass(frozen=True, slots=True)
class Blob:
    """Stored bytes. The id is internal. That of a piece of frames has no digest: the piece has one."""

    id: str
    size: int
    sha256: str


@dataclass(frozen=True, slots=True)
class BlobRange:
    blob: Blob
    start: int
    length: int


@dataclass(frozen=True, slots=True)
class Saving:
    """A request to save an artifact. Without a worker, the token alone identifies the attempt."""

    fence: Fence
    worker: str | None
    name: str
    media_type: str
    blob: Blob


@dataclass(frozen=True, slots=True)
class Showing:
    """A request to show a preview."""

    fence: Fence
    worker: str | None
    kind: PreviewKind
    blob: Blob


@dataclass(frozen=True, slots=True)
class NewFile:
    """A file uploaded to a room: by a job with its `fence`, or by a person with a token of `epoch`."""

    id: str
    room: str
    user: str
    name: str
    media_type: str
    blob: Blob
    fence: Fence | None = None
    epoch: int | None = None


@dataclass(frozen=True, slots=True)
class Artifact:
    """A file that a job saved."""

    job_id: str
    name: str
    media_type: str
    blob: Blob
    attempt: int
    created_at_us: int

    @property
    def kind(self) -> FileKind:
        return kind_of(self.name, self.media_type)


@dataclass(frozen=True, slots=True)
class ArtifactLimits:
    """How many files one job may have, and how many bytes they may have together."""

    files: int = 1000
    bytes: int = 100_000_000_000

    def check(self, kept: Iterable[Artifact], name: str, size: int) -> None:
        """Raise if this file, which replaces one of the same name, would exceed a limit."""
        others = [each.blob.size for each in kept if each.name != name]
        if len(others) >= self.files:
            raise InvalidRequest(
                f"a job may save {self.files:,} files: put the rest into an archive", max_files=self.files
            )
        if sum(others) + size > self.bytes:
            raise BodyTooLarge(
                f"the files of a job may have {self.bytes:,} bytes in total", max_bytes=self.bytes
            )


@dataclass(frozen=True, slots=True)
class Preview:
    job_id: str
    kind: PreviewKind
    version: int
    blob: Blob


@dataclass(frozen=True, slots=True)
class RoomFile:
    sequence: int
    id: str
    room: str
    user: str
    name: str
    media_type: str
    blob: Blob
    created_at_us: int

    @property
    def kind(self) -> FileKind:
        return kind_of(self.name, self.media_type)


def file_name(text: str) -> str:
    """The canonical name of a file. Raises InvalidName."""
    return visible_name(text, "a file name", MAX_NAME)


def visible_name(text: str, what: str, longest: int) -> str:
    """One path segment without hidden characters. Raises InvalidName."""
    name = unicodedata.normalize("NFC", text)
    is_odd = any(_is_hidden(letter) for letter in name) or "/" in name or "\\" in name
    if is_odd or not name.strip(". ") or name != name.strip() or len(name) > longest:
        raise InvalidName(
            f"{what} is 1 to {longest} visible characters, without / and \\, and not only dots",
            name=name[:100].encode("ascii", "backslashreplace").decode(),
        )
    return name


def _is_hidden(letter: str) -> bool:
    return letter not in _JOINERS and unicodedata.category(letter) in _HIDDEN


def media_type_of(name: str, given: str | None) -> str:
    """The given media type without parameters; if it is missing or generic, a guess from the name."""
    media_type = (given or "").partition(";")[0].strip().lower()
    if media_type in ("", UNKNOWN_TYPE):
        return (
            _TYPES_BY_SUFFIX.get(_suffix(name)) or mimetypes.guess_type(name, strict=False)[0] or UNKNOWN_TYPE
        )
    if not _MEDIA_TYPE.fullmatch(media_type):
        raise InvalidRequest(f"'{media_type[:100]}' is not a media type")
    return media_type


_TYPES_BY_SUFFIX = {
    "xyz": "chemical/x-xyz",
    "extxyz": "chemical/x-xyz",
    "md": "text/markdown",
    "csv": "text/csv",
    "log": "text/plain",
    "parquet": "application/vnd.apache.parquet",
}
_KINDS_BY_SUFFIX = {
    "xyz": FileKind.XYZ,
    "extxyz": FileKind.XYZ,
    "csv": FileKind.TABLE,
    "tsv": FileKind.TABLE,
    "parquet": FileKind.TABLE,
    "xlsx": FileKind.TABLE,
    "md": FileKind.MARKDOWN,
    "json": FileKind.JSON,
    "txt": FileKind.TEXT,
    "log": FileKind.TEXT,
    **dict.fromkeys(("zip", "tar", "tgz", "gz", "bz2", "xz", "zst", "7z"), FileKind.ARCHIVE),
}
_TYPES = {
    "application/vnd.plotly.v1+json": FileKind.PLOT,
    "chemical/x-xyz": FileKind.XYZ,
    "text/csv": FileKind.TABLE,
    "text/tab-separated-values": FileKind.TABLE,
    "application/vnd.apache.parquet": FileKind.TABLE,
    "text/markdown": FileKind.MARKDOWN,
    "application/json": FileKind.JSON,
    **dict.fromkeys(
        ("application/zip", "application/gzip", "application/x-tar", "application/zstd"), FileKind.ARCHIVE
    ),
}
_GROUPS = {
    "image": FileKind.IMAGE,
    "video": FileKind.VIDEO,
    "audio": FileKind.AUDIO,
    "text": FileKind.TEXT,
}


def kind_of(name: str, media_type: str) -> FileKind:
    """The kind by media type; the suffix of the name wins over a generic type."""
    if name.lower().endswith(".plotly.json"):
        return FileKind.PLOT
    group = _GROUPS.get(media_type.partition("/")[0])
    by_name = _KINDS_BY_SUFFIX.get(_suffix(name))
    is_general = media_type in (UNKNOWN_TYPE, "text/plain", "application/json")
    if is_general and by_name is not None:
        return by_name
    return _TYPES.get(media_type) or group or by_name or FileKind.FILE


def _suffix(name: str) -> str:
    return name.rpartition(".")[2].lower()
