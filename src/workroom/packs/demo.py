"""Example extensions for the demo."""

from __future__ import annotations

import math
import random
import time
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
        for done in range(rounds):
            job.check()
            hits += sum(dart() ** 2 + dart() ** 2 < 1 for _ in range(per_round))
            estimate = 4 * hits / (per_round * (done + 1))
            job.progress((done + 1) / rounds, f"pi is about {estimate:.5f}")
        return {"pi": estimate, "error": abs(estimate - math.pi), "samples": per_round * rounds}


class CountWords(Extension, category="analysis"):
    """Which words does a text use most?"""

    text: str = Field(min_length=1, json_schema_extra={"format": "textarea"})
    top: int = Field(10, ge=1, le=100)
    ignore_case: bool = True

    def run(self) -> dict[str, Any]:
        words = (self.text.lower() if self.ignore_case else self.text).split()
        table = [{"word": word, "count": count} for word, count in Counter(words).most_common(self.top)]
        return {"words": len(words), "table": table}


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
    """How the room appears to you."""

    theme: Literal["system", "light", "dark"] = "system"
    dense: bool = False

    def run(self) -> None:
        """Settings are stored, not run."""
