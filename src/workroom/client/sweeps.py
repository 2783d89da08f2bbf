"""The jobs of a sweep: every combination of the values that vary."""

from __future__ import annotations

import difflib
from collections.abc import Iterator, Mapping, Sequence
from itertools import product
from typing import Any, cast

import orjson

from workroom.client.conditions import When, has_ref
from workroom.runtime.extension import Extension

MAX_BATCH_JOBS = 1000
MAX_BATCH_BYTES = 500_000  # the body of a request has a limit, which is about twice that


def combinations(extension: type[Extension], values: Mapping[str, Any]) -> tuple[list[Extension], list[str]]:
    """The jobs, the last parameter varying fastest, and the names of the parameters that vary.

    A list, a tuple, a range or an array varies. A field that is a list itself takes a list of lists.
    """
    _check_names(extension, values)
    plain = {name: each.tolist() if hasattr(each, "tolist") else each for name, each in values.items()}
    varying = {name: list(each) for name, each in plain.items() if isinstance(each, list | tuple | range)}
    fixed = {name: each for name, each in plain.items() if name not in varying}
    for name, each in varying.items():
        if not each:
            raise ValueError(f"there are no values for '{name}'")
    every = (fixed | dict(zip(varying, each, strict=True)) for each in product(*varying.values()))
    return [_made(extension, each) for each in every], list(varying)


def conditions_among(extension: type[Extension], values: dict[str, Any]) -> When:
    """Take the conditions out of the values of a sweep."""
    names = When.__annotations__.keys() - _names_of(extension)
    return cast("When", {name: values.pop(name) for name in names & values.keys()})


def _made(extension: type[Extension], values: dict[str, Any]) -> Extension:
    """Results of other jobs are validated when they are filled in."""
    if has_ref(values):
        return extension.model_construct(**values)
    return extension(**values)


def _check_names(extension: type[Extension], values: Mapping[str, Any]) -> None:
    """Pydantic ignores a mistyped field, and a sweep over it would repeat one job."""
    if extension.model_config.get("extra") == "allow":
        return
    for name in values.keys() - _names_of(extension):
        close = difflib.get_close_matches(name, _names_of(extension), n=1)
        hint = f". Did you mean '{close[0]}'?" if close else ""
        raise TypeError(f"{extension.label()} has no field '{name}'{hint}")


def _names_of(extension: type[Extension]) -> set[str]:
    fields = extension.model_fields
    aliases = (alias for field in fields.values() for alias in (field.alias, field.validation_alias))
    return {*fields, *(each for each in aliases if isinstance(each, str))}


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
