"""An upper bound on the work of validating a value against a schema, computed before any value is validated.

Only keywords of known cost are counted. Any other makes the weight infinite (the cost of
`unevaluatedProperties` more than doubles with each level of nesting): values are then validated under a time
limit.
"""

from __future__ import annotations

import re
from collections.abc import Callable
from dataclasses import dataclass
from math import inf, sqrt
from typing import Any, Final

Node = dict[str, Any]

_CONSTANT_KEYWORDS: Final = frozenset(
    {
        "type",
        "minLength",
        "maxLength",
        "minItems",
        "maxItems",
        "minProperties",
        "maxProperties",
    }
)
_UNPROVEN_KEYWORDS: Final = frozenset(
    {
        "$dynamicRef",
        "$recursiveRef",
        "$recursiveAnchor",
        "$anchor",
        "$dynamicAnchor",
        "$id",
        "id",
        "additionalItems",
        "contains",
        "contentSchema",
        "dependencies",
        "dependentRequired",
        "dependentSchemas",
        "disallow",
        "divisibleBy",
        "else",
        "extends",
        "if",
        "maxContains",
        "minContains",
        "then",
        "unevaluatedItems",
        "unevaluatedProperties",
    }
)  # all other keywords of a dialect; unknown ones are annotations and cost nothing

_LITERAL_WEIGHT = 4.0
_NUMBER_WEIGHT = 15.0  # numbers of any size are compared exactly
_INTEGER_MULTIPLE_WEIGHT = 10.0
_DECIMAL_MULTIPLE_WEIGHT = 150.0  # exact arithmetic with fractions
_MULTIPLES = (1e-9, 2.0**53)
_UNIQUE_SQUARED = 0.06  # numbers beyond 2**53 are compared pairwise
_UNIQUE_LINEAR = 5.0

_PLAIN_PATTERN = re.compile(
    r"""(?: [^\\(*+?}] | \\[dDwWsSbBtnrfv.^$*+?()\[\]{}|/\\-]
          | \\[pP]\{\w+\} | \((?!\?) | \(\?: | [*+?}](?!\+) )*""",
    re.VERBOSE,
)
_DECIMAL = re.compile(r"\^\(\?!\^\[-\+\.\]\*\$\)([^|]*)")  # Pydantic's Decimal: its lookahead runs once
_LONGEST_PATTERN = 1000
_COUNTED = re.compile(r"\{\d")
_COUNTED_WEIGHT = 400.0  # states that the largest pattern can be in at once


@dataclass(frozen=True, slots=True)
class Weight:
    """The work for a value of n bytes: linear * n + squared * n * n. One unit is about 20 ns."""

    linear: float = 0.0
    squared: float = 0.0

    def __add__(self, other: Weight) -> Weight:
        return Weight(self.linear + other.linear, self.squared + other.squared)

    @property
    def is_proven(self) -> bool:
        return self.linear < inf

    def work(self, size: int) -> float:
        return self.linear * size + (self.squared * size * size if self.squared else 0.0)

    def largest_size(self, work: float) -> float:
        """The largest size of a value that needs at most this much work."""
        if self.squared:
            return (sqrt(self.linear * self.linear + 4 * self.squared * work) - self.linear) / (
                2 * self.squared
            )
        return work / self.linear if self.linear else inf


_NOTHING = Weight()
_UNPROVEN = Weight(inf)


def weigh(schema: Node) -> Weight:
    """The sum of all checks on one value, with every reference followed; infinite for recursive schemas.

    A schema of n parts that refer to each other twice can need 2**n checks. Counting them takes n steps.
    """
    try:
        return _Scale(schema).weight(schema)
    except RecursionError:
        return _UNPROVEN


class _Scale:
    def __init__(self, root: Node) -> None:
        self._root = root
        self._known: dict[str, Weight] = {}
        self._open: set[str] = set()
        self._applicators: dict[str, Callable[[Any], Weight]] = {
            "$ref": self._behind,
            "additionalProperties": self.weight,
            "allOf": self._all,
            "anyOf": self._all,
            "items": self.weight,
            "not": self.weight,
            "oneOf": self._all,
            "patternProperties": self._patterned,
            "prefixItems": self._all,
            "properties": self._named,
            "propertyNames": self.weight,
        }

    def weight(self, node: Any) -> Weight:
        if not isinstance(node, dict):
            return Weight(1.0)
        return sum((self._keyword(node, name) for name in node), Weight(1.0))

    def _keyword(self, node: Node, name: str) -> Weight:
        value = node[name]
        if name in _CONSTANT_KEYWORDS:
            return Weight(1.0)
        if name in _UNPROVEN_KEYWORDS:
            return _UNPROVEN
        if name in self._applicators:
            return self._applicators[name](value)
        if name in _ASSERTIONS:
            return _ASSERTIONS[name](value)
        return _NOTHING

    def _all(self, nodes: Any) -> Weight:
        return sum(map(self.weight, nodes), _NOTHING) if isinstance(nodes, list) else _UNPROVEN

    def _named(self, nodes: Any) -> Weight:
        return self._all(list(nodes.values())) if isinstance(nodes, dict) else _UNPROVEN

    def _patterned(self, nodes: Any) -> Weight:
        """With `additionalProperties` each pattern is matched a second time."""
        patterns = sum(map(_pattern, nodes), _NOTHING) if isinstance(nodes, dict) else _UNPROVEN
        return patterns + patterns + self._named(nodes)

    def _behind(self, reference: Any) -> Weight:
        if not isinstance(reference, str) or reference in self._open:
            return _UNPROVEN
        if reference not in self._known:
            self._open.add(reference)
            part = _part(self._root, reference)
            self._known[reference] = _UNPROVEN if part is None else self.weight(part)
            self._open.discard(reference)
        return self._known[reference]


def _part(root: Node, reference: str) -> Any:
    """The subschema that a plain reference names; None if it leads through a list or has another form."""
    start, *steps = reference.split("/")
    if start != "#" or "%" in reference:
        return None
    part: Any = root
    for step in steps:
        name = step.replace("~1", "/").replace("~0", "~")
        part = part.get(name) if isinstance(part, dict) else None
    return part


def _literal(value: Any) -> Weight:
    if isinstance(value, dict):
        value = list(value.values())
    if isinstance(value, list):
        return sum(map(_literal, value), Weight(_LITERAL_WEIGHT))
    return Weight(_LITERAL_WEIGHT if value is None or isinstance(value, str | bool) else _NUMBER_WEIGHT)


def _bound(_: Any) -> Weight:
    return Weight(_NUMBER_WEIGHT)


def _required(names: Any) -> Weight:
    return Weight(len(names)) if isinstance(names, list) else _UNPROVEN


def _multiple_of(number: Any) -> Weight:
    if not isinstance(number, int | float) or not _MULTIPLES[0] <= number <= _MULTIPLES[1]:
        return _UNPROVEN
    is_whole = float(number).is_integer()
    return Weight(_INTEGER_MULTIPLE_WEIGHT if is_whole else _DECIMAL_MULTIPLE_WEIGHT)


def _unique(value: Any) -> Weight:
    return Weight(_UNIQUE_LINEAR, _UNIQUE_SQUARED) if value else _NOTHING


def _pattern(pattern: Any) -> Weight:
    """A plain pattern takes at most one step per state and byte; any other may backtrack."""
    if not isinstance(pattern, str):
        return _UNPROVEN
    decimal = _DECIMAL.fullmatch(pattern)
    plain = decimal[1] if decimal else pattern
    if len(plain) > _LONGEST_PATTERN or not _PLAIN_PATTERN.fullmatch(plain):
        return _UNPROVEN
    return Weight(_COUNTED_WEIGHT if _COUNTED.search(plain) else min(2.0 + len(pattern), _COUNTED_WEIGHT))


_ASSERTIONS: Final[dict[str, Callable[[Any], Weight]]] = {
    "const": _literal,
    "enum": _literal,
    "exclusiveMaximum": _bound,
    "exclusiveMinimum": _bound,
    "maximum": _bound,
    "minimum": _bound,
    "multipleOf": _multiple_of,
    "pattern": _pattern,
    "required": _required,
    "uniqueItems": _unique,
}
