"""Plotly figures as plain JSON, without Plotly. The points of a trace know their frames by `customdata`."""

from __future__ import annotations

from collections.abc import Iterable, Sequence
from typing import TYPE_CHECKING, Any

import numpy as np

if TYPE_CHECKING:
    from workroom import JobContext

Figure = dict[str, Any]
MAX_POINTS = 20_000  # of one trace: a document holds 1 MB
_INTERACTIONS = {"interactions": [{"click": "step", "select": "step", "hover": "step"}]}


def draw(room: Any, job: JobContext, name: str, figure: Figure) -> None:
    """Keep a figure in the room, and show it beside the result of the job."""
    room.figures[name] = figure
    job.show(figure, kind="plotly")


def frame_figure(title: str, y_title: str, frames: Sequence[int], y: Any) -> Figure:
    """A value per frame: a click on a point goes to its frame."""
    return points_figure(title, "frame", y_title, frames, y, frames, mode="lines+markers")


def points_figure(
    title: str,
    x_title: str,
    y_title: str,
    x: Any,
    y: Any,
    frames: Sequence[int],
    *,
    mode: str = "markers",
    colour: Any = None,
) -> Figure:
    """Points that belong to frames."""
    kept = _kept(len(frames))
    numbers = [int(frames[each]) for each in kept]
    trace: dict[str, Any] = {
        "type": "scatter",
        "mode": mode,
        "x": _numbers(x, kept),
        "y": _numbers(y, kept),
        "customdata": [[number] for number in numbers],
        "meta": _INTERACTIONS,
        "name": y_title,
        "hovertemplate": f"frame %{{customdata[0]}}<br>{x_title}: %{{x}}<br>{y_title}: %{{y}}<extra></extra>",
    }
    if colour is not None:
        trace["marker"] = {"color": _numbers(colour, kept), "showscale": True}
    return _figure(title, x_title, y_title, [trace])


def line_figure(
    title: str, x_title: str, y_title: str, x: Any, y: Any, examples: Sequence[list[int]] | None = None
) -> Figure:
    """A line. Its points belong to no frame, but may have an example each: a frame, and atoms of it."""
    kept = _kept(len(x))
    trace: dict[str, Any] = {
        "type": "scatter",
        "mode": "lines",
        "name": y_title,
        "x": _numbers(x, kept),
        "y": _numbers(y, kept),
    }
    if examples is not None:
        trace |= {
            "mode": "lines+markers",
            "marker": {"size": 4},
            "customdata": [examples[each] for each in kept],
        }
    return _figure(title, x_title, y_title, [trace])


def lines_figure(title: str, x_title: str, y_title: str, x: Any, lines: dict[str, Any]) -> Figure:
    kept = _kept(len(x))
    traces = [
        {"type": "scatter", "mode": "lines", "name": name, "x": _numbers(x, kept), "y": _numbers(y, kept)}
        for name, y in lines.items()
    ]
    return _figure(title, x_title, y_title, traces)


def bars_figure(title: str, x_title: str, y_title: str, bars: dict[str, tuple[Any, Any]]) -> Figure:
    traces = [
        {"type": "bar", "name": name, "x": [_number(each) for each in x], "y": [_number(each) for each in y]}
        for name, (x, y) in bars.items()
    ]
    return _figure(title, x_title, y_title, traces)


def _figure(title: str, x_title: str, y_title: str, traces: list[dict[str, Any]]) -> Figure:
    return {
        "data": traces,
        "layout": {
            "title": {"text": title},
            "xaxis": {"title": {"text": x_title}},
            "yaxis": {"title": {"text": y_title}},
            "hovermode": "closest",
            "dragmode": "lasso" if "customdata" in traces[0] else "zoom",
            "showlegend": len(traces) > 1,
        },
    }


def _kept(count: int) -> range:
    """Every n-th point, where there are more than a figure should have."""
    return range(0, count, max(1, -(-count // MAX_POINTS)))


def _numbers(values: Any, kept: Iterable[int]) -> list[Any]:
    return [_number(values[each]) for each in kept]


def _number(value: Any) -> Any:
    """JSON has no NaN and no infinity: such points are left out."""
    if isinstance(value, str):
        return value
    number = value.item() if isinstance(value, np.generic) else value
    return number if isinstance(number, int) or (number is not None and np.isfinite(number)) else None
