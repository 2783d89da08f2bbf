"""What run() may return: encoded with the real libraries, and decoded as the SDK does."""

from __future__ import annotations

import io
import math
import subprocess
import sys
from collections import deque
from collections.abc import Callable
from dataclasses import dataclass
from datetime import UTC, date, datetime, timedelta
from decimal import Decimal
from enum import Enum, IntEnum
from pathlib import Path
from typing import Any

import altair
import ase
import matplotlib as mpl
import numpy as np
import orjson
import pandas as pd
import plotly.graph_objects as go
import polars as pl
import pytest
from matplotlib.figure import Figure
from PIL import Image
from pydantic import BaseModel, SecretStr

from workroom.errors import JobCancelled
from workroom.runtime.results import ResultFile, content_names, decode_result, encode_result

mpl.use("agg")
PNG = b"\x89PNG\r\n\x1a\n"


class Point(BaseModel):
    x: float
    payload: bytes = b""
    key: SecretStr | None = None


@dataclass
class Pair:
    left: Any
    right: Any


class Colour(Enum):
    RED = "red"


class Level(IntEnum):
    HIGH = 3


class Strange:
    def __repr__(self) -> str:
        return "<strange thing>"


class Rude:
    def __repr__(self) -> str:
        raise RuntimeError("no")


class Table:
    def _repr_html_(self) -> str:
        return "<table><tr><td>1</td></tr></table>"


class Note:
    def _repr_markdown_(self) -> str:
        return "*hi*"


class Tensor:
    """As of PyTorch: not an array, but gives one."""

    def __array__(self) -> Any:
        return np.array([1.0, 2.0])


class Artifacts:
    """Keeps what a result saves, as a job does."""

    def __init__(self) -> None:
        self.saved: dict[str, bytes] = {}

    def __call__(self, name: str, source: Any, *, media_type: str | None = None) -> dict[str, Any]:
        content = source if isinstance(source, bytes) else Path(source).read_bytes()
        self.saved[name] = content
        return {
            "name": name,
            "media_type": media_type or "text/csv",
            "size": len(content),
            "sha256": "0" * 64,
        }


def json_of(value: Any, save: Any = None) -> Any:
    encoded = encode_result(value, save)
    assert encoded is not None
    return orjson.loads(encoded)


def round_trip(value: Any) -> Any:
    artifacts = Artifacts()
    document = json_of(value, artifacts)
    return decode_result(document, {name: artifacts.saved[name] for name in content_names(document)})


def figure() -> Figure:
    figure = Figure()
    figure.subplots().plot([1, 3, 2])
    return figure


def _itself() -> list[Any]:
    itself: list[Any] = [1]
    itself.extend([itself, itself])
    return itself


SAME: dict[str, Any] = {
    "a large integer": 2**70,
    "an integer that JavaScript would round": 2**53 + 1,
    "infinity": -math.inf,
    "infinity in a list": [1.0, math.inf, -math.inf, 2],
    "infinity in a list of other things": ["x", math.inf],
    "a complex number": 1 + 2j,
    "bytes": b"\x00\xff",
    "large bytes": b"\x01" * 100_000,
    "a dict with tuples as keys": {(1, "a"): 2, (2, "b"): {"c": math.inf}},
    "a dict with a number and the same number as text": {1: "a", "1": "b", 2: None},
    "a dict in a list whose keys have one name": [{"plain": {1: "a", "1": "b"}}],
    "a dict that looks like an envelope": {"$type": "float", "value": "NaN"},
    "an unknown type": {"$type": "spaceship", "crew": [1]},
    "null beside infinity": {"a": None, "b": math.inf},
    "null": [None],
}

PLAIN: dict[str, tuple[Callable[[], Any], Any]] = {
    "a tuple": (lambda: (1, math.inf), [1, math.inf]),
    "a set": (lambda: {None}, [None]),
    "a deque": (lambda: deque([1, 2]), [1, 2]),
    "a range": (lambda: range(3), [0, 1, 2]),
    "a model": (lambda: Point(x=math.inf, payload=b"a"), {"x": math.inf, "payload": b"a", "key": None}),
    "a secret": (lambda: Point(x=1, key="hush").key, "**********"),
    "a dataclass": (lambda: Pair(math.inf, b"b"), {"left": math.inf, "right": b"b"}),
    "an enum beside null": (lambda: [Colour.RED, Level.HIGH, None], ["red", 3, None]),
    "a date beside null": (lambda: [date(2024, 2, 29), None], ["2024-02-29", None]),
    "a time": (lambda: [datetime(2024, 2, 29, tzinfo=UTC), None], ["2024-02-29T00:00:00+00:00", None]),
    "a duration": (lambda: timedelta(hours=2), "PT2H"),
    "a decimal": (lambda: Decimal("1.50"), "1.50"),
    "no UTF-8": (lambda: "\udcff", "\\udcff"),
    "a path that is no file": (lambda: Path("/nowhere/at/all"), "/nowhere/at/all"),
    "an array": (lambda: np.array([[1, 2], [3, 4]]), [[1, 2], [3, 4]]),
    "an array with infinity": (lambda: np.array([[1.0, np.inf]]), [[1.0, math.inf]]),
    "a transposed array": (lambda: np.array([[1.0, 2.0]]).T, [[1.0], [2.0]]),
    "half precision": (lambda: np.array([0.5, np.inf], dtype="float16"), [0.5, math.inf]),
    "a complex array": (lambda: np.array([[1j]]), [[1j]]),
    "an array of times": (
        lambda: np.array(["2024-02-29", "NaT"], dtype="datetime64[D]"),
        ["2024-02-29T00:00:00", None],
    ),
    "an array of objects": (lambda: np.array([{"a": 1}, None], dtype=object), [{"a": 1}, None]),
    "a structured array": (
        lambda: np.array([(1, 2.5)], dtype=[("n", "i4"), ("x", "f8")]),
        [{"n": 1, "x": 2.5}],
    ),
    "an array without axes": (lambda: np.array(2.5), 2.5),
    "a scalar": (
        lambda: {"a": np.float32(0.5), "b": np.int64(3), "c": np.bool_(True)},
        {"a": 0.5, "b": 3, "c": True},
    ),
    "an infinite scalar": (lambda: np.float64("inf"), math.inf),
    "something like an array": (Tensor, [1.0, 2.0]),
    "a frame": (
        lambda: pd.DataFrame({"n": [1, 2], "x": [1.5, np.inf], "s": ["a", None]}),
        [{"n": 1, "x": 1.5, "s": "a"}, {"n": 2, "x": math.inf, "s": None}],
    ),
    "a frame with an index": (
        lambda: pd.DataFrame({"x": [1]}, index=pd.Index(["a"], name="key")),
        [{"key": "a", "x": 1}],
    ),
    "a frame with times": (
        lambda: pd.DataFrame({"t": pd.to_datetime(["2024-02-29", None])}),
        [{"t": "2024-02-29T00:00:00"}, {"t": None}],
    ),
    "a frame with levels and repeated names": (
        lambda: pd.DataFrame(
            [[1, 2, 3]], columns=pd.MultiIndex.from_tuples([("a", "x"), ("a", "y"), ("a", "x")])
        ),
        [{"a x": 1, "a y": 2, "a x (2)": 3}],
    ),
    "a frame with categories": (
        lambda: pd.DataFrame({"c": pd.Categorical(["u", "v"])}),
        [{"c": "u"}, {"c": "v"}],
    ),
    "a series": (lambda: pd.Series([1.0, np.inf]), [1.0, math.inf]),
    "a series with labels": (
        lambda: pd.Series({"a": 1, "b": 2}),
        [{"index": "a", "value": 1}, {"index": "b", "value": 2}],
    ),
    "an index": (lambda: pd.Index([1, 2]), [1, 2]),
    "a polars frame": (
        lambda: pl.DataFrame({"n": [1, None], "x": [1.5, math.inf], "l": [[1], [2]]}),
        [{"n": 1, "x": 1.5, "l": [1]}, {"n": None, "x": math.inf, "l": [2]}],
    ),
    "a lazy frame": (lambda: pl.LazyFrame({"n": [1]}), [{"n": 1}]),
    "a polars series": (lambda: pl.Series([1, 2]), [1, 2]),
    "what shows itself as HTML": (Table, "<table><tr><td>1</td></tr></table>"),
    "what shows itself as Markdown": (Note, "*hi*"),
    "an object": (lambda: {"a": Strange()}, {"a": "<strange thing>"}),
    "an object without a repr": (Rude, "<Rude that cannot be shown: RuntimeError>"),
    "a class": (lambda: [Strange], ["<class 'test_result_encoding.Strange'>"]),
}


@pytest.mark.parametrize("name", SAME)
def test_a_value_comes_back_as_it_was(name: str) -> None:
    assert round_trip({"in": SAME[name]}) == {"in": SAME[name]}
    assert round_trip(SAME[name]) == SAME[name]


@pytest.mark.parametrize("name", PLAIN)
def test_a_value_comes_back_as_its_plain_counterpart(name: str) -> None:
    make, expected = PLAIN[name]

    assert round_trip(make()) == expected
    assert round_trip([{"in": make()}]) == [{"in": expected}]


def test_not_a_number_is_a_string_in_an_envelope_and_a_float_again() -> None:
    assert json_of({"mean": math.nan}) == {"mean": {"$type": "float", "value": "NaN"}}
    assert json_of([1.0, math.nan]) == {"$type": "float", "value": [1.0, "NaN"]}
    assert math.isnan(round_trip(np.array([[math.nan]]))[0][0])


@pytest.mark.parametrize(
    "make",
    [
        figure,
        lambda: figure().axes[0],
        lambda: Image.new("RGB", (4, 2), "red"),
        lambda: Image.new("CMYK", (4, 2)),
        lambda: Image.fromarray(np.zeros((4, 4), dtype="float32")),
    ],
    ids=["matplotlib", "axes", "an image", "an image in CMYK", "an image of floats"],
)
def test_pictures_become_png(make: Callable[[], Any]) -> None:
    envelope = json_of(make())

    assert (envelope["$type"], envelope["media_type"]) == ("bytes", "image/png")
    assert Image.open(io.BytesIO(decode_result(envelope))).size > (1, 1)


def test_a_plotly_figure_keeps_its_numbers() -> None:
    plot = go.Figure(go.Scatter(x=pd.to_datetime(["2024-02-29", "2024-03-01"]), y=np.array([1.0, np.nan])))

    envelope = json_of(plot)

    assert envelope["$type"] == "plotly"
    assert envelope["figure"]["data"][0]["y"]["dtype"] == "f8"  # Plotly's own form of an array
    assert envelope["figure"]["data"][0]["x"][0].startswith("2024-02-29")
    assert round_trip(plot) == envelope["figure"]


def test_an_altair_chart_is_its_specification() -> None:
    chart = altair.Chart(pd.DataFrame({"a": [1, 2], "b": [3, 4]})).mark_line().encode(x="a:Q", y="b:Q")

    envelope = json_of(chart)

    assert envelope["$type"] == "vega-lite"
    assert "vega-lite" in envelope["spec"]["$schema"]
    assert round_trip(chart)["mark"] == {"type": "line"}


def test_atoms_are_extended_xyz() -> None:
    water = ase.Atoms("OH2", [(0, 0, 0), (0, 0.76, 0.59), (0, -0.76, 0.59)], cell=[5, 5, 5], pbc=True)

    envelope = json_of([water])[0]

    assert (envelope["$type"], envelope["format"], envelope["formula"]) == ("atoms", "extxyz", "H2O")
    lines = envelope["text"].splitlines()
    assert lines[0] == "3"
    assert 'Lattice="5.0' in lines[1]
    assert lines[2].split() == ["O", "0.00000000", "0.00000000", "0.00000000"]


def test_a_path_is_kept_as_a_file(tmp_path: Path) -> None:
    path = tmp_path / "table.csv"
    path.write_bytes(b"a,b\n1,2\n")
    artifacts = Artifacts()

    document = json_of({"left": path, "right": path}, artifacts)

    assert artifacts.saved == {"table.csv": b"a,b\n1,2\n", "table-2.csv": b"a,b\n1,2\n"}
    assert decode_result(document)["left"] == ResultFile("table.csv", "text/csv", 8, "0" * 64)


def test_large_contents_are_artifacts_and_small_ones_are_not() -> None:
    artifacts = Artifacts()

    document = json_of([PNG + b"x" * 50_000, PNG], artifacts)

    assert document[0]["artifact"] == "result.png"
    assert list(artifacts.saved) == ["result.png"]
    assert "base64" in document[1]


def test_contents_that_cannot_be_saved_are_part_of_the_result() -> None:
    def refuse(name: str, source: Any, *, media_type: str | None = None) -> dict[str, Any]:
        raise OSError("disk full")

    assert decode_result(json_of(b"x" * 50_000, refuse)) == b"x" * 50_000


def test_a_cancelled_job_does_not_hide_that_it_was_cancelled() -> None:
    def cancelled(name: str, source: Any, *, media_type: str | None = None) -> dict[str, Any]:
        raise JobCancelled()

    with pytest.raises(JobCancelled):
        encode_result(b"x" * 50_000, cancelled)


@pytest.mark.parametrize(
    ("content", "media_type"),
    [
        (PNG, "image/png"),
        (b"\xff\xd8\xff\xe0", "image/jpeg"),
        (b"%PDF-1.7", "application/pdf"),
        (b"RIFF\0\0\0\0WAVEfmt ", "audio/wav"),
        (b"\0\0\0\x18ftypmp42", "video/mp4"),
        (b"hello", "application/octet-stream"),
    ],
)
def test_bytes_have_the_media_type_of_their_first_bytes(content: bytes, media_type: str) -> None:
    assert json_of(content)["media_type"] == media_type


def test_a_value_that_nothing_knows_has_a_note() -> None:
    envelope = json_of(Strange())

    assert envelope == {
        "$type": "repr",
        "class": "test_result_encoding.Strange",
        "text": "<strange thing>",
        "note": "nothing is known about Strange",
    }


def test_a_list_in_itself_and_a_deep_one_end() -> None:
    assert round_trip(_itself())[1] == "[1, [...], [...]]"
    deep: Any = []
    for _ in range(100_000):
        deep = [deep]
    assert isinstance(json_of(deep), list | dict)


@pytest.mark.parametrize(
    "envelope",
    [
        {"$type": "float", "value": "one"},
        {"$type": "int", "value": "one"},
        {"$type": "bytes", "base64": "§"},
        {"$type": "bytes", "artifact": "missing.bin"},
        {"$type": "map", "items": 3},
        {"$type": "table", "columns": [1]},
        {"$type": "table", "columns": {"a": [1], "b": []}},
        {"$type": ["float"]},
    ],
)
def test_a_malformed_envelope_is_a_value_like_any_other(envelope: Any) -> None:
    assert decode_result(envelope) == envelope


def test_nothing_is_imported_that_the_job_did_not_import() -> None:
    libraries = ["numpy", "pandas", "polars", "matplotlib", "PIL", "plotly", "altair", "ase"]
    code = (
        "import sys, pathlib; from workroom.runtime.results import encode_result as e; "
        "e([1, object(), b'x', float('nan'), pathlib.Path('.')]); "
        f"print([each for each in {libraries} if each in sys.modules])"
    )

    ran = subprocess.run([sys.executable, "-c", code], capture_output=True, text=True, check=True)

    assert ran.stdout.strip() == "[]"
