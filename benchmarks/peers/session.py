"""Measures one system, in a process and a virtual environment of its own.

    python -m peers.session MODULE FOLDER SIZES METRIC…

Says on stderr what it does, and prints one JSON object with what it found.
"""

from __future__ import annotations

import asyncio
import json
import os
import sys
from importlib import import_module
from pathlib import Path

from peers.auditing import AuditFailed
from peers.children import running
from peers.joblog import JobLog
from peers.metrics import METRICS, Figures, Sizes, Tally
from peers.system import System

WARM = 200
SETTLE_SECONDS = 1.5
PATIENCE_SECONDS = 600
LOST = 3  # the exit status when a job was lost


async def warm(system: System, tally: Tally) -> None:
    """Wait for a first job: only its end shows that the workers are ready."""
    system.forget()
    await system.submit(0)
    await system.until_done(1)
    await asyncio.sleep(SETTLE_SECONDS)
    for n in range(WARM):
        await system.submit(n)
    await system.until_done(1 + WARM)
    await asyncio.sleep(SETTLE_SECONDS)
    tally.submitted += 1 + WARM


async def measure(system: System, sizes: Sizes, metrics: list[str]) -> Figures:
    tally, figures = Tally(), Figures()
    await warm(system, tally)
    for name in metrics:
        print(f"    {name}", end="", file=sys.stderr, flush=True)
        found = await METRICS[name](system, sizes, tally)
        print("".join(f"  {key} {value:,.2f}" for key, value in found.items()), file=sys.stderr, flush=True)
        figures |= found
    figures["verified"] = await system.verify(tally.submitted)
    return figures


async def session(module: str, folder: Path, sizes: Sizes, metrics: list[str]) -> Figures:
    log = JobLog(Path(os.environ["BENCH_LOG"]))
    system: System = import_module(f"peers.systems.{module}").Measured(log, folder)
    with running(system.commands(), folder / "processes.log"):
        try:
            await system.open()
            async with asyncio.timeout(PATIENCE_SECONDS):
                return await measure(system, sizes, metrics)
        finally:
            await system.close()


def main() -> None:
    module, folder, sizes, *metrics = sys.argv[1:]
    try:
        figures = asyncio.run(session(module, Path(folder), Sizes(**json.loads(sizes)), metrics))
    except AuditFailed as failure:
        print(failure, file=sys.stderr)
        sys.exit(LOST)
    print(json.dumps(figures))


if __name__ == "__main__":
    main()
