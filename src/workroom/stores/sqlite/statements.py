"""The SQL of the store: one statement per file, named by intent."""

from __future__ import annotations

from importlib.resources import files


def _load() -> dict[str, str]:
    folder = files("workroom.stores.sqlite") / "sql"
    return {
        entry.name.removesuffix(".sql"): entry.read_text("utf-8").strip()
        for entry in folder.iterdir()
        if entry.name.endswith(".sql")
    }


SQL = _load()
