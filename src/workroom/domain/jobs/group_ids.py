"""Ids of groups, which no job has."""

from __future__ import annotations

PREFIX = "grp_"


def is_group_id(id: str) -> bool:
    return id.startswith(PREFIX)
