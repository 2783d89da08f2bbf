"""Who there is, and which rooms."""

from __future__ import annotations

from workroom.testing.conformance.records.accounts import (
    AccountConformance,
    NameConformance,
    RevocationConformance,
)
from workroom.testing.conformance.records.rooms import CodeConformance, RoomConformance


class DirectoryConformance(
    AccountConformance, NameConformance, RevocationConformance, CodeConformance, RoomConformance
):
    """The verbs of the directory."""
