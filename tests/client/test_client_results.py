"""What run() may return."""

from __future__ import annotations

import subprocess
import sys
from collections.abc import Callable
from dataclasses import dataclass
from datetime import UTC, date, datetime
from enum import Enum
from typing import Any, ClassVar
from uuid import UUID

import numpy as np
import pytest
from pydantic import BaseModel

from support.sync_rooms import Enter, Serve
from workroom import Extension, JobFailed


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
    pass


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
}

BAD: dict[str, tuple[Callable[[], Any], str]] = {
    "an object": (Strange, "a value of type Strange"),
    "an object inside": (lambda: {"a": [1, Strange()]}, "a value of type Strange at result['a'][1]"),
    "an object in a dataclass": (
        lambda: [Pair(Strange(), Point(x=1))],
        "a value of type Strange at result[0].left",
    ),
    "a complex number": (lambda: 1j, "a value of type complex"),
    "bytes": (lambda: b"x", "a value of type bytes"),
    "a generator": (lambda: (each for each in "ab"), "a value of type generator"),
    "a huge number": (lambda: {"n": 2**70}, "an integer of more than 64 bits at result['n']"),
    "a text that is no text": (lambda: ["\udcff"], "a string that is not valid UTF-8 at result[0]"),
    "a key that is none": (lambda: {(1, 2): 3}, "a dict whose keys are neither strings nor numbers"),
    "a list in itself": (_endless, "a value that contains itself or is nested too deeply"),
}


class Give(Extension, category="results"):
    """Returns what the test wants."""

    what: str
    gifts: ClassVar[dict[str, Callable[[], Any]]] = {
        name: make for name, (make, _) in [*GOOD.items(), *BAD.items()]
    }

    def run(self) -> Any:
        return self.gifts[self.what]()


@pytest.mark.parametrize("what", GOOD)
def test_a_result_arrives_as_json(enter: Enter, serve: Serve, what: str) -> None:
    serve(Give)

    assert enter().submit(Give(what=what)).result(timeout=10) == GOOD[what][1]


@pytest.mark.parametrize("what", BAD)
def test_a_result_that_is_not_json_fails_the_job_with_a_clear_word(
    enter: Enter, serve: Serve, what: str
) -> None:
    serve(Give)

    with pytest.raises(JobFailed) as raised:
        enter().submit(Give(what=what)).result(timeout=10)
    assert str(raised.value) == f"TypeError: run() returned {BAD[what][1]}, which is not JSON"


def test_a_result_that_is_no_number_does_not_become_one(enter: Enter, serve: Serve) -> None:
    """JSON has no NaN: it is null, or the job fails; it is never a number."""
    Give.gifts["not a number"] = lambda: {"mean": float("nan")}
    serve(Give)

    assert enter().submit(Give(what="not a number")).result(timeout=10) == {"mean": None}


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
