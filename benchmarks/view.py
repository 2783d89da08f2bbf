"""How long does the page need for a first picture, and for the next frame? And 3Dmol and NGL?

    make bench-view  [ARGS="--atoms 1000 10000 --times 20 --profiles FOLDER"]

In Chromium with software graphics, so that only the time of the main thread says something: frames per second
would be those of a processor. A liquid of argon in a periodic cell, drawn as spheres by all three.

- First picture: from the first request of a new tab with cached scripts, on loopback, until it is drawn.
  Workroom loads its whole page, joins the room and reads the frame; the others load a page that is only
  the viewer, and a PDB file.
- Frame change: what the main thread is busy for until the frame is drawn, from Chromium's own count of the
  time of its tasks, and the processor time of that thread, which other programs on the machine change less.
  Workroom is driven with the keyboard and tells the room what it shows; the others are called directly.
  All have their frames in memory, and all draw without waiting for the graphics. The viewers take turns, in
  rounds, so that another program slows all of them down; the median of the rounds counts.

A viewer that drew nothing, drew the same for two frames, or lost its context ends the run.
"""

from __future__ import annotations

import argparse
import io
import json
import os
import shutil
import time
from collections.abc import Callable, Iterable, Iterator, Sequence
from contextlib import ExitStack, contextmanager
from dataclasses import dataclass
from pathlib import Path
from statistics import median
from tempfile import TemporaryDirectory
from typing import Any

import numpy as np
from PIL import Image
from playwright.sync_api import Browser, BrowserContext, CDPSession, Page, sync_playwright

from fresh import fresh_server
from viewer_pages import serve_viewers
from workroom import Room

TRIALS = 3
ROUNDS = 7
MIN_COLOURS = 100
MIN_CHANGED = 0.05  # of the picture, from one frame to the next
SPACING = 3.8  # angstrom
GRAPHICS = (
    "--no-sandbox",
    "--use-gl=angle",
    "--use-angle=swiftshader",
    "--enable-unsafe-swiftshader",
    "--ignore-gpu-blocklist",
)
WAIT_MS = 300_000
WORKROOM = "Workroom"
VIEWERS = {"3Dmol": "3dmol.html", "NGL": "ngl.html"}
DRAWN = "frame => document.querySelector(`[data-frame='${frame}']`)"

# A frame is announced when it is drawn; with the next callback the browser has painted it.
NEXT = """([frame, key]) => new Promise((resolve) => {
    const canvas = document.querySelector("[data-frame]");
    new MutationObserver((_, observer) => {
        if (canvas.dataset.frame !== String(frame)) return;
        observer.disconnect();
        requestAnimationFrame(resolve);
    }).observe(canvas, { attributes: true, attributeFilter: ["data-frame"] });
    document.activeElement.dispatchEvent(new KeyboardEvent("keydown", { key, bubbles: true }));
})"""
LOST = """window.lost = 0;
addEventListener("webglcontextlost", () => { window.lost += 1 }, true);"""

Show = Callable[[int], None]


@dataclass(frozen=True)
class Change:
    """Milliseconds of the main thread for one frame change, on average."""

    busy: float
    processor: float


@dataclass(frozen=True)
class Figures:
    name: str
    atoms: int
    first_picture: float
    change: Change


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


def new_context(browser: Browser) -> BrowserContext:
    context = browser.new_context(viewport={"width": 1280, "height": 800})
    context.set_default_timeout(WAIT_MS)
    return context


def log_in(context: BrowserContext, url: str) -> None:
    page = context.new_page()
    page.goto(url)
    page.get_by_label("Your name").fill("ada")
    page.get_by_role("button", name="Log in").click()
    page.get_by_role("heading", name="Rooms").wait_for()
    page.close()


def seconds_to_first_picture(page: Page, address: str) -> float:
    begun = time.perf_counter()
    page.goto(address, wait_until="commit")
    page.wait_for_function(DRAWN, arg=0, polling=10)
    return time.perf_counter() - begun


class Viewer:
    """A page that shows the first frame, and can show the others."""

    def __init__(self, name: str, page: Page, show: Show) -> None:
        self.name = name
        self._page = page
        self._show = show
        self._session: CDPSession = page.context.new_cdp_session(page)
        self._session.send("Performance.enable")

    def walk(self, frames: Iterable[int]) -> None:
        for frame in frames:
            self._show(frame)

    def measure(self, frames: Sequence[int]) -> Change:
        before = self._spent()
        self.walk(frames)
        busy, processor = (after - was for after, was in zip(self._spent(), before, strict=True))
        return Change(busy / len(frames) * 1000, processor / len(frames) * 1000)

    def profile(self, frames: Sequence[int], path: Path) -> None:
        """For the performance panel of the developer tools."""
        self._session.send("Profiler.enable")
        self._session.send("Profiler.setSamplingInterval", {"interval": 100})
        self._session.send("Profiler.start")
        self.walk(frames)
        path.write_text(json.dumps(self._session.send("Profiler.stop")["profile"]))

    def check(self) -> None:
        """A viewer that draws nothing would be fast."""
        first = self._picture()
        colours = {tuple(each) for each in first.reshape(-1, 3).tolist()}
        assert len(colours) > MIN_COLOURS, f"{self.name} has drawn {len(colours)} colours"
        self._show(1)
        changed = (np.abs(self._picture() - first).max(axis=2) > 30).mean()
        assert changed > MIN_CHANGED, f"{self.name} has changed {changed:.1%} of the picture"
        self._show(0)

    def check_context(self) -> None:
        assert self._page.evaluate("lost") == 0, f"{self.name} has lost its context"

    def _picture(self) -> Any:
        png = self._page.locator("canvas").first.screenshot()
        return np.asarray(Image.open(io.BytesIO(png)).convert("RGB"), dtype=int)

    def _spent(self) -> tuple[float, float]:
        metrics = self._session.send("Performance.getMetrics")["metrics"]
        seconds = {each["name"]: float(each["value"]) for each in metrics}
        return seconds["TaskDuration"], seconds["ThreadTime"]


def open_viewer(name: str, context: BrowserContext, address: str, frames: int) -> tuple[Viewer, float]:
    """It, and the seconds to its first picture, when the scripts are cached."""
    context.add_init_script(LOST)
    found = []
    for _ in range(TRIALS + 1):
        page = context.new_page()
        found.append(seconds_to_first_picture(page, address))
    for other in context.pages[:-1]:
        other.close()
    show = by_keyboard(page) if name == WORKROOM else by_call(page, frames)
    return Viewer(name, page, show), median(found[1:])


def by_keyboard(page: Page) -> Show:
    """Waits with an observer: polling would keep the main thread busy."""
    page.get_by_role("img", name="Atoms").focus()
    shown = 0

    def show(frame: int) -> None:
        nonlocal shown
        key = "ArrowRight" if frame > shown else "ArrowLeft"
        page.evaluate(NEXT, [frame, key])
        shown = frame

    return show


def by_call(page: Page, count: int) -> Show:
    page.evaluate("count => prepare(count)", count)
    return lambda frame: page.evaluate("frame => show(frame)", frame)


def take_turns(viewers: list[Viewer], times: int, profiles: Path | None) -> Iterator[tuple[Viewer, Change]]:
    """There and back again, once to warm up."""
    there, back = range(1, times + 1), range(times - 1, -1, -1)
    found: dict[Viewer, list[Change]] = {viewer: [] for viewer in viewers}
    for viewer in viewers:
        viewer.check()
        viewer.walk([*there, *back])
    for number in range(ROUNDS):
        for viewer in viewers:
            found[viewer].append(viewer.measure(back if number % 2 else there))
    for viewer, changes in found.items():
        viewer.walk(back if ROUNDS % 2 else [])
        if profiles:
            viewer.profile(there, profiles / f"{viewer.name}.cpuprofile")
        viewer.check_context()
        yield (
            viewer,
            Change(median(each.busy for each in changes), median(each.processor for each in changes)),
        )


def compare(browser: Browser, folder: Path, options: argparse.Namespace) -> Iterator[Figures]:
    times = options.times
    with ExitStack() as stack:
        server = stack.enter_context(fresh_server(folder / "data"))
        pages = stack.enter_context(serve_viewers(folder / "frames"))
        for atoms in options.atoms:
            frames, room = list(liquid(atoms, times + 1)), f"liquid-{atoms}"
            pages.put(room, frames)
            with Room(room, server.url, user="bob") as owner:
                owner.state.list()  # creates the room
                owner.frames.extend(frames)
            addresses = {name: f"{pages.url}/{page}?frames={room}" for name, page in VIEWERS.items()}
            with ExitStack() as contexts:
                opened: dict[Viewer, float] = {}
                for name, address in {
                    WORKROOM: f"{server.url}/rooms/{room}/view",
                    **addresses,
                }.items():
                    context = contexts.enter_context(new_context(browser))
                    if name == WORKROOM:
                        log_in(context, server.url)
                    viewer, first = open_viewer(name, context, address, times + 1)
                    opened[viewer] = first
                for viewer, change in take_turns(list(opened), times, options.profiles):
                    yield Figures(viewer.name, atoms, opened[viewer], change)


def main() -> None:
    parser = argparse.ArgumentParser(
        description=__doc__, formatter_class=argparse.RawDescriptionHelpFormatter
    )
    parser.add_argument("--atoms", type=int, nargs="+", default=[1_000, 10_000, 100_000])
    parser.add_argument("--times", type=int, default=20, help="frame changes in a round")
    parser.add_argument("--profiles", type=Path, help="a folder for a profile of each viewer")
    options = parser.parse_args()
    with TemporaryDirectory() as folder, chromium() as browser:
        print(f"load average {os.getloadavg()[0]:.1f}")
        print("    atoms              first picture   frame change   processor")
        for found in compare(browser, Path(folder), options):
            change = f"{found.change.busy:9.1f} ms   {found.change.processor:6.1f} ms"
            took = f"{found.first_picture:9.2f} s   {change}"
            print(f"{found.atoms:9,}   {found.name:8}   {took}", flush=True)


if __name__ == "__main__":
    main()
