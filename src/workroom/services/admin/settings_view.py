"""The settings in force, without secrets."""

from __future__ import annotations

from dataclasses import dataclass
from typing import Any
from urllib.parse import urlsplit

from pydantic_core import PydanticUndefined

from workroom.settings import Settings

MASK = "••••••"
_SECRET = frozenset({"admin_password", "signing_key"})


@dataclass(frozen=True, slots=True)
class Setting:
    """`is_default` is also true if it was set to the default."""

    name: str
    value: Any
    is_default: bool
    description: str


def settings_in_force(settings: Settings) -> list[Setting]:
    """By name, each with its value as JSON. Passwords, keys, and passwords within URLs are masked."""
    values = settings.model_dump(mode="json")
    found = []
    for name, field in sorted(Settings.model_fields.items()):
        default = field.get_default(call_default_factory=True)
        is_default = default is not PydanticUndefined and getattr(settings, name) == default
        found.append(Setting(name, _masked(name, values[name]), is_default, field.description or ""))
    return found


def _masked(name: str, value: Any) -> Any:
    if value is None or value == "":
        return value
    if name in _SECRET or name.endswith(("_key", "_secret", "_token", "_password")):
        return MASK
    return _without_password(value) if isinstance(value, str) else value


def _without_password(text: str) -> str:
    """A URL may have a password, or keys in its query."""
    if "://" not in text:
        return text
    try:
        parts = urlsplit(text)
    except ValueError:
        return MASK
    user, at, host = parts.netloc.rpartition("@")
    netloc = f"{user.partition(':')[0]}:{MASK}{at}{host}" if ":" in user else parts.netloc
    query = f"?{MASK}" if parts.query else ""
    scheme, rest = text.split("://", 1)
    path = rest[len(parts.netloc) :].partition("?")[0]
    return f"{scheme}://{netloc}{path}{query}"
