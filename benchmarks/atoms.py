"""How long the extensions of the atoms pack take, and how much memory, by the number of atoms.

python benchmarks/atoms.py             # 1, 1,000 and 100,000 atoms, in memory: no server
python benchmarks/atoms.py RDF Relax   # these alone
python benchmarks/atoms.py --file 500  # reads an extxyz file of 500 MB, one frame at a time

Each runs on a room of three frames with half of the atoms selected, in a process of its own. It prints the
CPU time, which other processes on the machine hardly change, and the largest memory of the process.
Calculators are slow: Relax and MolecularDynamics make two steps with EMT. PackBox fills a box with that many
atoms of water. What needs two or more atoms has as many instead of one.
"""

from __future__ import annotations

import argparse
import math
import resource
import subprocess
import sys
import tempfile
import time
from collections.abc import Callable
from pathlib import Path
from typing import Any

import numpy as np
from ase.build import bulk
from ase.calculators.singlepoint import SinglePointCalculator

sys.path.insert(0, str(Path(__file__).parents[1] / "tests"))

from support.atoms_room import ListFiles, ListRoom, a_job, run
from workroom.packs.atoms.convert import to_atoms, to_frame
from workroom.packs.atoms.formats.reading import read_frames
from workroom.packs.atoms.formats.writing import write_frames
from workroom.packs.atoms.pack import extensions
from workroom.runtime.files import FETCH

SIZES = (1, 1_000, 100_000)
SELECTED = {"Distance": 2, "Angle": 3, "DihedralAngle": 4}
FRAMES = 3
SECONDS = 1200


def main() -> None:
    parser = argparse.ArgumentParser(
        description=__doc__, formatter_class=argparse.RawDescriptionHelpFormatter
    )
    parser.add_argument("names", nargs="*", metavar="EXTENSION")
    parser.add_argument("--file", type=int, metavar="MB")
    parser.add_argument("--one", help=argparse.SUPPRESS)
    options = parser.parse_args()
    if options.one:
        print(measure(options.one))
    elif options.file:
        measure_file(options.file)
    else:
        print(f"{'extension':20}" + "".join(f"{f'{size:,} atoms':>40}" for size in SIZES))
        for name in options.names or ["conversion", *sorted(each.__name__ for each in extensions())]:
            print(f"{name:20}{in_process(name)}", flush=True)


def in_process(name: str) -> str:
    """In a process of its own, so that its memory is known."""
    command = [sys.executable, __file__, "--one", name]
    try:
        ran = subprocess.run(command, capture_output=True, text=True, check=False, timeout=SECONDS)
    except subprocess.TimeoutExpired:
        return f"more than {SECONDS} s"
    return ran.stdout.rstrip() or ran.stderr.strip().splitlines()[-1]


def measure(name: str) -> str:
    """From few atoms to many, as the largest memory never shrinks."""
    with tempfile.TemporaryDirectory() as folder:
        action(name, 1, Path(folder))()  # imports
        return "".join(f"{measure_one(name, size, Path(folder)):>40}" for size in SIZES)


def measure_one(name: str, size: int, folder: Path) -> str:
    atoms = max(size, SELECTED.get(name, 1))
    run_it = action(name, atoms, folder)
    before, started = peak_mb(), time.process_time()
    run_it()
    milliseconds = (time.process_time() - started) * 1000
    note = f" ({atoms:,} atoms)" if atoms != size else ""
    return f"{milliseconds:,.1f} ms, {before:,.0f} to {peak_mb():,.0f} MB{note}"


def action(name: str, size: int, folder: Path) -> Callable[[], Any]:
    return conversion(structure(size)) if name == "conversion" else execution(name, size, folder)


def structure(size: int) -> Any:
    atoms = bulk("Cu").repeat(math.ceil(size ** (1 / 3)))[:size]
    atoms.rattle(0.05, seed=1)
    atoms.info["time"] = 0.0
    forces = np.random.default_rng(1).normal(size=(size, 3))
    atoms.calc = SinglePointCalculator(atoms, energy=-1.0, forces=forces)
    return atoms


def conversion(atoms: Any) -> Callable[[], Any]:
    return lambda: to_atoms(to_frame(atoms))


def execution(name: str, size: int, folder: Path) -> Callable[[], Any]:
    found = next(each for each in extensions() if each.__name__ == name)
    atoms, job = structure(size), a_job(ListFiles(folder))
    if name == "LoadFile":
        write_frames(folder / f"{size}.xyz", [atoms] * FRAMES, "extxyz")
    extension = found.model_validate(values(name, size), context={FETCH: job.fetch})
    room = ListRoom.of(*[atoms] * FRAMES, selection=range(SELECTED.get(name, max(1, size // 2))))
    return lambda: run(extension, room, job)


def values(name: str, size: int) -> dict[str, Any]:
    water = [{"molecule": "H2O", "count": max(1, size // 3)}]
    given: dict[str, dict[str, Any]] = {
        "RDF": {"cutoff": 6.0},
        "Random": {"count": 1},
        "LoadFile": {"file": f"{size}.xyz"},
        "PackBox": {"molecules": water},
        "Relax": {"steps": 2, "fmax": 1e-9},
        "MolecularDynamics": {"steps": 2, "every": 1},
    }
    return given.get(name, {})


def measure_file(megabytes: int) -> None:
    with tempfile.TemporaryDirectory() as folder:
        path = Path(folder) / "long.extxyz"
        frames = write_file(path, megabytes)
        before, started = peak_mb(), time.process_time()
        count = sum(1 for _ in map(to_frame, read_frames(path)))
        seconds = time.process_time() - started
        assert count == frames
        rate = megabytes / seconds
        print(f"{count:,} frames of 1,000 atoms, {megabytes} MB: {seconds:.0f} s, {rate:.1f} MB/s")
        print(f"memory at most {peak_mb():.0f} MB, of that {before:.0f} MB before")


def write_file(path: Path, megabytes: int) -> int:
    head = 'Lattice="20 0 0 0 20 0 0 0 20" Properties=species:S:1:pos:R:3:forces:R:3 energy=-1.5 pbc="T T T"'
    line = "Cu 12.34567890 2.34567890 3.45678901 0.12345678 -1.23456789 2.34567890\n"
    frame = f"1000\n{head}\n{line * 1000}"
    count = megabytes * 1_000_000 // len(frame)
    with path.open("w") as file:
        for _ in range(count):
            file.write(frame)
    return count


def peak_mb() -> float:
    return resource.getrusage(resource.RUSAGE_SELF).ru_maxrss / 1024


if __name__ == "__main__":
    main()
