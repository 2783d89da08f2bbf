"""A cache with a limit in bytes: the sizes of what users send differ too much to count entries."""

from __future__ import annotations

from collections.abc import Callable
from functools import lru_cache
from typing import ParamSpec, TypeVar, cast

P = ParamSpec("P")
T = TypeVar("T")
_ENTRY_BYTES = 200


def bounded_cache(max_bytes: int, size: Callable[..., int]) -> Callable[[Callable[P, T]], Callable[P, T]]:
    """Cache results until they and their arguments take `max_bytes`, then begin again with none.

    `size` is called with the result and the arguments. Nothing is tracked on a hit, which takes as long as a
    lookup in a dict: every job makes several.
    """

    def decorate(function: Callable[P, T]) -> Callable[P, T]:
        taken = 0

        def call(*args: P.args, **kwargs: P.kwargs) -> T:
            nonlocal taken
            result = function(*args, **kwargs)
            taken += _ENTRY_BYTES + size(result, *args)
            if taken > max_bytes:
                cached.cache_clear()
                taken = _ENTRY_BYTES + size(result, *args)
            return result

        cached = lru_cache(maxsize=None)(call)
        return cast("Callable[P, T]", cached)

    return decorate
