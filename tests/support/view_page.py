"""The page that draws frames: opening it, and finding atoms in its picture."""

from __future__ import annotations

import io
from dataclasses import dataclass
from typing import Any

import numpy as np
from PIL import Image
from playwright.sync_api import Locator, Page, expect

from support.browser import come_in

GRAPHICS = [
    "--no-sandbox",
    "--use-gl=angle",
    "--use-angle=swiftshader",
    "--enable-unsafe-swiftshader",
    "--ignore-gpu-blocklist",
]
CAMERA = {"target": [0, 0, 0], "rotation": [0, 0, 0, 1], "height": 10, "isPerspective": False}


def atoms(
    numbers: list[int], positions: list[list[float]], cell: float | None = None, **more: Any
) -> dict[str, Any]:
    """A frame of atoms, in a cube if it has a cell."""
    frame = {"numbers": np.array(numbers), "positions": np.array(positions, dtype=float), **more}
    if cell is not None:
        frame |= {"cell": np.eye(3) * cell, "pbc": np.array([True, True, True])}
    return frame


def open_view(page: Page, url: str, room: str, name: str = "ada") -> Locator:
    """Open a room with atoms as a guest, and return its canvas when a frame with its bonds was drawn."""
    come_in(page, url, name, room)
    canvas = page.get_by_test_id("canvas")
    expect(canvas).to_have_attribute("data-frame", "0")
    return canvas


def open_tab(page: Page, name: str) -> None:
    page.get_by_role("tab", name=name).click()


DRAG = """([name, text]) => {
  const dataTransfer = new DataTransfer();
  dataTransfer.items.add(new File([text], name));
  const fire = (type) => document.querySelector("main")
    .dispatchEvent(new DragEvent(type, { dataTransfer, bubbles: true, cancelable: true }));
  const dragging = setInterval(() => fire("dragover"), 50);
  window.drop = () => { clearInterval(dragging); fire("drop") };
}"""


def drop_file(page: Page, name: str, text: str) -> None:
    """Drag a file over a room, as long as it takes, and drop it there."""
    page.evaluate(DRAG, [name, text])
    expect(page.get_by_text("Drop to load into this room")).to_be_visible()
    page.evaluate("() => drop()")


@dataclass(frozen=True)
class Picture:
    """A canvas as it looks, with the camera that it is drawn with."""

    canvas: Locator
    height: float = 10
    x: float = 0
    y: float = 0

    def place(self, x: float, y: float) -> tuple[float, float]:
        """Where a point of the scene is in the canvas, in pixels."""
        box = self.canvas.bounding_box()
        assert box is not None
        scale = box["height"] / self.height
        return box["width"] / 2 + (x - self.x) * scale, box["height"] / 2 - (y - self.y) * scale

    def colour(self, x: float, y: float) -> tuple[int, int, int]:
        image = Image.open(io.BytesIO(self.canvas.screenshot())).convert("RGB")
        at = self.place(x, y)
        red, green, blue = np.asarray(image)[round(at[1]), round(at[0])]
        return int(red), int(green), int(blue)

    def click(self, x: float, y: float, **options: Any) -> None:
        at = self.place(x, y)
        self.canvas.click(position={"x": at[0], "y": at[1]}, **options)

    def hover(self, x: float, y: float) -> None:
        at = self.place(x, y)
        self.canvas.hover(position={"x": at[0], "y": at[1]})

    def drag(self, start: tuple[float, float], end: tuple[float, float]) -> None:
        box = self.canvas.bounding_box()
        assert box is not None
        mouse = self.canvas.page.mouse
        (x0, y0), (x1, y1) = self.place(*start), self.place(*end)
        mouse.move(box["x"] + x0, box["y"] + y0)
        mouse.down()
        mouse.move(box["x"] + (x0 + x1) / 2, box["y"] + (y0 + y1) / 2)
        mouse.move(box["x"] + x1, box["y"] + y1)
        mouse.up()
