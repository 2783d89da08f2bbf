"""How much work a schema can make of a value, told before any value is checked."""

from __future__ import annotations

import re
from math import inf
from typing import Any

_BACKTRACKING = re.compile(r"\(\?[=!<]|\\[1-9]")
_BACKTRACKING_WEIGHT = 1000.0


def weigh(schema: dict[str, Any]) -> float:
    """The number of checks that one value may meet, every reference followed; infinite if one leads back.

    A schema of n parts that refer to each other twice can ask for 2**n checks. Counting them costs n.
    """
    try:
        return _Scale(schema).weight(schema)
    except RecursionError:
        return inf


class _Scale:
    def __init__(self, root: dict[str, Any]) -> None:
        self._root = root
        self._known: dict[str, float] = {}
        self._open: set[str] = set()

    def weight(self, node: Any) -> float:
        if isinstance(node, list):
            return sum(map(self.weight, node))
        if not isinstance(node, dict):
            return 1.0
        total = 1.0 + sum(self.weight(child) for name, child in node.items() if name != "$defs")
        pattern = node.get("pattern")
        if isinstance(pattern, str):
            total += _pattern_weight(pattern)
        patterned = node.get("patternProperties")
        if isinstance(patterned, dict):
            total += sum(map(_pattern_weight, patterned))
        reference = node.get("$ref")
        return total + self._behind(reference) if isinstance(reference, str) else total

    def _behind(self, reference: str) -> float:
        if reference in self._open:
            return inf
        if reference not in self._known:
            self._open.add(reference)
            self._known[reference] = self.weight(self._part(reference))
            self._open.discard(reference)
        return self._known[reference]

    def _part(self, reference: str) -> Any:
        part: Any = self._root
        for step in reference.removeprefix("#").split("/")[1:]:
            name = step.replace("~1", "/").replace("~0", "~")
            part = part.get(name) if isinstance(part, dict) else None
        return part


def _pattern_weight(pattern: str) -> float:
    return _BACKTRACKING_WEIGHT if _BACKTRACKING.search(pattern) else 1.0
