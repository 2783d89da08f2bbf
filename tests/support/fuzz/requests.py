"""Random requests that nearly fit the OpenAPI document, and name what earlier answers named."""

from __future__ import annotations

import json
import random
import re
from collections import deque
from collections.abc import Mapping
from typing import Any
from urllib.parse import quote

from support.frame_messages import encode
from support.fuzz.values import Json, Values

Schema = Mapping[str, Any]
Route = tuple[str, str, Mapping[str, Any]]  # method, path, and what OpenAPI says of it

_NAMED = re.compile(
    rb'"(?:id|job_id|group|name|key|interaction_id|worker|worker_id|next_after)":"([^"]{1,80})"'
)
_NAMES = ("Fuzz", "Echo", "S1", "analysis", "frames", "notes")
_KEPT = 80
_LONGEST = 0.2  # seconds that a request waits for something
_MOST = 3  # items of a list
_LOGS_OUT = "/api/token/revoke"


class Requests:
    def __init__(self, rng: random.Random, document: Schema, room: str) -> None:
        self.rng = rng
        self.values = Values(rng)
        self._document = document
        self._room = room
        self._known: deque[str] = deque(maxlen=_KEPT)
        self._routes: list[Route] = [
            (method.upper(), path, route)
            for path, methods in document["paths"].items()
            for method, route in methods.items()
            if not path.endswith("/stream") and path != _LOGS_OUT
        ]

    def learn(self, answer: bytes) -> None:
        """Keep some of the names in it."""
        found = _NAMED.findall(answer[:20_000])
        for name in self.rng.sample(found, min(len(found), _MOST)):
            self._known.append(name.decode(errors="replace"))

    def request(self) -> tuple[str, str, str, bytes]:
        """Method, target, media type and body."""
        method, path, route = self.rng.choice(self._routes)
        media_type, body = self._body(route.get("requestBody", {}).get("content", {}))
        return method, self._filled(path) + self._query(route), media_type, body

    def _body(self, content: Schema) -> tuple[str, bytes]:
        if not content:
            return "application/json", b""
        media_type, described = self.rng.choice(list(content.items()))
        if "json" not in media_type:
            message = encode(self.rng.randrange(1, 4), value={"energy": 1.5})
            media_type = media_type.replace("*/*", "application/octet-stream")
            return media_type, self.values.damaged(message) if self.rng.random() < 0.4 else message
        body = self.fitting(described["schema"])
        if self.rng.random() < 0.6:
            return media_type, json.dumps(quick(body)).encode()
        return media_type, self.values.encode(quick(self.values.spoilt(body, 0.1)))

    def _filled(self, path: str) -> str:
        def fill(found: re.Match[str]) -> str:
            name = found[1]
            usual = {"room": self._room, "category": "analysis", "scope": "room"}.get(name)
            text = usual if usual is not None and self.rng.random() < 0.8 else self._name()
            return quote(text.encode("utf-8", "replace"), safe="")

        return re.sub(r"\{(\w+)\}", fill, path)

    def _query(self, route: Schema) -> str:
        pairs = [
            (each["name"], quick({each["name"]: self.fitting(each["schema"])})[each["name"]])
            for each in route.get("parameters", ())
            if each["in"] == "query" and (each["required"] or self.rng.random() < 0.3)
        ]
        texts = [f"{name}={quote(str(value).encode('utf-8', 'replace'), safe='')}" for name, value in pairs]
        return f"?{'&'.join(texts)}" if texts else ""

    def _name(self) -> str:
        if self.rng.random() < 0.03:
            return self.values.text()
        return self.rng.choice(self._known if self._known and self.rng.random() < 0.6 else _NAMES)

    def fitting(self, schema: Schema, depth: int = 6) -> Json:
        """A value that fits, as far as types, names and bounds are concerned."""
        if "$ref" in schema:
            schema = self._document["components"]["schemas"][schema["$ref"].rpartition("/")[2]]
        for keyword in ("anyOf", "oneOf", "allOf"):
            if keyword in schema:
                return self.fitting(self.rng.choice(schema[keyword]), depth)
        if "enum" in schema or "const" in schema:
            return self.rng.choice(schema.get("enum", [schema.get("const")]))
        make = {
            "object": self._object,
            "array": self._array,
            "string": self._text,
            "integer": self._number,
            "number": self._number,
        }.get(schema.get("type", ""))
        if make is not None:
            return make(schema, depth)
        return self.rng.random() < 0.5 if schema.get("type") == "boolean" else self._any()

    def _any(self) -> Json:
        return self.rng.choice((self._name(), 7, 0.5, True, None, [1, {}], {self._name(): {"a": [0]}}))

    def _array(self, schema: Schema, depth: int) -> Json:
        least = schema.get("minItems", 0)
        count = self.rng.randrange(least, max(least, _MOST) + 1)
        return [self.fitting(schema.get("items", {}), depth - 1) for _ in range(count)]

    def _text(self, schema: Schema, depth: int) -> Json:
        if schema.get("format") == "date-time":
            return "2026-01-20T12:00:00Z"
        return self._name().ljust(schema.get("minLength", 0), "x")

    def _number(self, schema: Schema, depth: int) -> Json:
        least = int(schema.get("minimum", 0))
        return self.rng.randrange(least, min(int(schema.get("maximum", least + 10)), least + 10) + 1)

    def _object(self, schema: Schema, depth: int) -> Json:
        required = schema.get("required", ())
        made = {
            name: self.fitting(each, depth - 1)
            for name, each in schema.get("properties", {}).items()
            if name in required or (depth > 0 and self.rng.random() < 0.2)
        }
        others = schema.get("additionalProperties")
        if others and self.rng.random() < 0.6:
            made[self._name()] = self.fitting(others, depth - 1) if isinstance(others, dict) else self._any()
        return made


def quick(body: Json) -> Json:
    """The same, without a wait that is longer than a client of this test waits for an answer."""
    if not isinstance(body, dict):
        return body
    return {
        name: min(value, _LONGEST)
        if name in ("wait", "seconds") and isinstance(value, int | float)
        else value
        for name, value in body.items()
    }
