"""An extension that returns a value of every kind that the page can show.

Libraries are imported where they are used: the tests only read the names, and importing all takes seconds.
"""

from __future__ import annotations

import io
import math
import struct
import tempfile
import time
import wave
from collections.abc import Callable, Iterator
from dataclasses import dataclass
from datetime import UTC, datetime
from pathlib import Path
from typing import Any

from pydantic import BaseModel

from workroom import Extension, JobContext


class Cell(BaseModel):
    a: float = 5.43
    periodic: bool = True
    made: datetime = datetime(2024, 2, 29, 12, 30, tzinfo=UTC)


@dataclass
class Fit:
    slope: float
    intercept: float
    residuals: Any


class Strange:
    def __repr__(self) -> str:
        return "<Strange thing at large>"


class Report:
    def _repr_html_(self) -> str:
        return (
            "<style>p {color: teal}</style><h2>Report</h2><p>All is well.</p><script>top.hacked = 1</script>"
        )


def _matplotlib() -> Any:
    import numpy as np
    from matplotlib.figure import Figure

    figure = Figure(figsize=(5, 3))
    axes = figure.subplots()
    x = np.linspace(0, 10, 200)
    axes.plot(x, np.sin(x), label="sin")
    axes.plot(x, np.cos(x), label="cos")
    axes.set(xlabel="time (s)", ylabel="amplitude", title="Waves")
    axes.legend()
    return figure


def _plotly() -> Any:
    import numpy as np
    import plotly.graph_objects as go

    x = np.linspace(0, 10, 100)
    figure = go.Figure([go.Scatter(x=x, y=np.sin(x), name="sin"), go.Scatter(x=x, y=np.cos(x), name="cos")])
    return figure.update_layout(title="Two waves", xaxis_title="time")


def _surface() -> Any:
    import plotly.graph_objects as go

    return go.Figure(go.Heatmap(z=_gaussian(30)))


def _altair() -> Any:
    import altair
    import pandas as pd

    frame = pd.DataFrame({"month": ["Jan", "Feb", "Mar", "Apr"], "rain": [42, 31, 55, 20]})
    return altair.Chart(frame, title="Rain").mark_bar().encode(x=altair.X("month", sort=None), y="rain")


def _frame() -> Any:
    import numpy as np
    import pandas as pd

    numbers = np.arange(30)
    return pd.DataFrame(
        {
            "element": [["H", "He", "Li"][each % 3] for each in numbers],
            "energy": np.where(numbers == 4, np.nan, np.round(-13.6 / (numbers + 1) ** 2, 4)),
            "count": numbers * 1000,
        }
    )


def _picture(colour: str = "teal", size: int = 200) -> Any:
    from PIL import Image, ImageDraw

    image = Image.new("RGB", (size, size * 3 // 4), "white")
    ImageDraw.Draw(image).ellipse((size // 8, size // 8, size // 2, size // 2), fill=colour)
    return image


def _noise(height: int, width: int) -> Any:
    import numpy as np

    return np.random.default_rng(0).integers(0, 255, (height, width, 3), dtype="uint8")


def _large_image() -> Any:
    """Too large to be part of the result."""
    from PIL import Image

    return Image.fromarray(_noise(160, 240))


def _series() -> Any:
    import pandas as pd

    return pd.Series({"mean": 1.5, "std": 0.2}, name="value")


def _polars() -> Any:
    import polars as pl

    return pl.DataFrame({"city": ["Ulm", "Bonn"], "people": [126_000, None]})


def _array(*values: Any) -> Any:
    import numpy as np

    return np.array(values)


def _water() -> Any:
    import ase

    return ase.Atoms("OH2", [(0, 0, 0), (0, 0.76, 0.59), (0, -0.76, 0.59)])


def _sound() -> bytes:
    buffer = io.BytesIO()
    with wave.open(buffer, "wb") as file:
        file.setparams((1, 2, 8000, 0, "NONE", "not compressed"))
        tone = (int(8000 * math.sin(each / 3)) for each in range(4000))
        file.writeframes(b"".join(struct.pack("<h", each) for each in tone))
    return buffer.getvalue()


def _pdf() -> bytes:
    buffer = io.BytesIO()
    _matplotlib().savefig(buffer, format="pdf")
    return buffer.getvalue()


def _saved(name: str, content: bytes) -> Path:
    path = Path(tempfile.mkdtemp()) / name
    path.write_bytes(content)
    return path


def _gaussian(side: int) -> Any:
    import numpy as np

    grid = np.linspace(-2, 2, side)
    x, y = np.meshgrid(grid, grid)
    return np.exp(-(x**2) - y**2)


SVG = b'<svg xmlns="http://www.w3.org/2000/svg" width="80" height="80"><circle cx="40" cy="40" r="30"/></svg>'
MARKDOWN = """# Method

The energy is $E = mc^2$, and

$$\\int_0^1 x^2 \\, dx = \\frac{1}{3}$$

```python
def area(radius: float) -> float:
    return 3.14 * radius ** 2  # roughly
```

| element | mass |
|---|---|
| H | 1.008 |
"""

RESULTS: dict[str, Callable[[], Any]] = {
    "nothing": lambda: None,
    "number": lambda: 3.14159265,
    "boolean": lambda: True,
    "not a number": lambda: float("nan"),
    "large integer": lambda: 2**70,
    "complex number": lambda: 1 - 2j,
    "text": lambda: "All is well.",
    "link": lambda: "https://example.org/paper?id=1",
    "time": lambda: {"finished": datetime(2024, 2, 29, 12, 30, tzinfo=UTC)},
    "flat dict": lambda: {"pi": 3.14159265, "samples": 1_000_000, "converged": True, "worst": -math.inf},
    "model": Cell,
    "dataclass": lambda: Fit(2.0, 1.5, _array(0.1, -0.2, 0.05, 0.3)),
    "numbers": lambda: [math.sin(each / 5) for each in range(60)],
    "numbers with gaps": lambda: [1.0, 2.0, math.nan, 4.0, 3.0],
    "points": lambda: {"x": [0, 1, 2, 3], "y": [0, 1, 4, 9]},
    "curves": lambda: [{"epoch": each, "loss": 1 / (each + 1), "accuracy": each / 30} for each in range(30)],
    "small matrix": lambda: _array([1.0, 0.5], [0.5, math.inf]),
    "matrix": lambda: _gaussian(40),
    "pixels": lambda: _noise(64, 64),
    "records": lambda: [{"word": "it", "count": 6}, {"word": "was", "count": 12}],
    "nested records": lambda: [{"name": f"run {n}", "fit": {"slope": n / 7, "ok": n > 2}} for n in range(12)],
    "pandas frame": _frame,
    "pandas series": _series,
    "polars frame": _polars,
    "matplotlib": _matplotlib,
    "plotly": _plotly,
    "plotly heatmap": _surface,
    "altair": _altair,
    "image": _picture,
    "large image": _large_image,
    "gallery": lambda: [_picture(each) for each in ("teal", "orange", "crimson", "navy", "gold")],
    "svg": lambda: _saved("drawing.svg", SVG),
    "bytes": lambda: b"\x00\x01\x02",
    "sound": _sound,
    "video": lambda: b"\x00\x00\x00\x18ftypmp42" + b"\x00" * 64,
    "pdf": _pdf,
    "markdown": lambda: MARKDOWN,
    "html": Report,
    "csv file": lambda: _saved("people.csv", b"name,age\nada,36\nbob,7\n"),
    "text file": lambda: {"log": _saved("notes.txt", b"some notes"), "lines": 1},
    "atoms": _water,
    "parts": lambda: {"words": 2, "table": [{"name": "ada"}, {"name": "bob"}], "picture": _picture()},
    "deep": lambda: {"deep": {"deeper": [1, {"deepest": [[["here"]]]}]}},
    "large array": lambda: [[[0.0] * 5] * 64] * 64,
    "large result": lambda: [{"row": each, "text": "x" * 60} for each in range(20_000)],
    "strange": Strange,
    "hostile plot": lambda: {
        "data": [{"x": [0, 1e6], "y": [0, 1]}],
        "layout": {
            "xaxis": {"dtick": 1e-6},
            "yaxis": {"minor": {"dtick": 1e-9}},
            "title": {"text": "hostile"},
        },
    },
    "hostile chart": lambda: {
        "$schema": "https://vega.github.io/schema/vega-lite/v6.json",
        "data": {"sequence": {"start": 0, "stop": 1e9}},
        "mark": "point",
    },
}


class Give(Extension, category="results"):
    """Returns a value of one kind."""

    what: str = "number"

    def run(self, job: JobContext) -> Any:
        return RESULTS[self.what]()


class Drip(Extension, category="results"):
    """Yields a first item at once, and the second when a file exists."""

    kind: str = "text"
    gate: str = ""

    def run(self, job: JobContext) -> Iterator[Any]:
        if self.kind == "preview":
            job.show("half way")
            return
        first, second = self._items()
        yield first
        if self.kind == "failure":
            raise ValueError("no more")
        while not Path(self.gate).exists():
            job.check()
            time.sleep(0.02)
        yield second

    def _items(self) -> tuple[Any, Any]:
        if self.kind == "images":
            return _picture("teal"), _picture("orange")
        if self.kind == "records":
            return {"step": 0, "loss": 1.0}, {"step": 1, "loss": 0.5}
        return "one ", "two "
