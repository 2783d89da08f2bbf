"""What run() may return."""

from __future__ import annotations

import subprocess
import sys
from collections.abc import Callable
from dataclasses import dataclass
from datetime import UTC, date, datetime
from enum import Enum
from pathlib import Path
from typing import Any, ClassVar
from uuid import UUID

import numpy as np
import pytest
from pydantic import BaseModel

from support.sync_rooms import Enter, Serve
from workroom import Extension


class Point(BaseModel):
    x: float
    when: datetime | None = None


@dataclass
class Pair:
    left: Any
    right: Point


class Colour(Enum):
    RED = "red"


class Strange:
    def __repr__(self) -> str:
        return "<strange>"


def _endless() -> list[Any]:
    endless: list[Any] = []
    endless.append(endless)
    return endless


GOOD: dict[str, tuple[Callable[[], Any], Any]] = {
    "nothing": (lambda: None, None),
    "false": (lambda: False, False),
    "a number": (lambda: 1.5, 1.5),
    "a text": (lambda: "Grüße ☃", "Grüße ☃"),
    "a tuple": (lambda: (1, "two"), [1, "two"]),
    "a set": (lambda: {1}, [1]),
    "a frozen set": (frozenset, []),
    "a model": (lambda: Point(x=1), {"x": 1.0, "when": None}),
    "models in a list": (
        lambda: [Point(x=1), {"p": Point(x=2)}],
        [
            {"x": 1.0, "when": None},
            {"p": {"x": 2.0, "when": None}},
        ],
    ),
    "a dataclass": (lambda: Pair(1, Point(x=2)), {"left": 1, "right": {"x": 2.0, "when": None}}),
    "a date": (lambda: date(2024, 2, 29), "2024-02-29"),
    "a time": (lambda: datetime(2024, 2, 29, 12, tzinfo=UTC), "2024-02-29T12:00:00+00:00"),
    "an id": (lambda: UUID(int=1), "00000000-0000-0000-0000-000000000001"),
    "an enum": (lambda: Colour.RED, "red"),
    "keys that are numbers": (lambda: {1: "one"}, {"1": "one"}),
    "a large text": (lambda: "x" * 900_000, "x" * 900_000),
    "an object": (Strange, "<strange>"),
    "an object in a dataclass": (
        lambda: [Pair(Strange(), Point(x=1))],
        [{"left": "<strange>", "right": {"x": 1.0, "when": None}}],
    ),
    "a complex number": (lambda: 1j, 1j),
    "bytes": (lambda: b"x", b"x"),
    "large bytes": (lambda: b"x" * 100_000, b"x" * 100_000),
    "large bytes in a large result": (lambda: ["x" * 2_000_000, b"x"], ["x" * 2_000_000, b"x"]),
    "infinity": (lambda: {"max": float("inf")}, {"max": float("inf")}),
    "a huge number": (lambda: {"n": 2**70}, {"n": 2**70}),
    "a text that is no text": (lambda: ["\udcff"], ["\\udcff"]),
    "tuples as keys": (lambda: {(1, 2): 3}, {(1, 2): 3}),
    "a list in itself": (_endless, ["[[...]]"]),
    "a generator": (lambda: (each for each in "ab"), ["a", "b"]),
}


class Give(Extension, category="results"):
    """Returns what the test wants."""

    what: str
    gifts: ClassVar[dict[str, Callable[[], Any]]] = {name: make for name, (make, _) in GOOD.items()}

    def run(self) -> Any:
        return self.gifts[self.what]()


@pytest.mark.parametrize("what", GOOD)
def test_a_result_arrives_as_json(enter: Enter, serve: Serve, what: str) -> None:
    serve(Give)

    assert enter().submit(Give(what=what)).result(timeout=10) == GOOD[what][1]


def test_a_path_is_kept_as_a_file(enter: Enter, serve: Serve, tmp_path: Path) -> None:
    path = tmp_path / "table.csv"
    path.write_text("a,b\n1,2\n")
    Give.gifts["a path"] = lambda: {"table": path}
    serve(Give)
    job = enter().submit(Give(what="a path"))

    file = job.result(timeout=10)["table"]

    assert (file.name, file.media_type, file.size) == ("table.csv", "text/csv", 8)
    assert job.download(file.name, tmp_path / "copy.csv").read_text() == "a,b\n1,2\n"


class Lonely(Extension, category="results", isolation="process"):
    """Returns bytes and a number that is none, from a process of its own."""

    def run(self) -> Any:
        return {"large": b"x" * 100_000, "mean": float("inf"), "n": 2**70}


def test_an_isolated_job_returns_the_same_values(enter: Enter, serve: Serve) -> None:
    serve(Lonely)

    result = enter().submit(Lonely()).result(timeout=30)

    assert result == {"large": b"x" * 100_000, "mean": float("inf"), "n": 2**70}


def test_arrays_and_their_numbers_are_results_and_keys(enter: Enter, serve: Serve) -> None:
    Give.gifts["arrays"] = lambda: {np.int64(1): np.arange(4).reshape(2, 2).T, "words": np.array(["a"])}
    serve(Give)

    found = enter().submit(Give(what="arrays")).result(timeout=10)

    assert found == {"1": [[0, 2], [1, 3]], "words": ["a"]}


def test_results_need_no_numpy() -> None:
    encode = "from workroom.runtime.executor import encode_result; encode_result([1])"
    script = f"import sys; {encode}; print('numpy' in sys.modules)"

    ran = subprocess.run([sys.executable, "-c", script], capture_output=True, text=True, check=True)

    assert ran.stdout.strip() == "False"
