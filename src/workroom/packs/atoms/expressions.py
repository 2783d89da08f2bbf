"""Conditions on atoms that people type, such as `forces > 2 and symbol == "O"`. Nothing of Python runs."""

from __future__ import annotations

import ast
import operator
from collections.abc import Callable, Mapping
from typing import Any

import numpy as np

Value = Any
MAX_LENGTH = 500
_BINARY: dict[type[ast.operator], Callable[[Value, Value], Value]] = {
    ast.Add: operator.add,
    ast.Sub: operator.sub,
    ast.Mult: operator.mul,
    ast.Div: operator.truediv,
    ast.Pow: operator.pow,
    ast.Mod: operator.mod,
}
_COMPARISONS: dict[type[ast.cmpop], Callable[[Value, Value], Value]] = {
    ast.Lt: operator.lt,
    ast.LtE: operator.le,
    ast.Gt: operator.gt,
    ast.GtE: operator.ge,
    ast.Eq: operator.eq,
    ast.NotEq: operator.ne,
}
_FUNCTIONS: dict[str, Callable[[Value], Value]] = {
    "abs": np.abs,
    "sqrt": np.sqrt,
    "log": np.log,
    "exp": np.exp,
}
_AXES = {"x": 0, "y": 1, "z": 2}


def mask(text: str, properties: Mapping[str, Any], count: int) -> np.ndarray[Any, np.dtype[np.bool_]]:
    """Which atoms satisfy the condition. Raises ValueError, which names what is not understood."""
    try:
        with np.errstate(all="ignore"):
            found = np.asarray(_Evaluation(properties).value(_parsed(text)))
    except RecursionError as error:
        raise ValueError(f"'{text[:40]}…' is nested too deeply") from error
    if found.dtype != bool:
        raise ValueError("that is a number, not a condition: compare it with something, as in `forces > 2`")
    return np.broadcast_to(found, (count,))


def _parsed(text: str) -> ast.expr:
    if len(text) > MAX_LENGTH:
        raise ValueError(f"a condition has at most {MAX_LENGTH} characters")
    try:
        return ast.parse(text.strip(), mode="eval").body
    except (SyntaxError, ValueError, RecursionError, MemoryError) as error:
        raise ValueError(f"'{text}' is not a condition like `forces > 2`") from error


class _Evaluation:
    def __init__(self, properties: Mapping[str, Any]) -> None:
        self._properties = properties

    def value(self, node: ast.expr) -> Value:
        for kind, evaluate in self._KINDS.items():
            if isinstance(node, kind):
                return evaluate(self, node)
        raise ValueError(f"`{ast.unparse(node)}` is not understood here")

    def _constant(self, node: Any) -> Value:
        if isinstance(node.value, bool):
            return node.value
        if isinstance(node.value, str):
            return np.asarray(node.value)  # a plain string would be formatted by `%`, to any length
        if isinstance(node.value, int | float):
            return np.float64(node.value)
        raise ValueError(f"`{ast.unparse(node)}` is not understood here")

    def _name(self, node: Any) -> Value:
        """A property of each atom; of a vector, its length."""
        name = ast.unparse(node).replace(" ", "")
        base, _, axis = name.rpartition(".")
        if name in self._properties:
            found = np.asarray(self._properties[name])
            return found if found.ndim == 1 else np.sqrt((found**2).sum(axis=tuple(range(1, found.ndim))))
        if axis in _AXES and base in self._properties and np.ndim(self._properties[base]) == 2:
            return np.asarray(self._properties[base])[:, _AXES[axis]]
        raise ValueError(f"the atoms have no '{name}': there are {', '.join(sorted(self._properties))}")

    def _binary(self, node: Any) -> Value:
        if type(node.op) not in _BINARY:
            raise ValueError(f"`{ast.unparse(node)}` is not understood here")
        return self._apply(_BINARY[type(node.op)], node, self.value(node.left), self.value(node.right))

    def _unary(self, node: Any) -> Value:
        operand = self.value(node.operand)
        if isinstance(node.op, ast.Not):
            return self._apply(np.logical_not, node, operand)
        return self._apply(operator.neg if isinstance(node.op, ast.USub) else operator.pos, node, operand)

    def _compare(self, node: Any) -> Value:
        values = [self.value(each) for each in [node.left, *node.comparators]]
        if any(type(each) not in _COMPARISONS for each in node.ops):
            raise ValueError(f"`{ast.unparse(node)}` is not understood here")
        parts = [
            self._apply(_COMPARISONS[type(op)], node, left, right)
            for op, left, right in zip(node.ops, values, values[1:], strict=False)
        ]
        return np.logical_and.reduce(parts) if len(parts) > 1 else parts[0]

    def _boolean(self, node: Any) -> Value:
        combine = np.logical_and if isinstance(node.op, ast.And) else np.logical_or
        found = self.value(node.values[0])
        for each in node.values[1:]:
            found = self._apply(combine, node, found, self.value(each))
        return found

    def _call(self, node: Any) -> Value:
        name = getattr(node.func, "id", None)
        if name not in _FUNCTIONS or len(node.args) != 1 or node.keywords:
            raise ValueError(f"`{ast.unparse(node)}` is not understood: there are {', '.join(_FUNCTIONS)}")
        return self._apply(_FUNCTIONS[name], node, self.value(node.args[0]))

    def _apply(self, function: Callable[..., Value], node: ast.expr, *values: Value) -> Value:
        try:
            return function(*values)
        except (TypeError, ValueError, np.exceptions.DTypePromotionError) as error:
            raise ValueError(f"`{ast.unparse(node)}` mixes values that do not go together") from error

    _KINDS: Mapping[type, Callable[[_Evaluation, Any], Value]] = {
        ast.Constant: _constant,
        ast.Name: _name,
        ast.Attribute: _name,
        ast.BinOp: _binary,
        ast.UnaryOp: _unary,
        ast.Compare: _compare,
        ast.BoolOp: _boolean,
        ast.Call: _call,
    }
