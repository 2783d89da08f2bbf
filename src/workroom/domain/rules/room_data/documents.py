"""Whether an edit of a document is made."""

from __future__ import annotations

from enum import StrEnum

NO_DOCUMENT = 0
ANY_VERSION = -1


class EditVerdict(StrEnum):
    WRITE = "write"
    REPEAT = "repeat"  # the edit was made before: its reply was lost
    CONFLICT = "conflict"  # somebody else changed the document
    MISSING = "missing"


class DataQuota(StrEnum):
    DOCUMENTS = "documents_per_room"
    BYTES = "document_bytes_per_room"


def decide(*, version: int, expected: int | None, is_repeat: bool, is_delete: bool) -> EditVerdict:
    """`version` is the document's, or NO_DOCUMENT; `expected` may be NO_DOCUMENT or ANY_VERSION too."""
    if is_repeat:
        return EditVerdict.REPEAT
    if is_delete and version == NO_DOCUMENT:
        return EditVerdict.MISSING
    if expected is None or expected == version:
        return EditVerdict.WRITE
    is_met = expected == ANY_VERSION and version != NO_DOCUMENT
    return EditVerdict.WRITE if is_met else EditVerdict.CONFLICT


def exceeded(
    *, documents: int, size: int, more_documents: int, more_size: int, most: int, max_size: int
) -> DataQuota | None:
    """The quota that an edit exceeds. What makes a room's data smaller is always allowed."""
    if more_documents > 0 and documents + more_documents > most:
        return DataQuota.DOCUMENTS
    if more_size > 0 and size + more_size > max_size:
        return DataQuota.BYTES
    return None
