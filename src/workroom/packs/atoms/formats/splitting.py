"""Splits text files into their frames, so that only one is in memory at a time."""

from __future__ import annotations

from collections.abc import Callable, Iterator
from dataclasses import dataclass
from itertools import islice
from typing import TextIO

_MAX_FRAME_BYTES = 500_000_000


@dataclass(frozen=True, slots=True)
class Section:
    """The text of one frame, and the number of its first line.

    Where a header is repeated that stands elsewhere, as if it stood directly before the frame.
    """

    text: str
    line: int


class FileRefused(ValueError):
    """The file is not what its format demands."""


Splitter = Callable[[TextIO], Iterator[Section]]


def split_nothing(file: TextIO, most: int = _MAX_FRAME_BYTES) -> Iterator[Section]:
    """The whole file, for formats that hold one frame."""
    text = file.read(most)
    if file.read(1):
        raise FileRefused(f"a frame may have {most:,} bytes; this one has more")
    yield Section(text, 1)


def split_xyz(file: TextIO) -> Iterator[Section]:
    """A number of atoms, a comment, and a line for each atom."""
    number = 1
    for head in file:
        if head.strip():
            body = list(islice(file, _count(head, number) + 1))
            if len(body) < _count(head, number) + 1:
                raise FileRefused(
                    f"line {number}: {head.strip()} atoms are announced, {max(0, len(body) - 1)} follow"
                )
            yield Section("".join([head, *body]), number)
            number += len(body)
        number += 1


def split_gro(file: TextIO) -> Iterator[Section]:
    """A title, a number of atoms, a line for each atom, and the box."""
    number = 1
    for title in file:
        if title.strip():
            head = file.readline()
            count = _count(head, number + 1)
            body = list(islice(file, count + 1))
            if len(body) < count + 1:
                raise FileRefused(f"line {number + 1}: {count} atoms are announced, {len(body)} lines follow")
            if not all(map(_is_number, body[-1].split())):  # ASE would leave out such a box without a word
                raise FileRefused(
                    f"line {number + count + 2}: a box is expected, not '{body[-1].strip()[:40]}'"
                )
            yield Section("".join([title, head, *body]), number)
            number += count + 2
        number += 1


def split_lammps_dump(file: TextIO) -> Iterator[Section]:
    return _at_starts(file, lambda line: line.startswith("ITEM: TIMESTEP"))


def split_cif(file: TextIO) -> Iterator[Section]:
    return _at_starts(file, lambda line: line.lower().startswith("data_"))


def split_pdb(file: TextIO) -> Iterator[Section]:
    """Models; what stands before one, such as the cell, belongs to it and to those that follow."""
    head: list[str] = []
    body: list[str] = []
    first, is_in_model = 1, False
    for number, line in enumerate(file, start=1):
        record = line[:6].strip()
        if record == "MODEL":
            head = body if not head or any(map(_is_cell, body)) else head
            body, first, is_in_model = [], number, True
        elif record == "ENDMDL" or (record == "END" and not is_in_model):
            if _has_atoms(body):
                yield Section("".join([*head, *body]), first)
            body, first, is_in_model = [], number + 1, False
        elif record not in ("END", "CONECT", "MASTER"):
            body.append(line)
    if _has_atoms(body):
        yield Section("".join([*head, *body]), first)


def split_xdatcar(file: TextIO) -> Iterator[Section]:
    """Configurations; the header stands once, or before each if the cell changes."""
    header: list[str] = []
    body: list[str] = []
    first, is_header = 1, True
    for number, line in enumerate(file, start=1):
        if line.lstrip().lower().startswith("direct"):
            if not is_header:
                yield Section("".join([*header, *body]), first)
            body, first, is_header = [line], number - len(header), False
        elif is_header:
            header.append(line)
        elif len(line.split()) == 3 and _is_number(line.split()[0]):
            body.append(line)
        elif line.strip():
            yield Section("".join([*header, *body]), first)
            header, body, is_header = [line], [], True
    if not is_header:
        yield Section("".join([*header, *body]), first)


def _at_starts(file: TextIO, is_start: Callable[[str], bool]) -> Iterator[Section]:
    """Sections that begin with a line; what stands before the first of them is left out."""
    lines: list[str] = []
    first = 0
    for number, line in enumerate(file, start=1):
        if is_start(line):
            if first:
                yield Section("".join(lines), first)
            lines, first = [], number
        if first:
            lines.append(line)
    if not first:
        raise FileRefused("line 1: no frame begins in this file")
    yield Section("".join(lines), first)


def _count(line: str, number: int) -> int:
    try:
        count = int(line)
    except ValueError as error:
        raise FileRefused(
            f"line {number}: a number of atoms is expected, not '{line.strip()[:40]}'"
        ) from error
    if not 0 <= count <= _MAX_FRAME_BYTES // 8:
        raise FileRefused(f"line {number}: a frame cannot have {count:,} atoms")
    return count


def _has_atoms(lines: list[str]) -> bool:
    return any(line.startswith(("ATOM", "HETATM")) for line in lines)


def _is_cell(line: str) -> bool:
    return line.startswith("CRYST1")


def _is_number(text: str) -> bool:
    try:
        float(text)
    except ValueError:
        return False
    return True
