"""Extensions with every kind of form, progress and result."""

from __future__ import annotations

import logging
import time
from base64 import b64encode
from enum import StrEnum
from typing import Any, Literal

import numpy
from pydantic import BaseModel, Field, SecretStr

from workroom import Extension, File, JobContext
from workroom.runtime.previews import render_preview

SCRIPT = "<script>window.hacked = true</script><img src=x onerror='window.hacked = true'>"
Element = StrEnum("Element", {f"E{number}": f"element-{number}" for number in range(500)})  # type: ignore[misc]


class Echo(Extension, category="analysis"):
    """Says what you say.

    And a second paragraph.
    """

    text: str = Field("hello", min_length=1, description="what to say")
    loudness: int = Field(5, ge=0, le=11, description="how loud", json_schema_extra={"unit": "dB"})

    def run(self) -> dict[str, Any]:
        return {"text": self.text, "loudness": self.loudness}


class Unlock(Extension, category="analysis"):
    """Opens something with a key."""

    door: str = "front"
    key: SecretStr

    def run(self) -> dict[str, object]:
        return {"door": self.door, "length": len(self.key.get_secret_value())}


class Walk(Extension, category="analysis"):
    """Takes its time, and tells about it."""

    steps: int = Field(20, ge=1, le=10_000)
    pause: float = Field(0.1, ge=0, le=10)

    def run(self, job: JobContext) -> str:
        for step in job.track(range(self.steps), "walking"):
            print(f"step {step}")
            if step == 3:
                logging.getLogger("walk").warning("a stone")
                job.show(f"at stone {step}")
            time.sleep(self.pause)
        return "arrived"


class Stumble(Extension, category="analysis"):
    """Fails, unless there is nothing to slip on."""

    why: str = "a banana"

    def run(self) -> None:
        if self.why:
            raise ValueError(f"slipped on {self.why}")


class Show(Extension, category="analysis"):
    """Results of every kind."""

    kind: Literal["table", "image", "plot", "markdown", "tree", "file", "nothing", "parts"] = "table"

    def run(self, job: JobContext) -> Any:
        if self.kind == "file":
            job.save("notes.txt", b"some notes")
            job.save("pixel.png", _pixel())
            job.save("table.csv", b"name,age\nada,36\n")
        return {
            "table": [{"name": "ada", "age": 36}, {"name": "bob", "age": 7}],
            "image": "data:image/png;base64," + b64encode(_pixel()).decode(),
            "plot": {"data": [{"x": [1, 2], "y": [3, 4]}], "layout": {"title": {"text": "a line"}}},
            "markdown": "# Report\n\nAll is **well**. " + SCRIPT,
            "tree": {"deep": {"deeper": [1, {"deepest": SCRIPT}]}},
            "parts": {"count": 2, "table": [{"name": "ada"}, {"name": "bob"}]},
        }.get(self.kind)


class Atom(BaseModel):
    symbol: Element = Element.E0  # type: ignore[attr-defined]
    position: list[float] = Field(default_factory=lambda: [0.0, 0.0, 0.0], min_length=3, max_length=3)


class Cell(BaseModel):
    periodic: bool = True
    atoms: list[Atom] = Field(default_factory=lambda: [Atom()])


class Structure(BaseModel):
    title: str = "unnamed"
    cell: Cell = Field(default_factory=Cell)


class Build(Extension, category="modifiers"):
    """A deep form."""

    element: Element = Field(Element.E7, description="one of many")  # type: ignore[attr-defined]
    structure: Structure = Field(default_factory=Structure)
    tags: list[str] = Field(default_factory=list)
    limit: int | None = Field(None, ge=1)
    extra: Cell | None = None
    both: int | str = 3

    def run(self) -> dict[str, Any]:
        return self.model_dump(mode="json")


class Weigh(Extension, category="modifiers"):
    """Needs a file."""

    sample: File

    def run(self) -> int:
        return self.sample.path().stat().st_size


class Taste(Extension, category="settings"):
    """What you like."""

    colour: Literal["red", "blue"] = "red"

    def run(self) -> None:
        """Settings are stored, not run."""


def _pixel() -> bytes:
    kind, png = render_preview(numpy.array([[[255, 0, 0]]], dtype="uint8"))
    assert kind == "png"
    return png
