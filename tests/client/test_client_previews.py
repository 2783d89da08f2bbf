"""What job.show() takes. Stand-ins have the methods of the libraries, which are not needed here."""

from __future__ import annotations

import struct
import zlib
from typing import Any, BinaryIO

import orjson
import pytest

from workroom.runtime.previews import render_preview

PNG = b"\x89PNG\r\n\x1a\n"


class Figure:
    """As of matplotlib."""

    def savefig(self, file: BinaryIO, format: str) -> None:
        file.write(PNG + format.encode())


class Axes:
    def get_figure(self) -> Figure:
        return Figure()


class Image:
    """As of Pillow."""

    mode = "RGB"

    def save(self, file: BinaryIO, format: str) -> None:
        file.write(PNG + format.encode())


class Plot:
    """As of plotly."""

    def to_plotly_json(self) -> dict[str, Any]:
        return {"data": [{"y": Numbers()}], "layout": {}}


class Numbers:
    def tolist(self) -> list[int]:
        return [1, 2]


class Atoms:
    """As of ASE."""

    def get_positions(self) -> list[list[float]]:
        return [[0, 0, 0], [0, 0, 0.74]]

    def get_chemical_symbols(self) -> list[str]:
        return ["H", "H"]


@pytest.mark.parametrize(
    ("thing", "kind", "body"),
    [
        ("plain", "text", b"plain"),
        ({"a": 1}, "json", b'{"a":1}'),
        ([1, 2], "json", b"[1,2]"),
        (Figure(), "png", PNG + b"png"),
        (Axes(), "png", PNG + b"png"),
        (Image(), "png", PNG + b"PNG"),
        (PNG + b"ready", "png", PNG + b"ready"),
        (Atoms(), "xyz", b"2\n\nH 0.00000000 0.00000000 0.00000000\nH 0.00000000 0.00000000 0.74000000\n"),
    ],
)
def test_a_thing_is_shown_as_what_it_is(thing: Any, kind: str, body: bytes) -> None:
    assert render_preview(thing) == (kind, body)


def test_a_plot_is_shown_as_its_document() -> None:
    kind, body = render_preview(Plot())

    assert kind == "plotly"
    assert orjson.loads(body) == {"data": [{"y": [1, 2]}], "layout": {}}


def test_who_names_the_kind_is_believed() -> None:
    assert render_preview("# Title", "markdown") == ("markdown", b"# Title")
    assert render_preview({"data": []}, "plotly") == ("plotly", b'{"data":[]}')
    with pytest.raises(ValueError, match="movie"):
        render_preview("x", "movie")


@pytest.mark.parametrize("thing", [object(), 42, b"no image", None])
def test_what_cannot_be_shown_is_refused_with_a_clear_word(thing: Any) -> None:
    with pytest.raises(TypeError, match=type(thing).__name__):
        render_preview(thing)


def pixels_of(png: bytes) -> tuple[int, int, int, bytes]:
    """Width, height, colour type and the lines, from a PNG with one IDAT."""
    assert png.startswith(PNG)
    chunks, at = {}, 8
    while at < len(png):
        length, name = struct.unpack(">I4s", png[at : at + 8])
        chunks[name] = png[at + 8 : at + 8 + length]
        (check,) = struct.unpack(">I", png[at + 8 + length : at + 12 + length])
        assert check == zlib.crc32(name + chunks[name])
        at += 12 + length
    width, height, depth, colour = struct.unpack(">IIBB", chunks[b"IHDR"][:10])
    assert depth == 8
    return width, height, colour, zlib.decompress(chunks[b"IDAT"])


def test_an_array_of_pixels_becomes_an_image() -> None:
    np = pytest.importorskip("numpy")
    gray = np.array([[0, 255, 7]], dtype="uint8")
    assert pixels_of(render_preview(gray)[1]) == (3, 1, 0, b"\0\x00\xff\x07")
    assert pixels_of(render_preview(np.array([[1.0], [3.0]]))[1]) == (1, 2, 0, b"\0\x00\0\xff")
    rgb = np.array([[[0.0, 0.5, 1.0]]])
    assert pixels_of(render_preview(rgb)[1]) == (1, 1, 2, b"\0\x00\x7f\xff")
    rgba = np.zeros((2, 2, 4), dtype="uint8")
    assert pixels_of(render_preview(rgba)[1])[:3] == (2, 2, 6)
    with pytest.raises(ValueError, match="H x W"):
        render_preview(np.zeros(3))
