"""Positions of items in lists, as paths and references write them."""

from __future__ import annotations

import re
from collections.abc import Sequence
from typing import Any

_DIGITS = re.compile(r"[0-9]{1,9}")  # `int` refuses some other digits, and thousands of them


def index_of(name: str, items: Sequence[Any]) -> int | None:
    """The position that a name means; None if it means none, or if the list has no such item."""
    index = int(name) if _DIGITS.fullmatch(name) else len(items)
    return index if index < len(items) else None
