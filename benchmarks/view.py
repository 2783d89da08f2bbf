"""How long does the page need for a first picture, and for the next frame? And 3Dmol and NGL?

    make bench-view  [ARGS="--atoms 1000 10000 --times 20"]

In Chromium with software graphics, so that only the time of the main thread says something: frames per second
would be those of a processor. A liquid of argon in a periodic cell, drawn as spheres by all three.

- First picture: from the first request of a new tab with cached scripts, on loopback, until it is drawn.
  Workroom loads its whole page, joins the room and reads the frame; the others load a page that is only
  the viewer, and a PDB file.
- Frame change: what the main thread is busy for, from Chromium's own count of the time of its tasks, and the
  processor time of that thread, which other programs on the machine change less. Workroom is driven with the
  keyboard and tells the room which frame it shows; the others are called directly. All have their frames in
  memory, and all draw without waiting for the graphics.
"""

from __future__ import annotations

import argparse
import os
import shutil
import time
from collections.abc import Callable, Iterator
from contextlib import ExitStack, contextmanager
from dataclasses import dataclass
from pathlib import Path
from statistics import median
from tempfile import TemporaryDirectory
from typing import Any

import numpy as np
from playwright.sync_api import Browser, BrowserContext, Page, sync_playwright

from fresh import fresh_server
from viewer_pages import serve_viewers
from workroom import Room

FRAMES = 30
TRIALS = 3
SPACING = 3.8  # angstrom
GRAPHICS = (
    "--no-sandbox",
    "--use-gl=angle",
    "--use-angle=swiftshader",
    "--enable-unsafe-swiftshader",
    "--ignore-gpu-blocklist",
)
WAIT_MS = 300_000
VIEWERS = {"3Dmol": "3dmol.html", "NGL": "ngl.html"}
DRAWN = "frame => document.querySelector(`[data-frame='${frame}']`)"

NEXT = """frame => new Promise((resolve) => {
    const canvas = document.querySelector("[data-frame]");
    new MutationObserver((_, observer) => {
        if (canvas.dataset.frame !== String(frame)) return;
        observer.disconnect();
        requestAnimationFrame(() => requestAnimationFrame(resolve));
    }).observe(canvas, { attributes: true });
    document.activeElement.dispatchEvent(new KeyboardEvent("keydown", { key: "ArrowRight", bubbles: true }));
})"""

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


def measure_changes(page: Page, show: Show, times: int) -> Change:
    """After two to warm up."""
    session = page.context.new_cdp_session(page)
    session.send("Performance.enable")

    def spent() -> tuple[float, float]:
        metrics = session.send("Performance.getMetrics")["metrics"]
        seconds = {each["name"]: float(each["value"]) for each in metrics}
        return seconds["TaskDuration"], seconds["ThreadTime"]

    for frame in (1, 2):
        show(frame)
    page.wait_for_load_state("networkidle")
    busy, processor = spent()
    for frame in range(3, times + 3):
        show(frame)
    after = spent()
    return Change((after[0] - busy) / times * 1000, (after[1] - processor) / times * 1000)


def check_picture(page: Page) -> None:
    """A viewer that draws nothing would be fast."""
    colours = len(set(page.locator("canvas").first.screenshot()))
    assert colours > 100, f"{page.title()} has drawn nothing"


def measure(name: str, atoms: int, context: BrowserContext, address: str, times: int) -> Figures:
    seconds_to_first_picture(context.new_page(), address)  # the scripts are cached from here on
    found = []
    for _ in range(TRIALS):
        page = context.new_page()
        found.append(seconds_to_first_picture(page, address))
    check_picture(page)
    show = by_keyboard(page) if name == "Workroom" else by_call(page, times + 3)
    return Figures(name, atoms, median(found), measure_changes(page, show, times))


def by_keyboard(page: Page) -> Show:
    """Waits with an observer: polling would keep the main thread busy."""
    page.get_by_role("img", name="Atoms").focus()
    return lambda frame: page.evaluate(NEXT, frame)


def by_call(page: Page, count: int) -> Show:
    page.evaluate("count => prepare(count)", count)
    return lambda frame: page.evaluate("frame => show(frame)", frame)


def rounds(browser: Browser, folder: Path, sizes: list[int], times: int) -> Iterator[Figures]:
    with ExitStack() as stack:
        server = stack.enter_context(fresh_server(folder / "data"))
        viewers = stack.enter_context(serve_viewers(folder / "frames"))
        for atoms in sizes:
            frames, room = list(liquid(atoms, FRAMES)), f"liquid-{atoms}"
            viewers.put(room, frames[: times + 3])
            with Room(room, server.url, user="bob") as owner:
                owner.state.list()  # creates the room
                owner.frames.extend(frames)
            with new_context(browser) as context:
                log_in(context, server.url)
                yield measure("Workroom", atoms, context, f"{server.url}/rooms/{room}/view", times)
            for name, page in VIEWERS.items():
                with new_context(browser) as context:
                    yield measure(name, atoms, context, f"{viewers.url}/{page}?frames={room}", times)


def main() -> None:
    parser = argparse.ArgumentParser(
        description=__doc__, formatter_class=argparse.RawDescriptionHelpFormatter
    )
    parser.add_argument("--atoms", type=int, nargs="+", default=[1_000, 10_000, 100_000])
    parser.add_argument("--times", type=int, default=20)
    options = parser.parse_args()
    with TemporaryDirectory() as folder, chromium() as browser:
        print(f"load average {os.getloadavg()[0]:.1f}")
        print("    atoms              first picture   frame change   processor")
        for found in rounds(browser, Path(folder), options.atoms, min(options.times, FRAMES - 3)):
            change = f"{found.change.busy:9.1f} ms   {found.change.processor:6.1f} ms"
            took = f"{found.first_picture:9.2f} s   {change}"
            print(f"{found.atoms:9,}   {found.name:8}   {took}", flush=True)


if __name__ == "__main__":
    main()
