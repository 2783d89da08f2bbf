"""Example extensions for the demo."""

from __future__ import annotations

import csv
import io
import math
import random
import struct
import time
import zlib
from collections import Counter
from collections.abc import Callable
from typing import Any, Literal

from pydantic import Field

from workroom import Extension, JobContext


class EstimatePi(Extension, category="analysis"):
    """Estimate pi by throwing darts, and watch it converge."""

    samples: int = Field(1_000_000, ge=1_000, le=50_000_000, description="how many darts to throw")
    seed: int = Field(0, description="the same seed gives the same result")

    def run(self, job: JobContext) -> dict[str, Any]:
        dart = random.Random(self.seed).random  # noqa: S311 - not a secret
        rounds, hits = 100, 0
        per_round = self.samples // rounds
        estimates: list[float] = []
        for done in range(rounds):
            job.check()
            hits += sum(dart() ** 2 + dart() ** 2 < 1 for _ in range(per_round))
            estimates.append(4 * hits / (per_round * (done + 1)))
            job.progress((done + 1) / rounds, f"pi is about {estimates[-1]:.5f}")
        return {
            "pi": estimates[-1],
            "error": abs(estimates[-1] - math.pi),
            "samples": per_round * rounds,
            "convergence": _convergence(per_round, estimates),
        }


def _convergence(per_round: int, estimates: list[float]) -> dict[str, Any]:
    """A figure, as Plotly would make it. With Plotly installed, return its own."""
    darts = [per_round * (done + 1) for done in range(len(estimates))]
    ends = [darts[0], darts[-1]]
    return {
        "data": [
            {"x": darts, "y": estimates, "name": "estimate", "mode": "lines"},
            {"x": ends, "y": [math.pi, math.pi], "name": "pi", "mode": "lines", "line": {"dash": "dot"}},
        ],
        "layout": {"xaxis": {"title": {"text": "darts"}}, "legend": {"orientation": "h", "y": 1.12}},
    }


class CountWords(Extension, category="analysis"):
    """Which words does a text use most?"""

    text: str = Field(min_length=1, json_schema_extra={"format": "textarea"})
    top: int = Field(10, ge=1, le=100)
    ignore_case: bool = True

    def run(self, job: JobContext) -> dict[str, Any]:
        words = (self.text.lower() if self.ignore_case else self.text).split()
        table = Counter(words).most_common(self.top)
        buffer = io.StringIO()
        csv.writer(buffer).writerows([("word", "count"), *table])
        job.save("words.csv", buffer.getvalue().encode())
        return {"words": len(words), "table": [{"word": word, "count": count} for word, count in table]}


class Wave(Extension, category="modifiers"):
    """Sample a wave: the result is a list of points."""

    shape: Literal["sine", "square", "sawtooth"] = "sine"
    frequency: float = Field(2.0, gt=0, le=100, description="in Hz")
    points: int = Field(50, ge=2, le=10_000)

    def run(self) -> list[dict[str, float]]:
        shapes: dict[str, Callable[[float], float]] = {
            "sine": lambda phase: math.sin(2 * math.pi * phase),
            "square": lambda phase: 1.0 if phase % 1 < 0.5 else -1.0,
            "sawtooth": lambda phase: 2 * (phase % 1) - 1,
        }
        wave = shapes[self.shape]
        times = [index / (self.points - 1) for index in range(self.points)]
        return [{"t": time_s, "y": wave(self.frequency * time_s)} for time_s in times]


class Mandelbrot(Extension, category="media"):
    """Draw the Mandelbrot set: the result is an image."""

    x: float = Field(-0.6, ge=-2, le=2, description="the centre")
    y: float = Field(0.0, ge=-2, le=2)
    zoom: float = Field(1.0, ge=0.5, le=10_000)
    size: int = Field(240, ge=16, le=800, description="width in pixels")

    def run(self, job: JobContext) -> bytes:
        width, height, steps = self.size, self.size * 3 // 4, 60
        scale = 3 / (self.zoom * width)
        lines = []
        for row in job.track(range(height), "drawing"):
            y = self.y + (row - height / 2) * scale
            points = (complex(self.x + (column - width / 2) * scale, y) for column in range(width))
            lines.append(b"\0" + b"".join(_colour(_escape(point, steps) / steps) for point in points))
        return _png(width, height, b"".join(lines))


def _escape(point: complex, steps: int) -> int:
    value = 0j
    for step in range(steps):
        if abs(value) > 2:
            return step
        value = value * value + point
    return steps


def _colour(fraction: float) -> bytes:
    if fraction == 1:
        return b"\x10\x10\x20"
    return bytes(int(255 * (0.5 + 0.5 * math.sin(6 * fraction**0.5 + shift))) for shift in (4.2, 5.2, 0.2))


def _png(width: int, height: int, lines: bytes) -> bytes:
    def chunk(name: bytes, content: bytes) -> bytes:
        return (
            struct.pack(">I", len(content)) + name + content + struct.pack(">I", zlib.crc32(name + content))
        )

    header = struct.pack(">IIBBBBB", width, height, 8, 2, 0, 0, 0)
    pixels = zlib.compress(lines)
    return b"\x89PNG\r\n\x1a\n" + chunk(b"IHDR", header) + chunk(b"IDAT", pixels) + chunk(b"IEND", b"")


class Countdown(Extension, category="analysis"):
    """Count down step by step, to try progress and Cancel."""

    seconds: float = Field(10, ge=0, le=3600)
    fail_at_end: bool = Field(False, description="raise an error instead of lift-off")

    def run(self, job: JobContext) -> str:
        steps = max(1, int(self.seconds * 10))
        for _ in job.track(range(steps), "counting"):
            time.sleep(self.seconds / steps)
        if self.fail_at_end:
            raise RuntimeError("no lift-off today")
        return "lift-off"


class Appearance(Extension, category="settings"):
    """The page's appearance for you. It changes as soon as you save."""

    theme: Literal["system", "light", "dark"] = "system"
    dense: bool = Field(False, description="smaller text, more of it")

    def run(self) -> None:
        """Settings are stored, not run."""
