"""Reads files of structures, one frame at a time."""

from __future__ import annotations

import warnings
from collections.abc import Callable, Iterator
from dataclasses import dataclass
from pathlib import Path
from typing import TYPE_CHECKING, Any

from workroom.packs.atoms.formats import splitting
from workroom.packs.atoms.formats.h5md import read_h5md
from workroom.packs.atoms.formats.splitting import FileRefused, Section, Splitter
from workroom.packs.atoms.formats.text_faults import LineCounter
from workroom.packs.atoms.formats.xyz_faults import find_fault

if TYPE_CHECKING:
    from ase import Atoms

Report = Callable[[float], None]  # receives which fraction of the file was read
_ROWS = 20  # of a database that are read at a time: ASE reads all that it selects


@dataclass(frozen=True, slots=True)
class Format:
    """How a format is read: split into frames that ASE reads one by one, or by a function."""

    name: str  # that of ASE
    suffixes: tuple[str, ...] = ()
    stems: tuple[str, ...] = ()
    split: Splitter = splitting.split_nothing
    read: Callable[[Path, Report], Iterator[Any]] | None = None


def _trajectory(path: Path, report: Report) -> Iterator[Atoms]:
    from ase.io.trajectory import Trajectory

    with Trajectory(str(path)) as frames:
        for number, atoms in enumerate(frames, start=1):
            yield atoms
            report(number / len(frames))


def _database(path: Path, report: Report) -> Iterator[Atoms]:
    from ase.db import connect

    database = connect(str(path), type="db")
    count, last, done = len(database), 0, 0
    while done < count:
        before = done
        for row in database.select(f"id>{last}", limit=_ROWS):
            yield row.toatoms(add_additional_information=False)
            last, done = row.id, done + 1
            report(done / count)
        if done == before:
            return


def _json(path: Path, _: Report) -> Iterator[Atoms]:
    from ase.db import connect

    for row in connect(str(path), type="json").select():
        yield row.toatoms(add_additional_information=False)


FORMATS = {
    "extxyz": Format("extxyz", (".extxyz", ".xyz"), split=splitting.split_xyz),
    "traj": Format("traj", (".traj",), read=_trajectory),
    "cif": Format("cif", (".cif",), split=splitting.split_cif),
    "pdb": Format("proteindatabank", (".pdb", ".ent"), split=splitting.split_pdb),
    "poscar": Format("vasp", (".poscar", ".vasp"), ("poscar", "contcar")),
    "xdatcar": Format("vasp-xdatcar", (".xdatcar",), ("xdatcar",), split=splitting.split_xdatcar),
    "lammps-data": Format("lammps-data", (".data", ".lmp")),
    "lammps-dump": Format(
        "lammps-dump-text", (".dump", ".lammpstrj", ".lammpsdump"), split=splitting.split_lammps_dump
    ),
    "gro": Format("gromacs", (".gro",), split=splitting.split_gro),
    "cube": Format("cube", (".cube", ".cub")),
    "xsf": Format("xsf", (".xsf",)),
    "json": Format("json", (".json",), read=_json),
    "db": Format("db", (".db",), read=_database),
    "h5md": Format("h5md", (".h5", ".hdf5", ".h5md"), read=read_h5md),
}


def format_of(name: str) -> str:
    """The format of a file, from its name. Raises FileRefused."""
    suffix, stem = Path(name).suffix.lower(), Path(name).name.lower()
    for key, each in FORMATS.items():
        if suffix in each.suffixes or stem.startswith(each.stems or ("\0",)):
            return key
    raise FileRefused(f"the ending of '{name}' is not known: choose the format, one of {', '.join(FORMATS)}")


def read_frames(path: Path, format: str | None = None, report: Report | None = None) -> Iterator[Atoms]:
    """Yield the structures of a file. Raises FileRefused, which names the format and the line."""
    key = format or format_of(path.name)
    found = FORMATS[key]
    with warnings.catch_warnings():
        warnings.simplefilter("ignore")  # of ASE, about what a format leaves out
        try:
            yield from _frames(found, path, report or (lambda _: None))
        except FileRefused as error:
            raise FileRefused(f"this is not a readable {key} file: {error}") from error
        except Exception as error:
            raise FileRefused(f"this is not a readable {key} file: {_detail(error)}") from error


def _frames(found: Format, path: Path, report: Report) -> Iterator[Atoms]:
    if found.read is not None:
        yield from found.read(path, report)
    else:
        yield from _split(found, path, report)


def _split(found: Format, path: Path, report: Report) -> Iterator[Atoms]:
    size, done = path.stat().st_size or 1, 0
    with path.open(encoding="utf-8", errors="replace") as file:
        for section in found.split(file):
            yield from _parsed(found.name, section)
            done += len(section.text)
            report(min(1.0, done / size))


def _parsed(name: str, section: Section) -> list[Atoms]:
    from ase.io import read

    lines = LineCounter(section.text)
    try:
        return list(read(lines, index=":", format=name))
    except Exception as error:
        fault = find_fault(section) if name == "extxyz" else None
        line, why = fault or _fault(section, lines, error)
        raise FileRefused(f"line {line}: {why}") from error


def _fault(section: Section, lines: LineCounter, error: Exception) -> tuple[int, str]:
    number, detail = lines.fault(str(error)), _detail(error)
    if number is None:
        return section.line, f"in the frame that begins here: {detail}"
    return section.line + number, detail


def _detail(error: Exception) -> str:
    """What a reader of ASE complains about: some fail by accident, on what is not there."""
    detail = " ".join(str(error).split())[:300] or type(error).__name__
    is_accident = isinstance(error, LookupError | StopIteration | AttributeError | TypeError | AssertionError)
    return f"something is missing or out of place ({detail})" if is_accident else detail
