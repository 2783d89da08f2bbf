"""Decodes results into natural Python values, for `job.result()`."""

from __future__ import annotations

from base64 import b64decode
from collections.abc import Callable, Iterator, Mapping
from dataclasses import dataclass
from typing import Any

from workroom.runtime.results.envelopes import TYPE, floats_of


@dataclass(frozen=True, slots=True)
class ResultFile:
    """A file that a job returned. `job.download(file.name)` fetches it."""

    name: str
    media_type: str
    size: int
    sha256: str


def decode_result(value: Any, contents: Mapping[str, bytes] | None = None) -> Any:
    """`contents` has the artifacts that `content_names` lists."""
    return _decode(value, contents or {})


def content_names(value: Any) -> set[str]:
    """The artifacts that hold contents too large for the result itself."""
    return {each["artifact"] for each in _envelopes(value) if each[TYPE] == "bytes" and "artifact" in each}


def _envelopes(value: Any) -> Iterator[dict[str, Any]]:
    if isinstance(value, dict):
        if TYPE in value:
            yield value
        for each in value.values():
            yield from _envelopes(each)
    elif isinstance(value, list):
        for each in value:
            yield from _envelopes(each)


def _decode(value: Any, contents: Mapping[str, bytes]) -> Any:
    if isinstance(value, list):
        return [_decode(each, contents) for each in value]
    if not isinstance(value, dict):
        return value
    decode = _DECODERS.get(str(value.get(TYPE)))
    if decode is not None:
        try:
            return decode(value, contents)
        except (KeyError, TypeError, ValueError, AttributeError):
            pass  # not an envelope of ours after all: the object is a value like any other
    return {name: _decode(each, contents) for name, each in value.items()}


def _complex(real: Any, imaginary: Any) -> Any:
    if isinstance(real, list):
        return [_complex(*pair) for pair in zip(real, imaginary, strict=True)]
    return complex(real, imaginary)


def _bytes(envelope: dict[str, Any], contents: Mapping[str, bytes]) -> bytes:
    if "artifact" in envelope:
        return contents[envelope["artifact"]]
    return b64decode(envelope["base64"], validate=True)


def _map(envelope: dict[str, Any], contents: Mapping[str, bytes]) -> dict[Any, Any]:
    return {_key(_decode(key, contents)): _decode(each, contents) for key, each in envelope["items"]}


def _key(value: Any) -> Any:
    return tuple(map(_key, value)) if isinstance(value, list) else value


def _table(envelope: dict[str, Any], contents: Mapping[str, bytes]) -> list[dict[str, Any]]:
    """Records, as `csv.DictReader` gives them."""
    columns = {name: _decode(each, contents) for name, each in envelope["columns"].items()}
    return [dict(zip(columns, row, strict=True)) for row in zip(*columns.values(), strict=True)]


def _file(envelope: dict[str, Any], contents: Mapping[str, bytes]) -> ResultFile:
    return ResultFile(envelope["artifact"], envelope["media_type"], int(envelope["size"]), envelope["sha256"])


def _text(envelope: dict[str, Any], contents: Mapping[str, bytes]) -> str:
    return str(envelope["text"])


def _stream(envelope: dict[str, Any], contents: Mapping[str, bytes]) -> list[Any]:
    return [_decode(each, contents) for each in envelope["items"]]


_DECODERS: dict[str, Callable[[dict[str, Any], Mapping[str, bytes]], Any]] = {
    "float": lambda envelope, _: floats_of(envelope["value"]),
    "int": lambda envelope, _: int(envelope["value"]),
    "complex": lambda envelope, _: _complex(floats_of(envelope["real"]), floats_of(envelope["imag"])),
    "bytes": _bytes,
    "file": _file,
    "map": _map,
    "table": _table,
    "stream": _stream,
    "plotly": lambda envelope, _: envelope["figure"],
    "vega-lite": lambda envelope, _: envelope["spec"],
    "atoms": _text,
    "html": _text,
    "markdown": _text,
    "repr": _text,
}
