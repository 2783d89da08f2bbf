"""Files of structures: read and written as ASE does, one frame at a time."""

from __future__ import annotations

import io
import re
import subprocess
import sys
import warnings
from collections.abc import Iterator
from pathlib import Path
from typing import Any

import ase.io
import h5py
import numpy as np
import pytest
from ase.build import bulk, molecule
from ase.calculators.singlepoint import SinglePointCalculator
from ase.db import connect
from ase.units import fs, kJ, mol

from support.atoms_room import ListFiles, ListRoom, a_job, run
from support.structures import TRICLINIC, is_same_frame, triclinic
from workroom import File
from workroom.packs.atoms.convert import to_frame
from workroom.packs.atoms.formats.reading import FORMATS, format_of, read_frames
from workroom.packs.atoms.formats.splitting import FileRefused, split_nothing
from workroom.packs.atoms.formats.writing import write_frames
from workroom.packs.atoms.modifiers.exporting import ExportFile
from workroom.packs.atoms.modifiers.loading import LoadFile


def frames(count: int = 3) -> list[Any]:
    """Crystals in a triclinic cell, with results, that change from frame to frame."""
    found = []
    for number in range(count):
        atoms = triclinic(6, seed=number)
        atoms.numbers[3:] = 8
        atoms.set_momenta(np.random.default_rng(number).normal(size=(6, 3)))
        atoms.set_tags(range(6))
        atoms.calc = SinglePointCalculator(atoms, energy=-1.0 * number, forces=atoms.positions / 3)
        found.append(atoms)
    return found


NUMBER = re.compile(r"-?\d+\.?\d*(?:[eE][-+]\d+)?")
WRITTEN = {
    "a.xyz": ("xyz", "extxyz", 3),
    "a.extxyz": ("extxyz", "extxyz", 3),
    "a.traj": ("traj", "traj", 3),
    "a.cif": ("cif", "cif", 3),
    "a.pdb": ("proteindatabank", "proteindatabank", 3),
    "POSCAR": ("vasp", "vasp", 1),
    "XDATCAR": ("vasp-xdatcar", "vasp-xdatcar", 3),
    "a.data": ("lammps-data", "lammps-data", 1),
    "a.gro": ("gromacs", "gromacs", 1),
    "a.cube": ("cube", "cube", 1),
    "a.xsf": ("xsf", "xsf", 3),
    "a.json": ("json", "json", 3),
    "a.db": ("db", "db", 3),
}


def written(path: Path, format: str, count: int) -> Path:
    structures = [
        atoms if format in ("extxyz", "traj", "json", "db") else atoms.copy() for atoms in frames(count)
    ]
    if format in ("json", "db"):
        database = connect(str(path), type=format)
        for atoms in structures:
            database.write(atoms)
        return path
    with warnings.catch_warnings():
        warnings.simplefilter("ignore")
        ase.io.write(path, structures if count > 1 else structures[0], format=format)
    return path


@pytest.mark.parametrize("name", WRITTEN)
def test_a_format_reads_as_ase_reads_it(name: str, tmp_path: Path) -> None:
    writing, reading, count = WRITTEN[name]
    path = written(tmp_path / name, writing, count)

    found = list(read_frames(path))

    with warnings.catch_warnings():
        warnings.simplefilter("ignore")
        expected = ase.io.read(path, index=":", format=reading)
    assert len(found) == len(expected) == count
    for one, other in zip(found, expected, strict=True):
        assert is_same_frame(to_frame(one), to_frame(other))


def test_every_format_has_a_test() -> None:
    named = {format_of(name) for name in WRITTEN} | {"lammps-dump", "h5md"}
    assert named == set(FORMATS)


DUMP = """ITEM: TIMESTEP
{step}
ITEM: NUMBER OF ATOMS
2
ITEM: BOX BOUNDS pp pp pp
0.0 10.0
0.0 10.0
0.0 10.0
ITEM: ATOMS id type x y z
2 1 {step}.5 0 0
1 1 1 2 3
"""


def test_a_lammps_dump_has_a_frame_for_each_step(tmp_path: Path) -> None:
    path = tmp_path / "a.lammpstrj"
    path.write_text("".join(DUMP.format(step=step) for step in range(4)))

    found = list(read_frames(path))

    expected = ase.io.read(path, index=":", format="lammps-dump-text")
    assert len(expected) == 4
    for one, other in zip(found, expected, strict=True):
        assert is_same_frame(to_frame(one), to_frame(other))
    assert [atoms.positions[1, 0] for atoms in found] == [0.5, 1.5, 2.5, 3.5]
    assert found[0].cell.lengths().tolist() == [10] * 3


def test_several_frames_of_gro_and_of_a_pdb_without_models(tmp_path: Path) -> None:
    gro = written(tmp_path / "a.gro", "gromacs", 1)
    gro.write_text(gro.read_text() * 3)
    pdb = tmp_path / "b.pdb"
    ase.io.write(pdb, molecule("H2O"), format="proteindatabank")
    plain = [line for line in pdb.read_text().splitlines() if not line.startswith(("MODEL", "ENDMDL"))]
    pdb.write_text("\n".join(plain) + "\n")

    assert len(list(read_frames(gro))) == 3
    assert len(list(read_frames(pdb))) == 1


def test_a_file_of_one_frame_is_read_whole_or_not_at_all() -> None:
    assert [section.text for section in split_nothing(io.StringIO("whole"), 5)] == ["whole"]
    with pytest.raises(FileRefused, match="a frame may have 5 bytes"):
        list(split_nothing(io.StringIO("longer"), 5))


def test_a_pdb_with_a_cell_that_changes_or_stands_once(tmp_path: Path) -> None:
    path = tmp_path / "a.pdb"
    ase.io.write(
        path, [bulk("Cu", a=edge, cubic=True) for edge in (3.6, 3.96, 4.2)], format="proteindatabank"
    )

    assert np.allclose([atoms.cell[0, 0] for atoms in read_frames(path)], [3.6, 3.96, 4.2])

    lines = path.read_text().splitlines(keepends=True)
    path.write_text("".join([lines[0], *(line for line in lines if not line.startswith("CRYST1"))]))
    assert np.allclose([atoms.cell[0, 0] for atoms in read_frames(path)], [3.6] * 3)


def test_an_xdatcar_with_a_cell_that_changes(tmp_path: Path) -> None:
    parts = []
    for scale in (1.0, 1.1):
        part = tmp_path / "part"
        ase.io.write(part, [bulk("Cu", a=3.6 * scale, cubic=True)] * 2, format="vasp-xdatcar")
        parts.append(part.read_text())
    path = tmp_path / "XDATCAR"
    path.write_text("".join(parts))

    edges = [float(atoms.cell[0, 0]) for atoms in read_frames(path)]

    assert np.allclose(edges, [3.6, 3.6, 3.96, 3.96])


def test_h5md_with_the_same_interval_between_all_frames(tmp_path: Path) -> None:
    path = tmp_path / "a.h5"
    with h5py.File(path, "w") as file:
        file["particles/all/position/value"] = np.zeros((3, 1, 3))
        file["particles/all/position/time"] = 0.5
        file["particles/all/position/time"].attrs["offset"] = 10.0

    assert [atoms.info["time"] for atoms in read_frames(path)] == [10.0, 10.5, 11.0]


def test_h5md_with_units(tmp_path: Path) -> None:
    path = tmp_path / "a.h5"
    units = {
        "position/value": "nm",
        "position/time": b"ps",
        "velocity/value": "nm ps-1",
        "force/value": "kJ mol-1 nm-1",
        "box/edges": "nm",
    }
    with h5py.File(path, "w") as file:
        group = file.create_group("particles/all")
        for name in ("position/value", "velocity/value", "force/value"):
            group[name] = np.ones((1, 1, 3))
        group["position/time"] = [0.5]
        group["box/edges"] = [2.0, 3.0, 4.0]
        for name, unit in units.items():
            group[name].attrs["unit"] = unit

    (atoms,) = read_frames(path)

    assert atoms.positions.tolist() == [[10.0] * 3]
    assert atoms.cell.lengths().tolist() == [20, 30, 40]
    assert atoms.info["time"] == pytest.approx(500)
    assert atoms.get_velocities()[0, 0] == pytest.approx(10 / (1000 * fs))
    assert atoms.get_forces()[0, 0] == pytest.approx(kJ / mol / 10)

    with h5py.File(path, "a") as file:
        file["particles/all/position/value"].attrs["unit"] = "furlong"
    with pytest.raises(FileRefused, match=r"unit 'furlong' of /particles/all/position/value is not known"):
        list(read_frames(path))


def test_h5md_with_velocities_forces_and_a_box(tmp_path: Path) -> None:
    path = tmp_path / "a.h5"
    positions = np.random.default_rng(1).random((4, 3, 3))
    with h5py.File(path, "w") as file:
        group = file.create_group("particles/all")
        group["position/value"] = positions
        group["position/time"] = np.arange(4) * 0.5
        group["velocity/value"] = -positions
        group["force/value"] = 2 * positions
        group["species"] = [8, 1, 1]
        group["box/edges"] = np.array(TRICLINIC)
        group["box"].attrs["boundary"] = [b"periodic", b"none", b"periodic"]

    found = list(read_frames(path))

    assert np.array_equal([atoms.positions for atoms in found], positions)
    assert found[2].get_chemical_formula() == "H2O"
    assert found[2].cell.array.tolist() == TRICLINIC
    assert found[2].pbc.tolist() == [True, False, True]
    assert np.allclose(found[2].get_velocities(), -positions[2])
    assert np.array_equal(found[2].get_forces(), 2 * positions[2])
    assert found[3].info["time"] == 1.5


@pytest.mark.parametrize(
    ("name", "content", "complaint"),
    [
        ("a.xyz", "2\n\nH 0 0 0\nH 0 0 x\n", "readable extxyz file: line 4: 'x' is not a number"),
        ("a.xyz", "1\n\nH 0 0 0\n2\n\nH 0 0\nH 0 0 0\n", "line 6: 4 columns are expected, there are 3"),
        ("a.xyz", "2\n\nH 0 0 0\n8 0 0 8\n", "line 4: '8' is not the symbol of an element"),
        ("a.xyz", "1\n\nH 0 0 0\nseven\n", "line 4: a number of atoms is expected, not 'seven'"),
        ("a.xyz", "3\n\nH 0 0 0\n", "line 1: 3 atoms are announced, 1 follow"),
        ("a.xyz", "99999999999\n\n", "line 1: a frame cannot have 99,999,999,999 atoms"),
        ("a.xyz", "1\nProperties=pos:R:x\nH 0 0 0\n", "line 2: Properties=pos:R:x is not understood"),
        (
            "a.gro",
            "title\n5\nH\n",
            "readable gro file: line 2: 5 atoms are announced, 1 lines follow",
        ),
        ("a.dump", "hello\n", "readable lammps-dump file: line 1: no frame begins"),
        ("a.dump", DUMP.format(step=1) + DUMP.format(step="x"), "line 13: invalid literal for int"),
        (
            "a.cif",
            "\ndata_x\nloop_\n_atom_site\n1 2\n_x\n",
            "line 2: in the frame that begins here: someth",
        ),
        ("POSCAR", "nothing\n", "this is not a readable poscar file"),
        ("a.traj", "nothing", "this is not a readable traj file"),
        ("a.json", "[", "this is not a readable json file"),
        ("a.h5", "nothing", "this is not a readable h5md file"),
        ("a.py", "import os", "the ending of 'a.py' is not known: choose the format, one of extxyz"),
    ],
)
def test_a_refusal_names_the_format_and_the_line(
    name: str, content: str, complaint: str, tmp_path: Path
) -> None:
    path = tmp_path / name
    path.write_text(content)
    with pytest.raises(FileRefused, match=complaint):
        list(read_frames(path))


@pytest.mark.parametrize(
    "name", ["a.xyz", "POSCAR", "XDATCAR", "a.data", "a.gro", "a.cube", "a.xsf", "a.lammpstrj"]
)
def test_a_refusal_names_the_line_of_the_number_that_is_none(name: str, tmp_path: Path) -> None:
    path = tmp_path / name
    if name == "a.lammpstrj":
        path.write_text(DUMP.format(step=1) + DUMP.format(step=2))
    else:
        written(path, WRITTEN[name][0], WRITTEN[name][2])
    lines = path.read_text().splitlines(keepends=True)
    number = max(at for at, line in enumerate(lines) if len(NUMBER.findall(line)) > 2)
    last = list(NUMBER.finditer(lines[number]))[-1]
    lines[number] = lines[number][: last.start()] + "x" * len(last.group()) + lines[number][last.end() :]
    path.write_text("".join(lines))

    with pytest.raises(FileRefused, match=f"readable {format_of(name)} file: line {number + 1}: "):
        list(read_frames(path))


def repeated(path: Path, count: int) -> Path:
    """A file of so many frames, each of 100 atoms; of a few where ASE reads slowly."""
    atoms = 10 if path.suffix == ".cif" else 100
    frames = [triclinic(atoms, seed=number) for number in range(count)]
    if path.suffix == ".h5":
        with h5py.File(path, "w") as file:
            file["particles/all/position/value"] = np.array([atoms.positions for atoms in frames])
    elif path.suffix == ".db":
        for atoms in frames:
            connect(str(path)).write(atoms)
    elif path.suffix == ".lammpstrj":
        rest = "".join(f"{each} 1 {each}.12345678 2.12345678 3.12345678\n" for each in range(3, 101))
        dump = DUMP.replace("ATOMS\n2\n", "ATOMS\n100\n") + rest
        path.write_text("".join(dump.format(step=step) for step in range(count)))
    elif path.suffix == ".gro":
        ase.io.write(path, frames[0], format="gromacs")
        path.write_text(path.read_text() * count)
    else:
        ase.io.write(path, frames, format=WRITTEN[path.name][0])
    return path


PEAKS = """
import gc, sys, tracemalloc
from pathlib import Path
from workroom.packs.atoms.formats.reading import read_frames

def peak(path):
    gc.freeze()
    tracemalloc.start()
    for _ in read_frames(Path(path)):
        gc.collect()
    found = tracemalloc.get_traced_memory()[1]
    tracemalloc.stop()
    return found

peak(sys.argv[1])  # imports
print(peak(sys.argv[1]), peak(sys.argv[2]))
"""


def peaks_of_reading(short: Path, long: Path) -> list[int]:
    """The most bytes that Python holds while each file is read, without what only waits to be collected.

    In a process of its own: threads of other tests allocate too.
    """
    command = [sys.executable, "-W", "ignore", "-c", PEAKS, str(short), str(long)]
    return [int(each) for each in subprocess.run(command, check=True, capture_output=True).stdout.split()]


@pytest.mark.parametrize(
    "name", ["a.xyz", "a.traj", "a.cif", "a.pdb", "XDATCAR", "a.lammpstrj", "a.gro", "a.db", "a.h5"]
)
def test_a_long_file_is_read_in_constant_memory(name: str, tmp_path: Path) -> None:
    short, long = (tmp_path / each for each in ("short", "long"))
    short.mkdir()
    long.mkdir()
    repeated(short / name, 20)
    repeated(long / name, 80)
    before, after = peaks_of_reading(short / name, long / name)

    more = after - before

    assert more < (long / name).stat().st_size / 5  # of the three quarters that are more to read


@pytest.mark.parametrize("name", ["a.xyz", "a.traj", "a.db", "a.h5"])
def test_reading_reports_how_far_it_is(name: str, tmp_path: Path) -> None:
    seen: list[float] = []
    count = sum(1 for _ in read_frames(repeated(tmp_path / name, 50), report=seen.append))
    assert count == len(seen) == 50
    assert seen == sorted(seen)
    assert seen[0] < 0.1
    assert seen[-1] == 1.0


@pytest.mark.parametrize("format", ["extxyz", "traj", "cif", "pdb"])
def test_what_is_written_is_what_ase_writes(format: Any, tmp_path: Path) -> None:
    ours, theirs = tmp_path / f"ours.{format}", tmp_path / f"theirs.{format}"

    assert write_frames(ours, iter(frames()), format) == 3

    name = {"pdb": "proteindatabank"}.get(format, format)
    ase.io.write(theirs, frames(), format=name)
    if format in ("extxyz", "cif"):
        assert ours.read_text() == theirs.read_text()
    expected = ase.io.read(theirs, index=":", format=name)[:3]
    found = ase.io.read(ours, index=":", format=name)
    assert len(found) == len(list(read_frames(ours))) == 3
    for one, again, other in zip(found, read_frames(ours), expected, strict=True):
        assert is_same_frame(to_frame(one), to_frame(other))
        assert is_same_frame(to_frame(again), to_frame(other))


@pytest.fixture
def loading(tmp_path: Path) -> Iterator[Any]:
    files = ListFiles(tmp_path)
    job = a_job(files)

    def load(room: ListRoom, name: str, **options: Any) -> Any:
        return run(LoadFile(file=File(name, job.fetch), **options), room, job)

    yield load
    job.close()


def test_loading_appends_a_part_of_a_file(tmp_path: Path, loading: Any) -> None:
    written(tmp_path / "a.extxyz", "extxyz", 9)
    room = ListRoom.of(molecule("H2"), step=0)

    result = loading(room, "a.extxyz", start=1, stop=8, step=3)

    assert result == {"format": "extxyz", "frames": 3, "first": 1}
    assert [frame.get("calc.energy") for frame in room.frames] == [None, -1, -4, -7]


def test_loading_may_replace_all_frames_and_be_given_the_format(tmp_path: Path, loading: Any) -> None:
    written(tmp_path / "frames.dat", "extxyz", 2)
    room = ListRoom.of(*[molecule("H2")] * 4, step=3)

    loading(room, "frames.dat", format="extxyz", replace=True)

    assert (len(room.frames), room.step) == (2, 0)


def test_a_file_without_structures_is_refused(tmp_path: Path, loading: Any) -> None:
    (tmp_path / "empty.xyz").write_text("\n")
    with pytest.raises(ValueError, match=r"empty\.xyz has no structures to load"):
        loading(ListRoom(), "empty.xyz")


def test_exporting_saves_the_selected_atoms_of_a_frame(tmp_path: Path) -> None:
    files = ListFiles()
    room = ListRoom.of(*frames(), step=2, selection=[1, 4])

    result = run(ExportFile(name="part.xyz", frames="current", atoms="selected"), room, a_job(files))

    path = tmp_path / "part.extxyz"
    path.write_bytes(files.saved["part.xyz.extxyz"])
    (part,) = read_frames(path)
    assert result == {"file": "part.xyz.extxyz", "frames": 1, "bytes": path.stat().st_size}
    assert part.get_chemical_symbols() == ["Cu", "O"]
    assert np.allclose(part.get_forces(), frames()[2].get_forces()[[1, 4]])


def test_exporting_all_frames() -> None:
    files = ListFiles()
    assert run(ExportFile(format="pdb"), ListRoom.of(*frames(70)), a_job(files))["frames"] == 70
    assert files.saved["frames.pdb"].count(b"ENDMDL") == 70
