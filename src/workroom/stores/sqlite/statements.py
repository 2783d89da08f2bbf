"""Loads SQL files: each statement starts with a line `-- name: insert_job` and is looked up by that name."""

from __future__ import annotations

import re
from importlib.resources import files

_NAME = re.compile(r"^-- name: (\w+)$", re.MULTILINE)


def load(package: str) -> dict[str, str]:
    """Return every statement of the package's `sql` folder by name; names are unique across its files."""
    statements: dict[str, str] = {}
    for entry in (files(package) / "sql").iterdir():
        if entry.name.endswith(".sql"):
            _, *sections = _NAME.split(entry.read_text("utf-8"))
            for name, text in zip(sections[::2], sections[1::2], strict=True):
                if name in statements:
                    raise ValueError(f"{package}: the statement '{name}' is defined twice")
                statements[name] = text.strip()
    return statements


SQL = load("workroom.stores.sqlite")
