"""Encodes and decodes JSON: refuses what cannot be stored, replaces lone surrogates."""

from __future__ import annotations

import json
from typing import Any, NoReturn

import orjson

from workroom.errors import InvalidRequest

MAX_DEPTH = 254  # levels that orjson encodes


def encoded(value: Any, what: str, option: int = 0, around: int = 0) -> bytes:
    """`around` levels are left for the documents that will contain the value."""
    for _ in range(around):
        value = [value]
    try:
        found = orjson.dumps(value, option=option)
    except TypeError as error:
        raise InvalidRequest(
            f"{what} is nested too deeply: at most {MAX_DEPTH - around} levels can be stored"
        ) from error
    return compact(found[around : len(found) - around] if around else found)


def compact(encoded: bytes) -> bytes:
    """The same bytes without the buffer around them, for what is kept.

    `orjson.dumps` reserves 4 kB or more, 8 MB for a list of 30,000 empty objects, and gives none of it back.
    """
    return b"".join((encoded, b""))


def unfit(value: Any, max_bytes: int) -> str | None:
    """Why a value cannot be stored as a part of a document; None if it can."""
    try:
        size = len(orjson.dumps([[[[value]]]])) - 8  # a few levels are left for the document
    except TypeError:
        return f"they are nested too deeply; at most {MAX_DEPTH - 4} levels are kept"
    return f"they have {size:,} bytes; at most {max_bytes:,} are kept" if size > max_bytes else None


def decode(text: str | bytes) -> Any:
    """Decode JSON. An escaped surrogate without its other half becomes U+FFFD, as in `toWellFormed()`.

    JavaScript texts may hold such halves; UTF-8 and the stores cannot. Raises `orjson.JSONDecodeError`.
    """
    try:
        return orjson.loads(text)
    except orjson.JSONDecodeError:
        well_formed = _well_formed(text)
        if well_formed is None:
            raise
        return orjson.loads(well_formed)


def _well_formed(text: str | bytes) -> bytes | None:
    """The same JSON without lone surrogates, if it may have any and is JSON otherwise."""
    try:
        unescaped = text.decode() if isinstance(text, bytes) else text
        if "\\ud" not in unescaped and "\\uD" not in unescaped:
            return None
        value = json.loads(unescaped, parse_constant=_refuse)
        written = json.dumps(value, ensure_ascii=False)
    except (ValueError, RecursionError):
        return None
    return written.encode("utf-16-le", "surrogatepass").decode("utf-16-le", "replace").encode()


def _refuse(constant: str) -> NoReturn:
    raise ValueError(f"{constant} is not JSON")
