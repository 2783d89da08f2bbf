"""How fast are a room's frames, compared with a plain file, an empty request, and ZnDraw?

    python benchmarks/frames.py [--quick] [--zndraw .venv-zndraw/bin/python]

All on one machine, over loopback, in one run; what counts is the ratio. A frame has 1,000 atoms, and its
atomic numbers repeat, unless stated otherwise. ZnDraw runs its own server with its default storage, and gets
the same atoms through its own client; its writes are not flushed to disk.
"""

from __future__ import annotations

import argparse
import json
import mmap
import os
import random
import subprocess
import sys
import threading
import time
from collections.abc import Callable, Iterator
from contextlib import contextmanager
from dataclasses import dataclass
from itertools import count, islice
from pathlib import Path
from statistics import median
from tempfile import TemporaryDirectory
from typing import Any

import numpy as np
import psutil
import uvloop

from frames_floor import post
from fresh import fresh_server
from workroom import Room
from workroom.client.requests import Request
from workroom.runtime.frames.encoder import PIECE_BYTES
from workroom.stores.direct_files import write_synced as write_synced_file
from workroom.testing.processes import ServerProcess

ATOMS = 1000
ROUNDS = 7
FLOOR = Path(__file__).with_name("frames_floor.py")
ZNDRAW = Path(__file__).with_name("frames_zndraw.py")
_NUMBERS = np.full(ATOMS, 6)
_names = count(1)


@dataclass(frozen=True, slots=True)
class Result:
    """A ratio, and what it should be at least or at most."""

    question: str
    ratio: float
    wanted: str
    figures: str


def frames(total: int, atoms: int = ATOMS) -> Iterator[dict[str, Any]]:
    positions = np.random.default_rng(0).random((atoms, 3))
    numbers = _NUMBERS[:1].repeat(atoms)
    for number in range(total):
        yield {"positions": positions + number, "numbers": numbers, "info.energy": number / 7}


@contextmanager
def opened(server: ServerProcess, name: str | None = None) -> Iterator[Room]:
    with Room(name or f"bench-{next(_names)}", server.url, user="bench") as room:
        room.state.list()
        yield room


def timed(act: Callable[..., object], *arguments: object) -> float:
    begun = time.perf_counter()
    act(*arguments)
    return time.perf_counter() - begun


def extend(server: ServerProcess, folder: Path, total: int) -> list[Result]:
    """In turn, so that all meet the same disk and the same memory: each writes new files and keeps them.

    To overwrite a file is another question: it takes the memory that the file had, already at hand.
    """
    given = list(frames(total))
    size = 0
    times: dict[str, list[float]] = {
        name: [] for name in ("extend", "pieces", "direct", "one sync", "HTTP", "hashed")
    }
    with floor(folder / "sent") as port, floor(folder / "hashed", "--hashed") as hashing_port:
        for number in range(ROUNDS):
            with opened(server) as room:
                times["extend"].append(timed(room.frames.extend, given))
                size = room.frames.info()["bytes"]
            times["pieces"].append(timed(write_synced, folder / f"pieces-{number}", size))
            times["direct"].append(timed(write_direct, folder / f"direct-{number}", size))
            times["one sync"].append(timed(write, folder / f"plain-{number}", size))
            times["HTTP"].append(timed(uvloop.run, post(port, size, PIECE_BYTES)))
            times["hashed"].append(timed(uvloop.run, post(hashing_port, size, PIECE_BYTES)))
    same = median(timed(write, folder / "plain-0", size) for _ in range(ROUNDS))
    ours, pieces, direct, plain, sent, hashed = (median(each) for each in times.values())
    return [
        _speed("extend / 4 MB pieces, each with fdatasync, speed", pieces, ours, ">= 0.5", size),
        _speed("  those, sent over HTTP without Workroom", pieces, sent, "", size),
        _speed("  those, sent over HTTP with a BLAKE3", pieces, hashed, "", size),
        _speed("extend / sent over HTTP with a BLAKE3", hashed, ours, "", size),
        _speed("extend / 4 MB files past the page cache", direct, ours, "", size),
        _speed("extend / a new file with one fdatasync", plain, ours, "", size),
        _speed("extend / write + fdatasync over an old file", same, ours, "", size),
    ]


def _speed(question: str, floor: float, took: float, wanted: str, size: int) -> Result:
    figures = f"{size / 1e6:.0f} MB in {took * 1e3:.0f} ms, {floor * 1e3:.0f} ms"
    return Result(question, floor / took, wanted, figures)


@contextmanager
def floor(folder: Path, *options: str) -> Iterator[int]:
    """A server that only writes what it receives: see `frames_floor.py`."""
    folder.mkdir()
    command = [sys.executable, str(FLOOR), str(folder), *options]
    with subprocess.Popen(command, stdout=subprocess.PIPE, text=True) as process:
        assert process.stdout is not None
        try:
            yield int(process.stdout.readline())
        finally:
            process.terminate()


def write(path: Path, size: int, synced: Callable[[int], bool] = lambda left: left <= PIECE_BYTES) -> None:
    """With one fdatasync, at the end."""
    content = memoryview(bytes(PIECE_BYTES))
    with path.open("wb", buffering=0) as file:
        for start in range(0, size, len(content)):
            file.write(content[: size - start])
            if synced(size - start):
                os.fdatasync(file.fileno())


def write_synced(path: Path, size: int) -> None:
    """In pieces of 4 MB as an `extend` sends them: what is acknowledged is on disk."""
    write(path, size, lambda left: True)


def write_direct(folder: Path, size: int) -> None:
    """The same bytes as the server writes them: a file for each piece."""
    folder.mkdir()
    content = memoryview(mmap.mmap(-1, PIECE_BYTES))
    for start in range(0, size, PIECE_BYTES):
        write_synced_file(str(folder / str(start)), content[: size - start])


def against_zndraw(server: ServerProcess, python: str, folder: Path, total: int) -> list[Result]:
    command = [python, str(ZNDRAW), str(folder), str(total), str(ATOMS)]
    done = subprocess.run(command, check=True, capture_output=True, text=True)
    theirs = json.loads(done.stdout.splitlines()[-1])
    given = list(frames(total))
    with opened(server) as room:
        ours = timed(room.frames.extend, given)
    figures = f"{total} frames in {ours * 1e3:.0f} ms, {theirs['extend'] * 1e3:.0f} ms"
    return [Result("extend / ZnDraw, speed", theirs["extend"] / ours, ">= 20", figures)]


def random_reads(server: ServerProcess, total: int, times: int) -> list[Result]:
    chance = random.Random(0)
    with opened(server) as room:
        room.frames.extend(frames(total))
        empty = Request("GET", "/healthz")

        def ping() -> None:
            room._loop_thread.call(room._room._context.sender.send(empty))

        reads, pings = [], []
        for _ in range(times):
            index = chance.randrange(total)
            reads.append(timed(room.frames.get, index))
            pings.append(timed(ping))
    ours, floor = median(reads), median(pings)
    figures = f"{ours * 1e3:.2f} ms, {floor * 1e3:.2f} ms"
    return [Result("random frame / empty GET, p50", ours / floor, "<= 1.5", figures)]


def growth(server: ServerProcess, small: int, large: int, times: int) -> list[Result]:
    """The same operations on few and on many frames, in turn."""
    acts: dict[str, Callable[[Room, int], object]] = {
        "append": lambda room, _: room.frames.append(next(frames(1, 10))),
        "middle delete": lambda room, size: room.frames.__delitem__(size // 2),
        "[::10], per frame": lambda room, _: room.frames[::10],
        "100 frames, evenly spread": lambda room, size: room.frames[:: size // 100],
        "open, length and last frame": lambda room, _: reopen(server, room.name),
    }
    results = []
    with opened(server) as few, opened(server) as many:
        few.frames.extend(frames(small, 10))
        many.frames.extend(frames(large, 10))
        for name, act in acts.items():
            is_slice = name.startswith("[")  # of as many times more frames
            samples = [
                (timed(act, few, small), timed(act, many, large))
                for _ in range(max(3, times // 20) if is_slice else times)
            ]
            one, other = (median(each) for each in zip(*samples, strict=True))
            if is_slice:
                one, other = one / (small // 10), other / (large // 10)
            figures = f"{other * 1e3:.3f} ms, {one * 1e3:.3f} ms"
            results.append(Result(f"{name}: {large:,} / {small:,} frames", other / one, "<= 1.3", figures))
    return results


def reopen(server: ServerProcess, name: str) -> None:
    with opened(server, name) as room:
        len(room.frames)
        _ = room.frames[-1]


class Memory:
    """The largest resident size of processes while it is open."""

    def __init__(self, *pids: int) -> None:
        self._processes = [psutil.Process(pid) for pid in pids]
        self.peaks = [0] * len(pids)
        self._done = threading.Event()
        self._thread = threading.Thread(target=self._sample)

    def __enter__(self) -> Memory:
        self._thread.start()
        return self

    def __exit__(self, *_: object) -> None:
        self._done.set()
        self._thread.join()

    def _sample(self) -> None:
        while not self._done.wait(0.05):
            sizes = [process.memory_info().rss for process in self._processes]
            self.peaks = [max(pair) for pair in zip(sizes, self.peaks, strict=True)]


def memory(server: ServerProcess, total: int) -> list[Result]:
    """A tenth of the frames against all: written, then read."""
    with opened(server) as room:
        with Memory(server.process.pid, os.getpid()) as little:
            room.frames.extend(frames(total // 10))
            for _ in room.frames:
                pass
        with Memory(server.process.pid, os.getpid()) as much:
            room.frames.extend(islice(frames(total), total - total // 10))
            for _ in room.frames:
                pass
        size = room.frames.info()["bytes"]
    return [
        Result(
            f"RSS of the {name}: {size / 1e9:.1f} GB / a tenth",
            after / before,
            "<= 1.3",
            f"{after / 1e6:.0f} MB, {before / 1e6:.0f} MB",
        )
        for name, before, after in zip(("server", "client"), little.peaks, much.peaks, strict=True)
    ]


def main() -> None:
    parser = argparse.ArgumentParser(description=__doc__, formatter_class=argparse.RawTextHelpFormatter)
    parser.add_argument("--quick", action="store_true")
    parser.add_argument("--zndraw", metavar="PYTHON", help="an interpreter with requirements/zndraw.txt")
    options = parser.parse_args()
    scale = 10 if options.quick else 1
    with TemporaryDirectory(prefix="bench-", dir=Path.cwd()) as name:
        folder = Path(name)
        os.environ["WORKROOM_STATE_DIR"] = str(folder / "state")
        with fresh_server(folder / "data", quota_bytes_guest=10**12) as server:
            show(extend(server, folder, 1000))
            if options.zndraw:
                show(against_zndraw(server, options.zndraw, folder / "zndraw", 1000 // scale))
            show(random_reads(server, 1000, 500 // scale))
            show(growth(server, 1000, 100_000 // scale, 200 // scale))
            show(memory(server, 40_000 // scale))


def show(results: list[Result]) -> None:
    for each in results:
        wanted = f"(wanted {each.wanted})" if each.wanted else ""
        print(f"{each.question:49} {each.ratio:8.2f}  {wanted:16}  {each.figures}", flush=True)


if __name__ == "__main__":
    main()
