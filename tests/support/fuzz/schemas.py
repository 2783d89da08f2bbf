"""Random JSON Schemas, most of them unlike what libraries generate."""

from __future__ import annotations

import random
from collections.abc import Callable
from typing import Any

from support.fuzz.values import Values

Schema = dict[str, Any]

_TYPES = ("object", "array", "string", "number", "integer", "boolean", "null")
_PATTERNS = (".*", "^(a+)+$", "(x+x+)+y", "(?=a)b", "(.)\\1", "[", "\\p{L}{1,500}", "a{1,30000}")
_MULTIPLES = (1, 0.1, 3e-300, 1e308, 5e-324, 0, -1, 7)
_PARTS = 24


class Schemas:
    def __init__(self, rng: random.Random) -> None:
        self.rng = rng
        self.values = Values(rng)
        self._keywords: tuple[Callable[[int], Schema], ...] = (
            self._types,
            self._bounds,
            self._pattern,
            self._object,
            self._array,
            self._choice,
            self._unevaluated,
            self._condition,
            self._reference,
            self._constant,
        )

    def extension(self) -> Schema:
        """A schema of an object whose parts refer to one another."""
        parts = {f"p{number}": self.schema(2) for number in range(self.rng.randrange(_PARTS))}
        schema = {"type": "object", "properties": {"x": self.schema(3)}, "$defs": parts}
        if self.rng.random() < 0.3:
            schema |= self._chain(self.rng.randrange(2, 30))
        return self.values.spoilt(schema, 0.05) if self.rng.random() < 0.1 else schema

    def schema(self, depth: int) -> Schema:
        made: Schema = {}
        for _ in range(self.rng.randrange(4)):
            made |= self.rng.choice(self._keywords)(depth - 1)
        return made

    def _sub(self, depth: int) -> Schema:
        return self.schema(depth) if depth > 0 else {}

    def _chain(self, levels: int) -> Schema:
        """Each definition refers to the next one several times."""
        keyword = self.rng.choice(("unevaluatedProperties", "unevaluatedItems"))
        twice = self.rng.random() < 0.5
        parts: dict[str, Schema] = {f"c{levels}": {}}
        for number in range(levels):
            following = {"$ref": f"#/$defs/c{number + 1}"}
            parts[f"c{number}"] = {"allOf": [following] * (2 if twice else 1), keyword: False}
        return {"$defs": parts, "$ref": "#/$defs/c0"}

    def _types(self, depth: int) -> Schema:
        return {"type": self.rng.choice((self.rng.choice(_TYPES), list(_TYPES[: self.rng.randrange(1, 7)])))}

    def _bounds(self, depth: int) -> Schema:
        name = self.rng.choice(("minimum", "maximum", "multipleOf", "minLength", "maxItems", "minProperties"))
        return {name: self.rng.choice(_MULTIPLES)}

    def _pattern(self, depth: int) -> Schema:
        if self.rng.random() < 0.5:
            return {"pattern": self.rng.choice(_PATTERNS)}
        return {"patternProperties": {self.rng.choice(_PATTERNS): self._sub(depth)}}

    def _object(self, depth: int) -> Schema:
        return {
            "properties": {self.rng.choice("abcx"): self._sub(depth) for _ in range(self.rng.randrange(4))},
            "additionalProperties": self.rng.choice((True, False, self._sub(depth))),
        }

    def _array(self, depth: int) -> Schema:
        return self.rng.choice(
            (
                {"items": self._sub(depth), "uniqueItems": True},
                {"prefixItems": [self._sub(depth)], "items": False},
                {"contains": self._sub(depth), "minContains": 3},
            )
        )

    def _choice(self, depth: int) -> Schema:
        name = self.rng.choice(("allOf", "anyOf", "oneOf"))
        return {name: [self._sub(depth) for _ in range(self.rng.randrange(1, 4))]}

    def _unevaluated(self, depth: int) -> Schema:
        return {self.rng.choice(("unevaluatedProperties", "unevaluatedItems")): self._sub(depth)}

    def _condition(self, depth: int) -> Schema:
        return {"if": self._sub(depth), "then": self._sub(depth), "else": self._sub(depth)}

    def _reference(self, depth: int) -> Schema:
        target = self.rng.choice((f"#/$defs/p{self.rng.randrange(_PARTS)}", "#", "#/nowhere", "http://[::1/"))
        return {"$ref": target}

    def _constant(self, depth: int) -> Schema:
        return self.rng.choice(({"const": self.values.value(2)}, {"enum": [self.values.value(2)]}))
