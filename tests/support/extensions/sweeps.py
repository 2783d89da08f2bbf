"""Extensions for sweeps and chains."""

from __future__ import annotations

import math
from enum import StrEnum
from itertools import pairwise
from typing import Any

from PIL import Image, ImageDraw
from pydantic import Field

from workroom import Extension

SIZE = 160


class Colour(StrEnum):
    CORAL = "coral"
    TEAL = "teal"
    INDIGO = "indigo"


class Spiral(Extension, category="analysis"):
    """Draws a spiral, and measures it."""

    colour: Colour = Colour.CORAL
    turns: int = Field(3, ge=1, le=11, description="how often it goes round")

    def run(self) -> dict[str, Any]:
        points = [_point(self.turns, step / 400) for step in range(401)]
        image = Image.new("RGB", (SIZE, SIZE), "white")
        ImageDraw.Draw(image).line(points, fill=self.colour.value, width=3)
        length = sum(math.dist(*pair) for pair in pairwise(points))
        return {"length": round(length, 1), "image": image}


def _point(turns: int, part: float) -> tuple[float, float]:
    angle, radius = part * turns * math.tau, part * SIZE * 0.45
    return SIZE / 2 + radius * math.cos(angle), SIZE / 2 + radius * math.sin(angle)


class Step(Extension, category="analysis"):
    """One step of a chain."""

    breaks: bool = False

    def run(self) -> str:
        if self.breaks:
            raise ValueError("the step broke")
        return "done"
