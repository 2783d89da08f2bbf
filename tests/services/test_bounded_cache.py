"""What is cached has a limit in bytes."""

from __future__ import annotations

import gc
import weakref

from workroom.services.bounded_cache import bounded_cache
from workroom.services.validation.schemas import compile_schema

MB = 1_000_000


class Made:
    """A result that can be counted while it is kept."""

    def __init__(self) -> None:
        alive.add(self)


alive: weakref.WeakSet[Made] = weakref.WeakSet()


def test_a_cache_keeps_as_much_as_its_limit_and_calls_once() -> None:
    calls: list[str] = []

    @bounded_cache(10_000, lambda _, name: len(name))
    def made(name: str) -> Made:
        calls.append(name)
        return Made()

    assert made("one") is made("one")
    assert made("two") is not made("one")
    assert calls == ["one", "two"]


def test_a_cache_forgets_before_it_exceeds_its_limit() -> None:
    @bounded_cache(MB, lambda _, name: len(name))
    def made(name: str) -> Made:
        return Made()

    gc.collect()  # the results of other tests
    most = 0
    for number in range(100):
        made(f"{number:0100000}")
        most = max(most, len(alive))

    assert 5 < most <= 10


def test_an_argument_larger_than_the_limit_is_not_kept_for_long() -> None:
    @bounded_cache(1000, lambda _, name: len(name))
    def made(name: str) -> Made:
        return Made()

    first = weakref.ref(made("x" * 5000))
    assert first() is not None
    made("next")
    gc.collect()
    assert first() is None


def test_few_large_schemas_stay_compiled_and_many_small_ones() -> None:
    small = [b'{"type":"object","title":"%d"}' % number for number in range(500)]
    compiled = [compile_schema(schema) for schema in small]
    assert [compile_schema(schema) for schema in small] == compiled

    wide = b'"allOf":[' + b"true," * 15_000 + b"true]"
    first = compile_schema(b'{"title":"first",%b}' % wide)
    for number in range(20):
        compile_schema(b'{"title":"%d",%b}' % (number, wide))
    assert compile_schema(b'{"title":"first",%b}' % wide) is not first
