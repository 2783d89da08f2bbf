"""The stored results of one run."""

from __future__ import annotations

import json
from collections.abc import Sequence
from dataclasses import asdict, dataclass, field
from pathlib import Path

from peers.rounds import Journal, Round
from peers.targets import Verdict


@dataclass(slots=True)
class Record:
    date: str
    commit: str
    machine: str
    sizes: str
    versions: dict[str, str]
    rounds: list[Round] = field(default_factory=list)
    journal: Journal = field(default_factory=Journal)
    verdicts: Sequence[Verdict] = ()

    def write(self, path: Path) -> None:
        path.parent.mkdir(parents=True, exist_ok=True)
        path.write_text(json.dumps(asdict(self), indent=1, ensure_ascii=False) + "\n")
