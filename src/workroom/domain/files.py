"""Files that jobs save, what they show while they run, and files that people bring to a room."""

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
_JOINERS = "\u200c\u200d"  # they hold letters and emoji together
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
    """Bytes that are kept under a name that nobody sees."""

    id: str
    size: int
    sha256: str


@dataclass(frozen=True, slots=True)
class Saving:
    """A job saves a file. Without a worker, the token alone speaks for the attempt."""

    fence: Fence
    worker: str | None
    name: str
    media_type: str
    blob: Blob


@dataclass(frozen=True, slots=True)
class Showing:
    """A job shows something."""

    fence: Fence
    worker: str | None
    kind: PreviewKind
    blob: Blob


@dataclass(frozen=True, slots=True)
class NewFile:
    id: str
    room: str
    user: str
    name: str
    media_type: str
    blob: Blob


@dataclass(frozen=True, slots=True)
class Artifact:
    """A file that a job saved, and in which attempt."""

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
        """Raises if there is no room for this one, which replaces what has its name."""
        others = [each.blob.size for each in kept if each.name != name]
        if len(others) >= self.files:
            raise InvalidRequest(
                f"a job may save {self.files:,} files: put the rest into an archive", max_files=self.files
            )
        if sum(others) + size > self.bytes:
            raise BodyTooLarge(
                f"the files of a job may have {self.bytes:,} bytes together", max_bytes=self.bytes
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
    """The name a file is kept under: one part of a path, and nothing that hides or leads elsewhere."""
    name = unicodedata.normalize("NFC", text)
    is_odd = any(_is_hidden(letter) for letter in name) or "/" in name or "\\" in name
    if is_odd or not name.strip(". ") or name != name.strip() or len(name) > MAX_NAME:
        raise InvalidName(
            f"a file name is 1 to {MAX_NAME} visible characters, without / and \\, and not only dots",
            name=name[:100].encode("ascii", "backslashreplace").decode(),
        )
    return name


def _is_hidden(letter: str) -> bool:
    return letter not in _JOINERS and unicodedata.category(letter) in _HIDDEN


def media_type_of(name: str, given: str | None) -> str:
    """What was given, without parameters; if that says nothing, what the name says."""
    media_type = (given or "").partition(";")[0].strip().lower()
    if media_type in ("", UNKNOWN_TYPE):
        return _BY_ENDING.get(_ending(name)) or mimetypes.guess_type(name, strict=False)[0] or UNKNOWN_TYPE
    if not _MEDIA_TYPE.fullmatch(media_type):
        raise InvalidRequest(f"'{media_type[:100]}' is not a media type")
    return media_type


_BY_ENDING = {
    "xyz": "chemical/x-xyz",
    "extxyz": "chemical/x-xyz",
    "md": "text/markdown",
    "csv": "text/csv",
    "log": "text/plain",
    "parquet": "application/vnd.apache.parquet",
}
_ENDINGS = {
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
    """By the media type; a general one says less than the ending of the name."""
    if name.lower().endswith(".plotly.json"):
        return FileKind.PLOT
    group = _GROUPS.get(media_type.partition("/")[0])
    by_name = _ENDINGS.get(_ending(name))
    is_general = media_type in (UNKNOWN_TYPE, "text/plain", "application/json")
    if is_general and by_name is not None:
        return by_name
    return _TYPES.get(media_type) or group or by_name or FileKind.FILE


def _ending(name: str) -> str:
    return name.rpartition(".")[2].lower()
