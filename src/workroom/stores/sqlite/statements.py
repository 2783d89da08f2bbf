"""SQL: one statement per file, named by intent."""

from __future__ import annotations

from importlib.resources import files


def load(package: str) -> dict[str, str]:
    folder = files(package) / "sql"
    return {
        entry.name.removesuffix(".sql"): entry.read_text("utf-8").strip()
        for entry in folder.iterdir()
        if entry.name.endswith(".sql")
    }


SQL = load("workroom.stores.sqlite")
