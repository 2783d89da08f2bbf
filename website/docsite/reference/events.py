"""The events of sockets and streams, from the registry of events and the OpenAPI document."""

from __future__ import annotations

import inspect

from docsite.reference.schemas import Schema, fields, name_of
from docsite.reference.tables import table
from workroom.domain.events import EVENTS, Event

_INTRO = """# Events

What the server sends without being asked, on its Socket.IO socket and in its [streams](../streams.md).
An event travels as a list of items under its name, so that a burst costs one message. What only workers
receive is in [the worker protocol](../protocol.md).

"""


def events_page(document: Schema) -> str:
    kinds = sorted((kind for kind in EVENTS.values() if not kind.for_workers), key=lambda kind: kind.name)
    rows = (
        [
            f"[`{kind.name}`](#{_anchor(kind)})",
            f"`{kind.stream_name}`" if kind.streams else "",
            _streams(kind),
        ]
        for kind in kinds
    )
    parts = [_INTRO, table(["on the socket", "in a stream", "streams of"], rows)]
    parts += [_described(kind, document) for kind in kinds]
    return "\n".join(parts)


def _anchor(kind: type[Event]) -> str:
    return kind.name.replace(":", "").lower()


def _streams(kind: type[Event]) -> str:
    return ", ".join(sorted(stream.value for stream in kind.streams))


def _described(kind: type[Event], document: Schema) -> str:
    body = document["webhooks"][kind.name]["post"]["requestBody"]
    schema = body["content"]["application/json"]["schema"]["items"]
    named = document["components"]["schemas"][name_of(schema["$ref"])] if "$ref" in schema else schema
    volatile = "A connection that does not keep up misses some.\n" if kind.volatile else ""
    doc = inspect.cleandoc(kind.__doc__ or "") if not _is_generated(kind) else ""
    return "\n".join([f"## {kind.name}", "", doc, "", volatile, fields(named)])


def _is_generated(kind: type[Event]) -> bool:
    """Dataclasses without a docstring are given their signature as one."""
    return (kind.__doc__ or "").startswith(f"{kind.__name__}(")
