"""Figures and images: matplotlib, Plotly, Altair, Pillow."""

from __future__ import annotations

import io
from typing import TYPE_CHECKING, Any

import orjson

from workroom.runtime.results.envelopes import TYPE

if TYPE_CHECKING:
    from workroom.runtime.results.encoding import Encoder

_DPI = 144
_PNG_MODES = ("1", "L", "LA", "P", "RGB", "RGBA", "I;16")
_OPTIONS = orjson.OPT_SERIALIZE_NUMPY | orjson.OPT_NON_STR_KEYS


def matplotlib(figure: Any, encoder: Encoder) -> Any:
    buffer = io.BytesIO()
    figure.savefig(buffer, format="png", dpi=_DPI, bbox_inches="tight")
    return encoder.contents.of_bytes(buffer.getvalue(), "image/png")


def artist(value: Any, encoder: Encoder) -> Any:
    """Axes and other parts of a figure stand for the whole of it."""
    return matplotlib(value.figure, encoder)


def plotly(figure: Any, encoder: Encoder) -> Any:
    return {TYPE: "plotly", "figure": _json(figure.to_plotly_json())}


def altair(chart: Any, encoder: Encoder) -> Any:
    return {TYPE: "vega-lite", "spec": _json(chart.to_dict())}


def pillow(image: Any, encoder: Encoder) -> Any:
    buffer = io.BytesIO()
    (image if image.mode in _PNG_MODES else image.convert("RGB")).save(buffer, format="PNG")
    return encoder.contents.of_bytes(buffer.getvalue(), "image/png")


def _json(document: Any) -> orjson.Fragment:
    """In a figure a missing number is null, as orjson writes it."""
    return orjson.Fragment(orjson.dumps(document, default=_plain, option=_OPTIONS))


def _plain(value: Any) -> Any:
    if hasattr(value, "tolist"):
        return value.tolist()
    return str(value)
