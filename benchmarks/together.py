"""How soon does somebody else in the room see what I do in the view?

    make bench-together  [ARGS="--times 10"]

Two pages in Chromium, each with a login of its own, on one server on loopback. Both note the time, on
the clock that they share: one when a key or the pointer goes down, the other when it shows the change.
Geometries and figures are written with Python, whose clock is the same. Software graphics and both pages on
one machine make this slower than two people with a computer each.
"""

from __future__ import annotations

import argparse
import os
import time
from collections.abc import Callable, Iterator
from pathlib import Path
from statistics import median
from tempfile import TemporaryDirectory

import numpy as np
from playwright.sync_api import Browser, Locator, Page

from fresh import fresh_server
from viewer import chromium, log_in, new_context
from workroom import Room

CAMERA = {"target": [0, 0, 0], "rotation": [0, 0, 0, 1], "height": 10, "isPerspective": False}
PLACES = (-3, -1, 1, 3)
FRAMES = 40

ACTED = """() => {
  window.acted = 0;
  const note = () => { window.acted = performance.timeOrigin + performance.now() };
  for (const type of ["keydown", "pointerdown", "pointermove"]) addEventListener(type, note, true);
}"""
SEEN = """watched => {
  const read = () => {
    const found = document.querySelector(watched.selector);
    return watched.attribute ? found?.getAttribute(watched.attribute) : found?.textContent;
  };
  const before = read();
  window.seen = new Promise((resolve, reject) => {
    setTimeout(() => reject(new Error(`Nothing has changed in ${watched.selector} for 20 s`)), 20_000);
    const observer = new MutationObserver(() => {
      if (read() === before) return;
      observer.disconnect();
      resolve(performance.timeOrigin + performance.now());
    });
    const all = { subtree: true, childList: true, characterData: true, attributes: true };
    observer.observe(document.body, all);
  });
}"""

Act = Callable[[int], float]
"""Does something, and returns when that was, in milliseconds since 1970."""


def watched(attribute: str) -> dict[str, str]:
    return {"selector": "[data-testid=canvas]", "attribute": attribute}


SELECTION = {"selector": "[aria-label='Selected atoms']"}
FIGURE = {"selector": ".js-plotly-plot .ytitle"}


class Together:
    def __init__(self, me: Page, other: Page, room: Room) -> None:
        self._me, self._other, self._room = me, other, room
        self._canvas: Locator = me.get_by_test_id("canvas")
        me.evaluate(ACTED)

    def measure(self, what: dict[str, str], act: Act, times: int) -> list[float]:
        """Milliseconds from each act until the other page shows it, after one to warm up."""
        found = []
        for number in range(times + 1):
            self._other.evaluate(SEEN, what)
            acted = act(number)
            found.append(self._other.evaluate("() => seen") - acted)
        return found[1:]

    def select(self, number: int) -> float:
        box = self._canvas.bounding_box()
        assert box is not None
        scale = box["height"] / CAMERA["height"]  # type: ignore[operator]
        x = box["x"] + box["width"] / 2 + PLACES[number % 4] * scale
        self._me.mouse.move(x, box["y"] + box["height"] / 2)
        self._me.mouse.click(x, box["y"] + box["height"] / 2)
        return float(self._me.evaluate("() => acted"))

    def step(self, number: int) -> float:
        self._me.get_by_role("img", name="Atoms").focus()
        self._me.keyboard.press("ArrowRight" if number % 2 == 0 else "ArrowLeft")
        return float(self._me.evaluate("() => acted"))

    def turn(self, number: int) -> float:
        box = self._canvas.bounding_box()
        assert box is not None
        x, y = box["x"] + box["width"] / 2, box["y"] + box["height"] * 0.8
        self._me.mouse.move(x, y)
        self._me.mouse.down()
        self._me.mouse.move(x + 12 + number, y)
        acted = float(self._me.evaluate("() => acted"))
        self._me.mouse.up()
        return acted

    def draw(self, number: int) -> float:
        acted = time.time() * 1000
        self._room.geometries[f"box-{number}"] = {"type": "box", "center": [0, 3, 0], "size": [1, 1, 1]}
        return acted

    def plot(self, number: int) -> float:
        acted = time.time() * 1000
        layout = {"yaxis": {"title": {"text": f"energy {number}"}}}
        self._room.figures["energy"] = {"data": [{"type": "scatter", "y": [1, number]}], "layout": layout}
        return acted


def rounds(browser: Browser, folder: Path, times: int) -> Iterator[tuple[str, list[float]]]:
    with fresh_server(folder / "data") as server, Room("together", server.url, user="bob") as owner:
        owner.state.list()  # creates the room
        positions = np.array([[x, 0, 0] for x in PLACES], dtype=float)
        owner.frames.extend([{"numbers": np.full(4, 18), "positions": positions}] * FRAMES)
        owner.camera = CAMERA
        owner.figures["energy"] = {"data": [{"type": "scatter", "y": [1, 2]}]}
        with new_context(browser) as mine, new_context(browser) as theirs:
            pages = []
            for context in (mine, theirs):
                log_in(context, server.url)
                page = context.new_page()
                page.goto(f"{server.url}/rooms/together/view")
                page.get_by_test_id("canvas").wait_for()
                page.wait_for_load_state("networkidle")
                pages.append(page)
            together = Together(pages[0], pages[1], owner)
            pages[1].get_by_role("tab", name="Selection").click()
            yield "selection", together.measure(SELECTION, together.select, times)
            yield "step", together.measure(watched("data-frame"), together.step, times)
            yield "geometry", together.measure(watched("data-geometries"), together.draw, times)
            pages[1].get_by_role("tab", name="Plots").click()
            pages[1].locator(".js-plotly-plot .main-svg").first.wait_for()
            yield "figure", together.measure(FIGURE, together.plot, times)
            pages[0].get_by_role("button", name="Present").click()
            yield "camera", together.measure(watched("data-camera"), together.turn, times)


def main() -> None:
    parser = argparse.ArgumentParser(
        description=__doc__, formatter_class=argparse.RawDescriptionHelpFormatter
    )
    parser.add_argument("--times", type=int, default=20)
    options = parser.parse_args()
    with TemporaryDirectory() as folder, chromium() as browser:
        print(f"load average {os.getloadavg()[0]:.1f}")
        print("seen by somebody else after       median      highest")
        for name, found in rounds(browser, Path(folder), options.times):
            print(f"{name:28} {median(found):8.0f} ms  {max(found):8.0f} ms", flush=True)


if __name__ == "__main__":
    main()
