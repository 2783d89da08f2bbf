"""Pages in Chromium that show frames of atoms: how long they take, and whether they draw."""

from __future__ import annotations

import io
import json
import shutil
import time
from collections.abc import Callable, Iterable, Iterator, Sequence
from contextlib import contextmanager
from dataclasses import dataclass
from pathlib import Path
from statistics import median
from typing import Any

import numpy as np
from PIL import Image
from playwright.sync_api import Browser, BrowserContext, CDPSession, Locator, Page, sync_playwright

LIMIT_S = 90  # to load the scripts, to draw the first picture, and to get the frames ready
WAIT_MS = LIMIT_S * 1000
MIN_COLOURS = 100
MIN_CHANGED = 0.05  # of the picture, from one frame to the next
GRAPHICS = (
    "--no-sandbox",
    "--use-gl=angle",
    "--use-angle=swiftshader",
    "--enable-unsafe-swiftshader",
    "--ignore-gpu-blocklist",
)
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
PAINTED = "new Promise((done) => requestAnimationFrame(() => requestAnimationFrame(done)))"
LOST = """window.lost = 0;
addEventListener("webglcontextlost", () => { window.lost += 1 }, true);"""

PREPARE = "count => { window.preparing = prepare(count).finally(() => { window.isDone = true }) }"

Show = Callable[[int], None]


@dataclass(frozen=True)
class Size:
    """How many atoms, and how often they are shown."""

    atoms: int
    times: int
    trials: int
    rounds: int


@dataclass(frozen=True)
class Change:
    """Milliseconds of the main thread for one frame change, on average."""

    busy: float
    processor: float


@contextmanager
def chromium() -> Iterator[Browser]:
    path = shutil.which("chromium")
    assert path is not None, "Chromium is missing: `make test` installs it"
    with (
        sync_playwright() as playwright,
        playwright.chromium.launch(executable_path=path, args=GRAPHICS) as browser,
    ):
        yield browser


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


def seconds_to_first_picture(page: Page, address: str, deadline: float) -> float:
    begun = time.perf_counter()
    page.goto(address, wait_until="commit")
    page.wait_for_function(DRAWN, arg=0, polling=10, timeout=ms_until(deadline))
    return time.perf_counter() - begun


def ms_until(deadline: float) -> float:
    return max(1, (deadline - time.perf_counter()) * 1000)


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
        self._check_changed(first, "the next frame")
        self._show(0)

    def check_turned(self) -> None:
        """It can be turned, and has kept its context."""
        before = self._picture()
        box = self._canvas.bounding_box()
        assert box is not None
        x, y = box["x"] + box["width"] / 2, box["y"] + box["height"] / 2
        self._page.mouse.move(x, y)
        self._page.mouse.down()
        self._page.mouse.move(x + 60, y + 20)
        self._page.mouse.move(x + 120, y + 40)
        self._page.mouse.up()
        self._page.evaluate(PAINTED)
        self._check_changed(before, "a turn")
        assert self._page.evaluate("lost") == 0, f"{self.name} has lost its context"

    def _check_changed(self, before: Any, what: str) -> None:
        changed = (np.abs(self._picture() - before).max(axis=2) > 30).mean()
        assert changed > MIN_CHANGED, f"{self.name} has changed {changed:.1%} of the picture for {what}"

    @property
    def _canvas(self) -> Locator:
        return self._page.locator("canvas").first

    def _picture(self) -> Any:
        png = self._canvas.screenshot()
        return np.asarray(Image.open(io.BytesIO(png)).convert("RGB"), dtype=int)

    def _spent(self) -> tuple[float, float]:
        metrics = self._session.send("Performance.getMetrics")["metrics"]
        seconds = {each["name"]: float(each["value"]) for each in metrics}
        return seconds["TaskDuration"], seconds["ThreadTime"]


def open_viewer(
    name: str, context: BrowserContext, address: str, size: Size, is_room: bool
) -> tuple[Viewer, float]:
    """It, and the seconds to its first picture, when the scripts are cached."""
    deadline = time.perf_counter() + LIMIT_S
    context.add_init_script(LOST)
    found = []
    for _ in range(size.trials + 1):
        page = context.new_page()
        found.append(seconds_to_first_picture(page, address, deadline))
    for other in context.pages[:-1]:
        other.close()
    show = by_keyboard(page) if is_room else by_call(page, size.times + 1, deadline)
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


def by_call(page: Page, count: int, deadline: float) -> Show:
    page.evaluate(PREPARE, count)
    page.wait_for_function("window.isDone", polling=100, timeout=ms_until(deadline))
    page.evaluate("() => preparing")  # raises what it has raised
    return lambda frame: page.evaluate("frame => show(frame)", frame)
