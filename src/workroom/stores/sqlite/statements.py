"""Loads SQL files: each statement starts with a line `-- name: insert_job` and is looked up by that name."""

from __future__ import annotations

import re
from collections.abc import Iterator
from importlib.resources import files
from importlib.resources.abc import Traversable

_NAME = re.compile(r"^-- name: (\w+)$", re.MULTILINE)


def load(package: str) -> dict[str, str]:
    """Return every statement of the package's `sql` folder by name; names are unique across its files."""
    statements: dict[str, str] = {}
    for entry in _files_in(files(package) / "sql"):
        _, *sections = _NAME.split(entry.read_text("utf-8"))
        for name, text in zip(sections[::2], sections[1::2], strict=True):
            if name in statements:
                raise ValueError(f"{package}: the statement '{name}' is defined twice")
            statements[name] = text.strip()
    return statements


def without(statement: str, data: str, *columns: str) -> str:
    """The statement without these columns, which are then not read: `data` is empty, the others are null."""
    for column, value in ((data, "x''"), *((each, "NULL") for each in columns)):
        statement = statement.replace(f"{column},", f"{value},")
    return statement


def _files_in(folder: Traversable) -> Iterator[Traversable]:
    """The SQL files in a folder and in its sub-folders, which group them by subject."""
    for each in folder.iterdir():
        if each.is_dir():
            yield from _files_in(each)
        elif each.name.endswith(".sql"):
            yield each


SQL = load("workroom.stores.sqlite")
