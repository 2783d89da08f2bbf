"""The error of a failed audit, in a module that every system can import."""

from __future__ import annotations


class AuditFailed(Exception):
    """A job was lost, or is not what it should be."""
