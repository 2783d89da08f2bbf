"""What files may be called, and how they are shown."""

from __future__ import annotations

import pytest

from workroom.domain.files import FileKind, file_name, kind_of, media_type_of
from workroom.errors import InvalidName, InvalidRequest


@pytest.mark.parametrize("name", ["plot.png", "a b.txt", "..hidden", "Grüße ☃.md", "👩‍🔬.txt", "x" * 200])
def test_a_name_that_can_be_seen_is_kept(name: str) -> None:
    assert file_name(name) == name


def test_two_ways_to_write_a_name_are_one_name() -> None:
    assert file_name("Gru\u0308sse") == file_name("Grüsse") == "Grüsse"


ODD = ["", " ", ".", "..", "...", "a/b", "a\\b", "/etc/passwd", " a", "a ", "x" * 201]
HIDDEN = ["a\nb", "a\0b", "a\u202egnp", "\ufeffa", "a\u2028b", "\ud800"]


@pytest.mark.parametrize("name", ODD + HIDDEN)
def test_a_name_that_hides_or_leads_elsewhere_is_refused(name: str) -> None:
    with pytest.raises(InvalidName):
        file_name(name)


KINDS = {
    ("plot.png", None): FileKind.IMAGE,
    ("drawing.svg", None): FileKind.IMAGE,
    ("run.mp4", None): FileKind.VIDEO,
    ("voice.wav", None): FileKind.AUDIO,
    ("table.csv", None): FileKind.TABLE,
    ("table.parquet", None): FileKind.TABLE,
    ("table.csv", "text/plain"): FileKind.TABLE,
    ("notes.txt", None): FileKind.TEXT,
    ("script.py", None): FileKind.TEXT,
    ("README.md", None): FileKind.MARKDOWN,
    ("result.json", None): FileKind.JSON,
    ("figure.plotly.json", None): FileKind.PLOT,
    ("figure", "application/vnd.plotly.v1+json"): FileKind.PLOT,
    ("water.xyz", None): FileKind.XYZ,
    ("water.extxyz", "text/plain"): FileKind.XYZ,
    ("all.zip", None): FileKind.ARCHIVE,
    ("all.tar.gz", None): FileKind.ARCHIVE,
    ("model.bin", None): FileKind.FILE,
    ("noname", None): FileKind.FILE,
    ("noname", "image/png; q=1"): FileKind.IMAGE,
}


@pytest.mark.parametrize(("name", "given"), KINDS)
def test_the_kind_of_a_file(name: str, given: str | None) -> None:
    assert kind_of(name, media_type_of(name, given)) is KINDS[name, given]


@pytest.mark.parametrize("given", ["nonsense", "a/b/c", "text/", "te xt/plain", "text/plain\r\nx: y"])
def test_what_is_no_media_type_is_refused(given: str) -> None:
    with pytest.raises(InvalidRequest):
        media_type_of("a.txt", given)
