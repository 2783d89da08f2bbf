"""How long the extensions of the atoms pack take, and how much memory, by the number of atoms.

python benchmarks/atoms.py            # 1, 1,000 and 100,000 atoms, in memory: no server
python benchmarks/atoms.py --file 500 # reads an extxyz file of 500 MB, one frame at a time
"""

from __future__ import annotations

import argparse
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

from support.atoms_room import ListRoom, run
from workroom import Extension
from workroom.packs.atoms.convert import to_atoms, to_frame
from workroom.packs.atoms.formats.reading import read_frames
from workroom.packs.atoms.pack import extensions

SIZES = {1: 1, 1_000: 10, 100_000: 47}  # atoms, and how often a cell of one atom is repeated
LEFT_OUT = {"LoadFile", "ExportFile", "PackBox", "MolecularDynamics", "Relax"}
FRAMES = 3


def main() -> None:
    parser = argparse.ArgumentParser()
    parser.add_argument("--file", type=int, metavar="MB")
    parser.add_argument("--one", nargs=2, metavar=("EXTENSION", "ATOMS"), help=argparse.SUPPRESS)
    options = parser.parse_args()
    if options.one:
        measure(options.one[0], int(options.one[1]))
    elif options.file:
        measure_file(options.file)
    else:
        print(f"{'extension':20}" + "".join(f"{f'{size:,} atoms':>24}" for size in SIZES))
        for name in [
            "conversion",
            *sorted(each.__name__ for each in extensions() if each.__name__ not in LEFT_OUT),
        ]:
            print(f"{name:20}" + "".join(f"{in_process(name, size):>24}" for size in SIZES), flush=True)


def in_process(name: str, size: int) -> str:
    """In a process of its own, so that its memory can be told."""
    command = [sys.executable, __file__, "--one", name, str(size)]
    ran = subprocess.run(command, capture_output=True, text=True, check=False)
    return ran.stdout.strip() or "refused"


def measure(name: str, size: int) -> None:
    atoms = structure(size)
    action = conversion(atoms) if name == "conversion" else execution(name, atoms)
    action()  # imports
    before, started = peak_mb(), time.perf_counter()
    action()
    print(
        f"{(time.perf_counter() - started) * 1000:,.1f} ms, {peak_mb():,.0f} MB (+{peak_mb() - before:.0f})"
    )


def structure(size: int) -> Any:
    times = SIZES[size]
    atoms = bulk("Cu").repeat(times)[:size]
    atoms.rattle(0.05, seed=1)
    atoms.info["time"] = 0.0
    forces = np.random.default_rng(1).normal(size=(size, 3))
    atoms.calc = SinglePointCalculator(atoms, energy=-1.0, forces=forces)
    return atoms


def conversion(atoms: Any) -> Callable[[], Any]:
    return lambda: to_atoms(to_frame(atoms))


def execution(name: str, atoms: Any) -> Callable[[], Any]:
    found = next(each for each in extensions() if each.__name__ == name)
    count = {"Distance": 2, "Angle": 3, "DihedralAngle": 4}.get(name, 1)
    fields: dict[str, Any] = {"cutoff": 6.0} if name == "RDF" else {"count": 1} if name == "Random" else {}
    extension: Extension = found(**fields)

    def act() -> None:
        run(extension, ListRoom.of(*[atoms] * FRAMES, selection=range(count)))

    return act


def measure_file(megabytes: int) -> None:
    with tempfile.TemporaryDirectory() as folder:
        path = Path(folder) / "long.extxyz"
        frames = write_file(path, megabytes)
        before, started = peak_mb(), time.perf_counter()
        count = sum(1 for _ in map(to_frame, read_frames(path)))
        seconds = time.perf_counter() - started
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
