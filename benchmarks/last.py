"""The last recorded figures."""

from __future__ import annotations

import json
import subprocess
from collections.abc import Sequence
from dataclasses import asdict, dataclass
from datetime import UTC, datetime
from pathlib import Path

from figures import Figure

HOME = Path(__file__).parent
PATH = HOME / "last.json"


@dataclass(frozen=True, slots=True)
class Last:
    """`figures` are ratios to the floor, absolute ones for the floor itself; by store, then by name."""

    commit: str
    date: str
    figures: dict[str, dict[str, float]]

    @classmethod
    def read(cls) -> Last:
        return cls(**json.loads(PATH.read_text())) if PATH.exists() else cls("", "", {})

    def of(self, store: str, figure: Figure) -> float | None:
        return self.figures.get(store, {}).get(figure.name)


def record(store: str, figures: Sequence[Figure]) -> None:
    found = {each.name: round(each.compared, 3) for each in figures}
    now = datetime.now(UTC).strftime("%Y-%m-%d")
    last = Last(_commit(), now, Last.read().figures | {store: found})
    PATH.write_text(json.dumps(asdict(last), indent=2) + "\n")


def _commit() -> str:
    command = ["git", "-C", str(HOME), "rev-parse", "--short", "HEAD"]
    return subprocess.run(command, capture_output=True, text=True, check=False).stdout.strip()
