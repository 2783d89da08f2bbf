"""Does a job cost more CPU or time than at another commit?

    python benchmarks/pairs.py --base REV [--now REV] [--pairs 20] [--turns 4] [--store sqlite|redis]

Without --now, this tree is compared. For each pair, servers and workers of both commits are started anew and
measured in turns of two seconds, so that a machine that gets slower for a while slows both. Prints the ratio
of now to then with its 95% interval over the pairs, for each part of the cost of a job.
"""

from __future__ import annotations

import argparse
import asyncio
import math
import subprocess
import sys
import tomllib
from collections.abc import Iterator
from contextlib import AsyncExitStack, contextmanager, nullcontext
from pathlib import Path
from statistics import mean, median, stdev
from tempfile import TemporaryDirectory

from cpu_per_job import Costs, subject
from sizes import TURN
from stage import REDIS, SQLITE

ROOT = Path(__file__).parent.parent
_T = {5: 2.571, 10: 2.228, 15: 2.131, 20: 2.086, 30: 2.042}  # Student's t for 95%, by degrees of freedom

Pair = tuple[Costs, Costs]


async def measure(trees: tuple[Path, Path], store: str, turns: int) -> Pair:
    """Servers and workers are those of the trees, clients those of this one. The first turn warms up."""
    found: tuple[list[Costs], list[Costs]] = ([], [])
    async with AsyncExitStack() as stack:
        sides = [await stack.enter_async_context(subject(store, tree / "src")) for tree in trees]
        for turn in range(turns + 1):
            for side in (0, 1) if turn % 2 else (1, 0):
                costs = await sides[side].measure(TURN)
                if turn:
                    found[side].append(costs)
    then, now = (_middle(costs) for costs in found)
    return then, now


def _middle(turns: list[Costs]) -> Costs:
    """The median of each cost."""
    return {name: median(costs[name] for costs in turns) for name in turns[0]}


@contextmanager
def checkout(revision: str) -> Iterator[Path]:
    git = ["git", "-C", str(ROOT), "worktree"]
    with TemporaryDirectory(prefix="base-") as folder:
        subprocess.run([*git, "add", "--quiet", "--detach", folder, revision], check=True)
        try:
            _name_distribution(Path(folder))
            yield Path(folder)
        finally:
            subprocess.run([*git, "remove", "--force", folder], check=True)


def _name_distribution(tree: Path) -> None:
    """Let that tree find its own packs: entry points of the installed distribution may not exist in it."""
    project = tomllib.loads((tree / "pyproject.toml").read_text())["project"]
    info = tree / "src" / "workroom-0.dist-info"
    info.mkdir()
    (info / "METADATA").write_text("Metadata-Version: 2.1\nName: workroom\nVersion: 0\n")
    groups = project.get("entry-points", {})
    lines = [
        f"[{group}]\n" + "".join(f"{k} = {v}\n" for k, v in named.items()) for group, named in groups.items()
    ]
    (info / "entry_points.txt").write_text("\n".join(lines))


def compare(pairs: list[Pair]) -> None:
    print(f"{'us per job':32}{'then':>8}{'now':>8}{'ratio':>8}   95% interval, {len(pairs)} pairs")
    for name in pairs[0][0]:
        logs = [math.log(now[name] / then[name]) for then, now in pairs]
        half = _student(len(logs) - 1) * stdev(logs) / math.sqrt(len(logs))
        low, high = math.exp(mean(logs) - half), math.exp(mean(logs) + half)
        then, now = (median(costs[name] for costs in side) for side in zip(*pairs, strict=True))
        print(f"{name:32}{then:8.0f}{now:8.0f}{math.exp(mean(logs)):8.3f}   {low:.3f} to {high:.3f}")


def _student(freedom: int) -> float:
    """The entry for the next smaller number, so that the interval is wide enough."""
    return next((_T[size] for size in sorted(_T, reverse=True) if size <= freedom), 12.7)


def main() -> None:
    parser = argparse.ArgumentParser(description=__doc__, formatter_class=argparse.RawTextHelpFormatter)
    parser.add_argument("--base", required=True, help="the commit to compare with")
    parser.add_argument("--now", help="the commit that is compared, if it is not this tree")
    parser.add_argument("--pairs", type=int, default=20)
    parser.add_argument("--turns", type=int, default=4)
    parser.add_argument("--store", choices=[SQLITE, REDIS], default=SQLITE)
    given = parser.parse_args()
    pairs: list[Pair] = []
    with checkout(given.base) as base, checkout(given.now) if given.now else nullcontext(ROOT) as now:
        for number in range(given.pairs):
            pairs.append(asyncio.run(measure((base, now), given.store, given.turns)))
            print(f"{number + 1} of {given.pairs}", end="\r", file=sys.stderr, flush=True)
    compare(pairs)


if __name__ == "__main__":
    main()
