"""Documents: small, named, versioned JSON values that a room shares."""

from __future__ import annotations

import re
from dataclasses import dataclass
from typing import Any

from workroom.domain.room_data.locks import Writer
from workroom.errors import InvalidName

FRAMES = "frames"
VOLATILE = frozenset({"step", "camera", "dev"})
MAX_SUMMARY = 200
MAX_REQUEST = 200
MAX_GROUP = 64
_KEY = re.compile(r"[A-Za-z][A-Za-z0-9_-]{0,63}(\.[A-Za-z0-9_-]{1,64}){0,3}")


def document_key(text: str) -> str:
    """The key of a document. Raises InvalidName for text that cannot be one."""
    if not _KEY.fullmatch(text) or len(text) > 128:
        raise InvalidName(
            "the key of a document is up to 4 names joined by dots, each of letters, digits, - and _: "
            "the first starts with a letter",
            name=text[:100],
        )
    if target_of(text) == FRAMES:
        raise InvalidName("a document cannot be called 'frames'", name=text)
    return text


def target_of(key: str) -> str:
    """The target whose lock guards a document: `figures` guards `figures.rdf`."""
    return key.partition(".")[0]


def is_volatile(key: str) -> bool:
    """Whether changes of a document are not versions: it changes with every click, movement or saved file."""
    return target_of(key) in VOLATILE


@dataclass(frozen=True, slots=True)
class DocumentInfo:
    """A document without its content. `version` is the number of the change that made it what it is."""

    room: str
    key: str
    version: int
    size: int
    user: str
    job_id: str | None
    changed_us: int


@dataclass(frozen=True, slots=True)
class Document:
    info: DocumentInfo
    content: bytes


@dataclass(frozen=True, slots=True)
class DataLimits:
    """How much a room keeps: documents, their bytes, versions, and the bytes that only versions need."""

    documents: int = 500
    bytes: int = 10_000_000
    versions: int = 100
    history_bytes: int = 30_000_000
    keep_us: int = 7 * 86_400 * 1_000_000


DEFAULT_LIMITS = DataLimits()


@dataclass(frozen=True, slots=True)
class Edit:
    """A change of one document; without content, its deletion.

    `expected` is the version that it must have now; see `domain/rules/room_data/documents.py`. `request`
    identifies the edit, so that one whose reply was lost can be sent again. `group` and `keeps_on_failure`
    are those of `versions.group_of`.
    """

    room: str
    key: str
    content: bytes | None
    writer: Writer
    expected: int | None = None
    request: str = ""
    summary: str = ""
    limits: DataLimits = DEFAULT_LIMITS
    group: str = ""
    keeps_on_failure: bool = False


@dataclass(frozen=True, slots=True)
class Written:
    """`is_new` is false if the same edit was made before."""

    version: int
    at_us: int
    is_new: bool


def merge_patch(value: Any, patch: Any) -> Any:
    """The value after a JSON merge patch (RFC 7396)."""
    if not isinstance(patch, dict):
        return patch
    merged = dict(value) if isinstance(value, dict) else {}
    for name, change in patch.items():
        if change is None:
            merged.pop(name, None)
        else:
            merged[name] = merge_patch(merged.get(name), change)
    return merged
