"""Finds extension classes: in packs, and by `module:Class`."""

from __future__ import annotations

import importlib
import inspect
import sys
from collections.abc import Iterable, Iterator
from importlib.metadata import entry_points
from pathlib import Path
from types import ModuleType

from workroom.runtime.extension import Extension, runner_of

PACKS = "workroom.packs"


def load_packs() -> list[type[Extension]]:
    """The extensions of every installed pack."""
    return [found for entry in entry_points(group=PACKS) for found in _classes(entry.load())]


def load(names: Iterable[str]) -> list[type[Extension]]:
    """The extensions of each `module`, `module:Class` or `path/to/file.py[:Class]`."""
    return [found for name in names for found in _load(name)]


def _load(name: str) -> list[type[Extension]]:
    module_name, _, class_name = name.partition(":")
    module = _module(module_name)
    if not class_name:
        found = list(_classes(module))
        if not found:
            raise ValueError(f"{module_name} defines no Extension with a run()")
        return found
    target = getattr(module, class_name, None)
    if not (inspect.isclass(target) and issubclass(target, Extension)):
        raise ValueError(f"{name} is not an Extension class")
    runner_of(target)
    return [target]


def _module(name: str) -> ModuleType:
    path = Path(name)
    if path.suffix == ".py":
        sys.path.insert(0, str(path.parent.resolve()))
        name = path.stem
    elif "" not in sys.path and str(Path.cwd()) not in sys.path:
        sys.path.insert(0, str(Path.cwd()))
    try:
        return importlib.import_module(name)
    except ModuleNotFoundError as error:
        raise ValueError(f"there is no module '{name}': {error}") from error


def _classes(source: ModuleType | type[Extension]) -> Iterator[type[Extension]]:
    """The runnable extensions that a module defines itself, or the one class that was named."""
    if inspect.isclass(source):
        yield source
        return
    for found in vars(source).values():
        is_extension = inspect.isclass(found) and issubclass(found, Extension) and hasattr(found, "run")
        if is_extension and found.__module__ == source.__name__:
            yield found
