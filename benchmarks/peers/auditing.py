"""What is wrong if it fails: apart, because those who have nothing to audit must know of it too."""

from __future__ import annotations


class AuditFailed(Exception):
    """A job was lost, or is not what it should be."""
