"""A file of 500 MB, from the command line to the frames of a room."""

from __future__ import annotations

import re
import threading
from collections.abc import Iterator
from contextlib import contextmanager, suppress
from pathlib import Path

import numpy as np
import pytest

from support.command_line import Started
from workroom import Room
from workroom.packs.atoms import atoms_of
from workroom.testing.processes import ServerProcess

MEGABYTES = 500
ATOMS = 1_000
HEAD = 'Lattice="20 0 0 1 20 0 0 2 20" Properties=species:S:1:pos:R:3:forces:R:3 energy={} pbc="T T T"'
LINE = "Cu 12.34567890 2.34567890 3.45678901 0.12345678 -1.23456789 2.34567890\n"
MOST = 400_000_000  # bytes of any process: that of a job begins with 140 MB for ASE


@pytest.mark.full
@pytest.mark.timeout(1800)
def test_a_file_of_500_mb_is_loaded_with_little_memory(atoms_server: ServerProcess, tmp_path: Path) -> None:
    path = tmp_path / "long.extxyz"
    count = write(path)
    command = ["upload", "long", str(path), "--create", "--url", atoms_server.url]

    with watching(atoms_server.process.pid) as peaks:
        upload = Started(command, {}, tmp_path / "log")
        code = upload.child.wait(1500)

    assert code == 0, upload.printed
    assert upload.printed == f"long.extxyz: {count:,} frames from frame 0 on (extxyz)\n"
    assert max(peaks.values()) < MOST
    with Room("long", atoms_server.url, user="ada") as room:
        assert len(room.frames) == count
        last = atoms_of(room)[-1]
        assert last.get_potential_energy() == count - 1
        assert np.allclose(last.get_forces(), [0.12345678, -1.23456789, 2.34567890])


def write(path: Path) -> int:
    count = MEGABYTES * 1_000_000 // (len(HEAD) + ATOMS * len(LINE))
    with path.open("w") as file:
        for number in range(count):
            file.write(f"{ATOMS}\n{HEAD.format(float(number))}\n{LINE * ATOMS}")
    return count


@contextmanager
def watching(pid: int) -> Iterator[dict[int, int]]:
    """The largest memory of a process and of its descendants, by their ids."""
    peaks: dict[int, int] = {}
    end = threading.Event()

    def watch() -> None:
        while not end.wait(0.1):
            for each in family(pid):
                with suppress(OSError, AttributeError):
                    text = Path(f"/proc/{each}/status").read_text()
                    found = re.search(r"VmHWM:\s+(\d+) kB", text)
                    peaks[each] = int(found.group(1)) * 1024  # type: ignore[union-attr]

    thread = threading.Thread(target=watch)
    thread.start()
    try:
        yield peaks
    finally:
        end.set()
        thread.join()


def family(pid: int) -> Iterator[int]:
    yield pid
    with suppress(OSError):
        for task in Path(f"/proc/{pid}/task").iterdir():
            for child in (task / "children").read_text().split():
                yield from family(int(child))
