"""How long does the page need for a first picture, and for the next frame? And 3Dmol and NGL?

    make bench-view  [ARGS="--atoms 1000 10000 --times 15 --profiles FOLDER"]

In Chromium with software graphics, so that only the time of the main thread says something: frames per second
would be those of a processor. A liquid of argon in a periodic cell, drawn as spheres by all.

Workroom is measured twice: its page, in a room, and its engine, on a page of its own that calls it as those
of 3Dmol and NGL call them. The engine is what compares with them.

- First picture: from the first request of a new tab with cached scripts, on loopback, until it is drawn.
  Workroom loads its whole page, joins the room and reads the frame; 3Dmol and NGL load a page that is only
  the viewer, and a PDB file; the engine, which knows no formats, coordinates.
- Frame change: what the main thread is busy for until the frame is drawn, from Chromium's own count of the
  time of its tasks, and the processor time of that thread, which other programs on the machine change less.
  Workroom's page is driven with the keyboard, moves its slider and tells the room what it shows; the others
  are called directly. The page searches for bonds in a worker, the others draw spheres alone. All have their
  frames in memory, and all draw without waiting for the graphics. The viewers take turns, in rounds, so that
  another program slows all of them down; the median of the rounds counts.

Large frames are shown fewer times. A viewer that is not ready in time is left out, and the table says so. One
that drew nothing, drew the same for two frames or from two sides, or lost its context ends the run.
"""

from __future__ import annotations

import argparse
import os
from collections.abc import Iterator
from contextlib import ExitStack
from dataclasses import dataclass
from pathlib import Path
from statistics import median
from tempfile import TemporaryDirectory
from typing import Any

import numpy as np
from playwright.sync_api import Browser
from playwright.sync_api import TimeoutError as PlaywrightTimeout

from fresh import fresh_server
from viewer import LIMIT_S, Change, Size, Viewer, chromium, log_in, new_context, open_viewer
from viewer_pages import serve_viewers
from workroom import Room

TRIALS = 3
ROUNDS = 5  # an odd number: they go back and there, and the last one ends at the first frame
LARGE = 50_000  # atoms; then fewer frames are shown, in fewer rounds
LARGE_TIMES, LARGE_TRIALS, LARGE_ROUNDS = 5, 1, 3
SPACING = 3.8  # angstrom
PAGE, ENGINE, NGL = "Workroom, page", "Workroom, engine", "NGL"
VIEWERS = {ENGINE: "engine.html", "3Dmol": "3dmol.html", NGL: "ngl.html"}
SMALL, FIRST_PICTURE_S = 1_000, 1.5  # what is wanted of the page


@dataclass(frozen=True)
class Figures:
    name: str
    atoms: int
    first_picture: float
    change: Change


def liquid(atoms: int, count: int) -> Iterator[dict[str, Any]]:
    side = round(atoms ** (1 / 3) + 0.5)
    grid = np.stack(np.meshgrid(*[np.arange(side)] * 3), axis=-1).reshape(-1, 3)[:atoms] * SPACING
    random = np.random.default_rng(0)
    fixed = {
        "numbers": np.full(atoms, 18),
        "cell": np.eye(3) * side * SPACING,
        "pbc": np.array([True, True, True]),
    }
    for _ in range(count):
        yield fixed | {"positions": grid + random.normal(0, 0.3, grid.shape)}


def size_of(atoms: int, times: int) -> Size:
    if atoms < LARGE:
        return Size(atoms, times, TRIALS, ROUNDS)
    return Size(atoms, min(times, LARGE_TIMES), LARGE_TRIALS, LARGE_ROUNDS)


def take_turns(viewers: list[Viewer], size: Size, profiles: Path | None) -> Iterator[tuple[Viewer, Change]]:
    """There, to warm up, and back again."""
    there, back = range(1, size.times + 1), range(size.times - 1, -1, -1)
    found: dict[Viewer, list[Change]] = {viewer: [] for viewer in viewers}
    for viewer in viewers:
        viewer.check()
        viewer.walk(there)
    for number in range(size.rounds):
        for viewer in viewers:
            found[viewer].append(viewer.measure(there if number % 2 else back))
    for viewer, changes in found.items():
        if profiles:
            viewer.profile(there, profiles / f"{viewer.name}, {size.atoms} atoms.cpuprofile")
        viewer.check_turned()
        yield (
            viewer,
            Change(median(each.busy for each in changes), median(each.processor for each in changes)),
        )


def compare(browser: Browser, folder: Path, options: argparse.Namespace) -> Iterator[Figures]:
    with ExitStack() as stack:
        server = stack.enter_context(fresh_server(folder / "data"))
        pages = stack.enter_context(serve_viewers(folder / "frames"))
        for size in (size_of(atoms, options.times) for atoms in options.atoms):
            frames, room = list(liquid(size.atoms, size.times + 1)), f"liquid-{size.atoms}"
            pages.put(room, frames)
            with Room(room, server.url, user="bob") as owner:
                owner.state.list()  # creates the room
                owner.frames.extend(frames)
            addresses = {PAGE: f"{server.url}/rooms/{room}/view"}
            addresses |= {name: f"{pages.url}/{page}?frames={room}" for name, page in VIEWERS.items()}
            with ExitStack() as contexts:
                opened: dict[Viewer, float] = {}
                for name, address in addresses.items():
                    context = contexts.enter_context(new_context(browser))
                    if name == PAGE:
                        log_in(context, server.url)
                    try:
                        viewer, first = open_viewer(name, context, address, size, is_room=name == PAGE)
                    except PlaywrightTimeout:
                        assert name not in (PAGE, ENGINE), f"{name} was not ready after {LIMIT_S} s"
                        print(
                            f"{size.atoms:9,}   {name:16}   left out: not ready after {LIMIT_S} s", flush=True
                        )
                        context.close()
                        continue
                    opened[viewer] = first
                for viewer, change in take_turns(list(opened), size, options.profiles):
                    yield Figures(viewer.name, size.atoms, opened[viewer], change)


def verdicts(found: list[Figures]) -> Iterator[str]:
    """What is wanted, and what was found."""
    for each in found:
        if each.name == PAGE and each.atoms <= SMALL:
            wanted = f"(wanted: at most {FIRST_PICTURE_S} s)"
            yield f"First picture of {each.atoms:,} atoms: {each.first_picture:.2f} s {wanted}"
    times = {(each.name, each.atoms): each.change for each in found}
    for (name, atoms), change in times.items():
        if name in (PAGE, ENGINE) and (other := times.get((NGL, atoms))):
            busy, processor = change.busy / other.busy, change.processor / other.processor
            yield f"{name} / {NGL} at {atoms:,} atoms: {busy:.2f}, processor {processor:.2f}"


def main() -> None:
    parser = argparse.ArgumentParser(
        description=__doc__, formatter_class=argparse.RawDescriptionHelpFormatter
    )
    parser.add_argument("--atoms", type=int, nargs="+", default=[1_000, 10_000, 100_000])
    parser.add_argument("--times", type=int, default=15, help="frame changes in a round")
    parser.add_argument("--profiles", type=Path, help="a folder for a profile of each viewer")
    options = parser.parse_args()
    measured = []
    with TemporaryDirectory() as folder, chromium() as browser:
        print(f"load average {os.getloadavg()[0]:.1f}")
        print("    atoms                      first picture   frame change   processor")
        for found in compare(browser, Path(folder), options):
            change = f"{found.change.busy:9.1f} ms   {found.change.processor:6.1f} ms"
            print(
                f"{found.atoms:9,}   {found.name:16}   {found.first_picture:9.2f} s   {change}",
                flush=True,
            )
            measured.append(found)
    print(*verdicts(measured), sep="\n")


if __name__ == "__main__":
    main()
