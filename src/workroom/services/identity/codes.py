"""One-time codes: short ones to type, long ones for links."""

from __future__ import annotations

import hashlib
import secrets

_LETTERS = "23456789ABCDEFGHJKMNPQRSTVWXYZ"  # without look-alikes
_GROUP = 4


def short_code(length: int = 8) -> str:
    """Like KX4P-9TQM."""
    letters = "".join(secrets.choice(_LETTERS) for _ in range(length))
    return "-".join(letters[start : start + _GROUP] for start in range(0, length, _GROUP))


def long_code() -> str:
    return secrets.token_urlsafe(24)


def digest(code: str, bound_to: str = "", *, is_typed: bool = False) -> str:
    """What is stored of a code. Case, spaces and hyphens of a typed code do not matter."""
    text = "".join(code.split()).replace("-", "").upper() if is_typed else code
    return hashlib.sha256(f"{bound_to} {text}".encode()).hexdigest()
