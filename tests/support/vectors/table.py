"""Reads the vectors in `tests/vectors`: hand-written ones, and generated ones beside them."""

from __future__ import annotations

import json
from dataclasses import dataclass
from pathlib import Path
from typing import Any

FOLDER = Path(__file__).parents[2] / "vectors"
GENERATED = FOLDER / "generated"


@dataclass(frozen=True, slots=True)
class Vector:
    """`rule` names module and function. The order of the facts is that of the arguments."""

    rule: str
    why: str
    facts: dict[str, Any]
    verdict: Any

    def __str__(self) -> str:
        return f"{self.rule}({self.facts}): {self.why}"


def read_vectors() -> list[Vector]:
    files = sorted((*FOLDER.glob("*.json"), *GENERATED.glob("*.json")))
    return [Vector(**each) for file in files for each in json.loads(file.read_text("utf-8"))]


def write_vectors(file: Path, vectors: list[Vector]) -> None:
    """One vector per line, so that a diff shows which verdicts changed."""
    rows = [
        {"rule": each.rule, "why": each.why, "facts": each.facts, "verdict": each.verdict} for each in vectors
    ]
    lines = ",\n".join("  " + json.dumps(row, ensure_ascii=False) for row in rows)
    file.write_text(f"[\n{lines}\n]\n", "utf-8")
