"""How long does the page need for a first picture, and for the next frame?

    python benchmarks/view.py [--atoms 1000 10000 100000] [--times 20]

In Chromium with software graphics, so that only the time of the main thread says something: frames per second
would be those of a processor. A liquid of argon in a periodic cell, 30 frames; the time for the first picture
is from the first request of a new tab with a cached page, on loopback.
"""

from __future__ import annotations

import argparse
import shutil
import time
from collections.abc import Iterator
from contextlib import contextmanager
from dataclasses import dataclass
from pathlib import Path
from statistics import median
from tempfile import TemporaryDirectory
from typing import Any

import numpy as np
from playwright.sync_api import Browser, BrowserContext, Page, sync_playwright

from fresh import fresh_server
from workroom import Room

FRAMES = 30
SPACING = 3.8  # angstrom
GRAPHICS = (
    "--no-sandbox",
    "--use-gl=angle",
    "--use-angle=swiftshader",
    "--enable-unsafe-swiftshader",
    "--ignore-gpu-blocklist",
)
WAIT_MS = 120_000


@dataclass(frozen=True)
class Figures:
    atoms: int
    first_picture: float
    frame_change_ms: float


@contextmanager
def chromium() -> Iterator[Browser]:
    path = shutil.which("chromium")
    assert path is not None, "Chromium is missing: `make test` installs it"
    with (
        sync_playwright() as playwright,
        playwright.chromium.launch(executable_path=path, args=GRAPHICS) as browser,
    ):
        yield browser


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


def new_context(browser: Browser, url: str) -> BrowserContext:
    context = browser.new_context(viewport={"width": 1280, "height": 800})
    context.set_default_timeout(WAIT_MS)
    page = context.new_page()
    page.goto(url)
    page.get_by_label("Your name").fill("ada")
    page.get_by_role("button", name="Log in").click()
    page.get_by_role("heading", name="Rooms").wait_for()
    return context


def _wait_for(page: Page, frame: int) -> None:
    shows = "frame => document.querySelector(`[data-frame='${frame}']`)"
    page.wait_for_function(shows, arg=frame, polling=10)


def seconds_to_first_picture(page: Page, url: str, room: str) -> float:
    begun = time.perf_counter()
    page.goto(f"{url}/rooms/{room}/view", wait_until="commit")
    _wait_for(page, 0)
    return time.perf_counter() - begun


def change_ms(page: Page, times: int) -> float:
    """The time of the main thread that a change takes, as the page measures it: from buffers to drawing."""
    found: list[float] = []
    page.get_by_role("img", name="Atoms").focus()
    for step in range(1, times + 1):
        page.keyboard.press("ArrowRight")
        _wait_for(page, step)
        found.append(float(page.get_by_test_id("canvas").get_attribute("data-milliseconds") or "nan"))
    return median(found)


def measure(browser: Browser, url: str, atoms: int, times: int) -> Figures:
    room = f"liquid-{atoms}"
    with Room(room, url, user="bob") as owner:
        owner.state.list()  # creates the room
        owner.frames.extend(liquid(atoms, FRAMES))
    context = new_context(browser, url)
    page = context.new_page()
    seconds_to_first_picture(page, url, room)  # the page is cached from here on
    first = seconds_to_first_picture(context.new_page(), url, room)
    figures = Figures(atoms, first, change_ms(page, times))
    context.close()
    return figures


def main() -> None:
    parser = argparse.ArgumentParser(
        description=__doc__, formatter_class=argparse.RawDescriptionHelpFormatter
    )
    parser.add_argument("--atoms", type=int, nargs="+", default=[1_000, 10_000, 100_000])
    parser.add_argument("--times", type=int, default=20)
    options = parser.parse_args()
    with (
        TemporaryDirectory() as data_dir,
        fresh_server(Path(data_dir)) as server,
        chromium() as browser,
    ):
        print("    atoms   first picture   frame change")
        for atoms in options.atoms:
            found = measure(browser, server.url, atoms, min(options.times, FRAMES - 1))
            print(f"{found.atoms:9,}   {found.first_picture:11.2f} s   {found.frame_change_ms:9.1f} ms")


if __name__ == "__main__":
    main()
