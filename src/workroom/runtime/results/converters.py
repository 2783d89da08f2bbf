"""Which function converts which class. Classes are found by name, so that no library is imported for this."""

from __future__ import annotations

import os
from collections.abc import Callable
from functools import lru_cache
from pathlib import Path
from typing import TYPE_CHECKING, Any

from workroom.runtime.results import arrays, atoms, figures, frames
from workroom.runtime.results.envelopes import complex_envelope, text_envelope

if TYPE_CHECKING:
    from workroom.runtime.results.encoding import Encoder

Converter = Callable[[Any, "Encoder"], Any]


def _bytes(value: Any, encoder: Encoder) -> Any:
    return encoder.contents.of_bytes(bytes(value))


def _path(value: os.PathLike[str], encoder: Encoder) -> Any:
    return encoder.contents.of_file(Path(value))


def _complex(value: complex, encoder: Encoder) -> Any:
    return complex_envelope(value.real, value.imag)


def _range(value: Any, encoder: Encoder) -> Any:
    return encoder.encode_list(value)


_BY_NAME: dict[str, Converter] = {
    "builtins.bytes": _bytes,
    "builtins.bytearray": _bytes,
    "builtins.memoryview": _bytes,
    "builtins.complex": _complex,
    "builtins.range": _range,
    "array.array": _range,
    "collections.deque": _range,
    "pathlib.PurePath": _path,
    "numpy.ndarray": arrays.array,
    "numpy.generic": arrays.scalar,
    "pandas.DataFrame": frames.pandas_frame,
    "pandas.Series": frames.pandas_series,
    "pandas.Index": frames.pandas_index,
    "polars.DataFrame": frames.polars_frame,
    "polars.LazyFrame": frames.polars_lazy,
    "polars.Series": frames.polars_series,
    "matplotlib.Figure": figures.matplotlib,
    "matplotlib.Artist": figures.artist,
    "seaborn.Grid": figures.artist,
    "plotly.BaseFigure": figures.plotly,
    "altair.TopLevelMixin": figures.altair,
    "PIL.Image": figures.pillow,
    "ase.Atoms": atoms.ase,
}

_SELF_RENDERING: tuple[tuple[str, Converter], ...] = (
    ("_repr_png_", lambda value, encoder: encoder.contents.of_bytes(value._repr_png_(), "image/png")),
    (
        "_repr_svg_",
        lambda value, encoder: encoder.contents.of_bytes(value._repr_svg_().encode(), "image/svg+xml"),
    ),
    ("_repr_html_", lambda value, encoder: text_envelope("html", value._repr_html_())),
    ("_repr_markdown_", lambda value, encoder: text_envelope("markdown", value._repr_markdown_())),
    ("__array__", lambda value, encoder: encoder.encode(value.__array__())),
)


@lru_cache(maxsize=1000)
def converter_of(kind: type) -> Converter | None:
    """By the class or one it inherits from; else by how the object shows itself in a notebook."""
    for each in kind.__mro__:
        found = _BY_NAME.get(f"{each.__module__.partition('.')[0]}.{each.__name__}")
        if found is not None:
            return found
    return next((convert for method, convert in _SELF_RENDERING if hasattr(kind, method)), None)
