"""The jobs of a sweep: every combination of the values that vary."""

from __future__ import annotations

from collections.abc import Iterator, Mapping, Sequence
from itertools import product
from typing import Any

import orjson

from workroom.runtime.extension import Extension

MAX_BATCH_JOBS = 1000
MAX_BATCH_BYTES = 500_000  # the body of a request has a limit, which is about twice that


def combinations(extension: type[Extension], values: Mapping[str, Any]) -> tuple[list[Extension], list[str]]:
    """The jobs, the last parameter varying fastest, and the names of the parameters that vary.

    A list, a tuple, a range or an array varies. A field that is a list itself takes a list of lists.
    """
    plain = {name: each.tolist() if hasattr(each, "tolist") else each for name, each in values.items()}
    varying = {name: list(each) for name, each in plain.items() if isinstance(each, list | tuple | range)}
    fixed = {name: each for name, each in plain.items() if name not in varying}
    jobs = [
        extension(**fixed, **dict(zip(varying, each, strict=True))) for each in product(*varying.values())
    ]
    return jobs, list(varying)


def batches(items: Sequence[dict[str, Any]]) -> Iterator[list[dict[str, Any]]]:
    """Split the jobs of a group into requests that are not too large. A job that is gets one of its own."""
    batch: list[dict[str, Any]] = []
    size = 0
    for item in items:
        more = len(orjson.dumps(item, default=str))
        if batch and (len(batch) == MAX_BATCH_JOBS or size + more > MAX_BATCH_BYTES):
            yield batch
            batch, size = [], 0
        batch.append(item)
        size += more
    if batch:
        yield batch
