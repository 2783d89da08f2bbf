"""One table of vectors, three implementations: Python, Lua in a real Valkey, and the model."""

from __future__ import annotations

import json
from collections import Counter
from collections.abc import Iterator
from typing import Any

import pytest
import redis

from support.vectors.generator import generate
from support.vectors.implementations import (
    RULES,
    LuaRules,
    is_modelled,
    model_verdict,
    python_module,
    python_verdict,
)
from support.vectors.table import Vector, read_vectors
from workroom.domain.rules.breaker import Breaker
from workroom.testing.valkey import Valkey

VECTORS = read_vectors()
MIRRORED = {vector.rule for vector in VECTORS}


@pytest.fixture(scope="module")
def lua(tmp_path_factory: pytest.TempPathFactory) -> Iterator[LuaRules]:
    server = Valkey(tmp_path_factory.mktemp("valkey"), appendonly=False)
    server.start()
    with redis.Redis.from_url(server.url) as client:
        yield LuaRules(client)
    server.stop()


def of_rule(module: str) -> list[Vector]:
    return [vector for vector in VECTORS if vector.rule.startswith(f"{module}.")]


def agrees(verdict: Any, vector: Vector) -> bool:
    if isinstance(vector.verdict, float):
        return bool(verdict == pytest.approx(vector.verdict, rel=1e-12))
    return bool(verdict == vector.verdict)


def wrong(verdicts: list[tuple[Vector, Any]]) -> list[str]:
    return [f"{vector} -> {found!r}" for vector, found in verdicts if not agrees(found, vector)]


def test_there_are_hundreds_of_vectors_and_none_comes_twice() -> None:
    by_hand = [vector for vector in VECTORS if not vector.why.startswith("drawn ")]
    names = Counter(json.dumps([vector.rule, vector.facts]) for vector in by_hand)

    assert len(VECTORS) >= 600
    assert len(by_hand) >= 300
    assert [name for name, count in names.items() if count > 1] == []


@pytest.mark.parametrize("module", RULES)
def test_the_python_rules_agree_with_the_table(module: str) -> None:
    assert wrong([(vector, python_verdict(vector)) for vector in of_rule(module)]) == []


@pytest.mark.parametrize("module", RULES)
def test_the_lua_rules_agree_with_the_table(module: str, lua: LuaRules) -> None:
    vectors = of_rule(module)

    assert wrong(list(zip(vectors, lua.verdicts(vectors), strict=True))) == []


@pytest.mark.parametrize("module", [name for name in RULES if is_modelled(f"{name}.")])
def test_the_model_agrees_with_the_table(module: str) -> None:
    verdicts = [(vector, model_verdict(vector.rule, vector.facts)) for vector in of_rule(module)]

    assert wrong(verdicts) == []


def test_every_lua_rule_mirrors_a_python_rule_and_has_vectors(lua: LuaRules) -> None:
    assert lua.function_names() - {"failure.encode"} == MIRRORED
    for rule in MIRRORED:
        module, name = rule.split(".")
        assert hasattr(python_module(module), name) or hasattr(Breaker, name)


def test_the_generated_vectors_are_what_the_generator_writes() -> None:
    for file, vectors in generate().items():
        written = [Vector(**each) for each in json.loads(file.read_text("utf-8"))]
        assert written == vectors, f"{file.name}: run python -m support.vectors.generator"
