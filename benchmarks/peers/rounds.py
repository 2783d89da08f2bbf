"""Measures all systems in turn, in several rounds, so that disturbances affect all of them."""

from __future__ import annotations

import json
import os
import subprocess
import sys
from collections.abc import Iterator, Sequence
from contextlib import contextmanager
from dataclasses import asdict, dataclass, field
from pathlib import Path
from tempfile import TemporaryDirectory

from broker import valkey
from peers import machine
from peers.auditing import AuditFailed
from peers.lineup import Entry
from peers.metrics import Figures, Sizes
from peers.session import LOST

PATHS = str(Path(__file__).parents[1])
CLOSING_SECONDS = 60

Round = dict[str, Figures]


@dataclass(slots=True)
class Journal:
    """Facts about a run besides its figures."""

    busy: list[float] = field(default_factory=list)
    repeated: list[str] = field(default_factory=list)


class SessionFailed(Exception):
    """The measurement of a system failed."""


def play(lineup: Sequence[Entry], python: Path, sizes: Sizes, number: int, journal: Journal) -> Round:
    """The figures of each system in this round, by name."""
    found: Round = {}
    for entry in lineup if number % 2 else reversed(lineup):  # the order alternates
        journal.busy.append(busy := machine.busy())
        print(f"round {number}: {entry.label}  (others use {busy:.1f} cores)", file=sys.stderr, flush=True)
        known, figures = found.setdefault(entry.system, {}), _run_patiently(entry, python, sizes, journal)
        known |= figures | {"verified": known.get("verified", 0) + figures["verified"]}
    return found


def _run_patiently(entry: Entry, python: Path, sizes: Sizes, journal: Journal) -> Figures:
    """One failure, perhaps of a loaded machine, must not discard the earlier rounds."""
    try:
        return run(entry, python, sizes)
    except SessionFailed as failure:
        print(f"{failure}\nonce more:", file=sys.stderr, flush=True)
        journal.repeated.append(entry.label)
        return run(entry, python, sizes)


def run(entry: Entry, python: Path, sizes: Sizes) -> Figures:
    with TemporaryDirectory(prefix="bench-") as name, _store(entry, Path(name)) as url:
        given = Sizes(min(entry.jobs, sizes.jobs), sizes.times, sizes.http_seconds)
        interpreter = sys.executable if entry.is_workroom else str(python)
        command = [interpreter, "-m", "peers.session", entry.module, name, json.dumps(asdict(given))]
        status, said = _session([*command, *entry.metrics], _environment(entry, Path(name), url))
        if status == LOST:
            raise AuditFailed(entry.label)
        if status:
            log = Path(name, "processes.log")
            raise SessionFailed(f"{entry.label} failed\n{log.read_text() if log.exists() else ''}")
        figures: Figures = json.loads(said.splitlines()[-1])
        return figures


def _session(command: list[str], environment: dict[str, str]) -> tuple[int, bytes]:
    """Wait for it after Ctrl-C too: it has to end its own processes."""
    child = subprocess.Popen(command, env=environment, stdout=subprocess.PIPE)
    try:
        said, _ = child.communicate()
    finally:
        status = child.wait(CLOSING_SECONDS)
    return status, said


@contextmanager
def _store(entry: Entry, folder: Path) -> Iterator[str]:
    if entry.is_workroom and not entry.appendfsync:
        yield ""
    else:
        with valkey(folder, entry.appendfsync) as url:
            yield url


def _environment(entry: Entry, folder: Path, url: str) -> dict[str, str]:
    return {
        **os.environ,
        "PYTHONPATH": PATHS,
        "WORKROOM_STATE_DIR": str(folder / "state"),
        "BENCH_BROKER": url,
        "BENCH_BEHIND": entry.behind,
        "BENCH_RESULTS": "yes" if entry.keeps_results else "no",
        "BENCH_LOG": str(folder / "jobs.log"),
    }
