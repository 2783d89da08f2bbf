"""Loads extension classes: from packs, and by `module:Class`."""

from __future__ import annotations

import difflib
import importlib
import inspect
import linecache
import logging
import re
import sys
import sysconfig
import traceback
from collections.abc import Callable, Collection, Iterable, Iterator
from dataclasses import dataclass
from importlib.metadata import EntryPoint, entry_points
from pathlib import Path
from types import ModuleType
from typing import Any

from workroom.runtime.actors import ActorRegistry, as_extension, is_actor
from workroom.runtime.extension import Extension, run_method
from workroom.runtime.pack import Pack

PACKS = "workroom.packs"
_log = logging.getLogger("workroom")
_Source = ModuleType | type[Extension] | Callable[[], Iterable[type[Extension]]]


@dataclass(frozen=True, slots=True)
class FoundPack:
    """An installed pack, or why it cannot be used."""

    pack: Pack
    error: str | None = None


def find_packs(names: Collection[str] | None = None) -> list[FoundPack]:
    """The installed packs with these names, or all. One that cannot be loaded is reported and left out."""
    installed = {entry.name: entry for entry in entry_points(group=PACKS)}
    for name in names or ():
        if name not in installed:
            raise ValueError(f"there is no pack '{name}': installed are {', '.join(installed) or 'none'}")
    found = [_find_pack(installed[name]) for name in (sorted(installed) if names is None else names)]
    for each in found:
        if each.error is not None:
            _log.error("the pack '%s' is left out: %s", each.pack.name, each.error)
    return found


def load_packs(names: Collection[str] | None = None) -> list[type[Extension]]:
    """The extensions of these packs, or of all."""
    return [extension for found in find_packs(names) for extension in found.pack.extensions]


def load(names: Iterable[str]) -> list[type[Extension]]:
    """The extensions of each `module`, `module:Class` or `path/to/file.py[:Class]`.

    In place of a class, the name of a Celery app stands for all its tasks.
    """
    return [found for name in names for found in _load(name)]


def _find_pack(entry: EntryPoint) -> FoundPack:
    """An entry point names a `Pack`, a module with one called `pack`, or a module or class of extensions."""
    try:
        found = entry.load()
        pack = found if isinstance(found, Pack) else getattr(found, "pack", None)
        if isinstance(pack, Pack):
            return FoundPack(pack)
        return FoundPack(Pack(entry.name, list(_classes(found))))
    except Exception as error:
        return FoundPack(_unloaded(entry.name), _summary(error))


def _unloaded(name: str) -> Pack:
    return Pack(re.sub(r"^[^a-z]+|[^a-z0-9_-]", "", name.lower())[:40] or "pack")


def _load(name: str) -> list[type[Extension]]:
    module_name, _, class_name = name.partition(":")
    module = _module(module_name)
    found = {each.__name__: each for each in _classes(module)}
    if not class_name:
        if not found:
            raise ValueError(f"{module_name} defines no Extension with a run() method")
        return list(found.values())
    target = getattr(module, class_name, None)
    if target is ActorRegistry:
        return ActorRegistry.extensions()
    if target is not None and is_actor(target):
        return [as_extension(target)]
    if type(target).__module__ == "celery.app.base":
        return _tasks(target)
    if not (inspect.isclass(target) and issubclass(target, Extension)):
        close = difflib.get_close_matches(class_name, found, n=1)
        hint = f": did you mean {module_name}:{close[0]}?" if close else ""
        raise ValueError(f"{name} is not an Extension class{hint}")
    try:
        run_method(target)
    except TypeError as error:
        raise ValueError(str(error)) from error
    return [target]


def _tasks(app: Any) -> list[type[Extension]]:
    from workroom.celery import expose_celery  # noqa: PLC0415 - an optional package

    try:
        return expose_celery(app)
    except TypeError as error:
        raise ValueError(str(error)) from error


def _module(name: str) -> ModuleType:
    path = Path(name)
    if path.suffix == ".py":
        return _from_file(path)
    if not all(part.isidentifier() for part in name.split(".")):
        raise ValueError(f"'{name}' is not a module name: use module:Class or file.py")
    if "" not in sys.path and str(Path.cwd()) not in sys.path:
        sys.path.insert(0, str(Path.cwd()))
    return _imported(name, name)


def _from_file(path: Path) -> ModuleType:
    if not path.is_file():
        raise ValueError(f"there is no file {path}")
    sys.path.insert(0, str(path.parent.resolve()))
    module = _imported(path.stem, str(path))
    if Path(module.__file__ or "").resolve() != path.resolve():
        raise ValueError(f"{path} has the name of another module, '{path.stem}': rename the file")
    return module


def _imported(module: str, shown: str) -> ModuleType:
    try:
        return importlib.import_module(module)
    except ModuleNotFoundError as error:
        if error.name is not None and f"{module}.".startswith(f"{error.name}."):
            raise ValueError(f"there is no module '{module}': use module:Class or file.py") from error
        raise ValueError(f"{shown} cannot be loaded: {_summary(error)}") from error
    except Exception as error:
        raise ValueError(f"{shown} cannot be loaded: {_summary(error)}") from error


def _summary(error: Exception) -> str:
    """One line with the error and the line of user code that raised it."""
    message = error.msg if isinstance(error, SyntaxError) else str(error)
    what = f"{type(error).__name__}: {' '.join(message.split())}"
    location = _location(error)
    if location is None:
        return what
    file, number = location
    return f"{file}, line {number}: `{linecache.getline(file, number).strip()}`: {what}"


def _location(error: Exception) -> tuple[str, int] | None:
    """The innermost line of user code, ignoring libraries."""
    if isinstance(error, SyntaxError) and error.filename and error.lineno:
        return error.filename, error.lineno
    libraries = {sysconfig.get_path(kind) for kind in ("stdlib", "purelib", "platlib")}
    others = ("<", str(Path(__file__).parents[1]), *libraries)
    frames = [(frame.filename, frame.lineno or 0) for frame in traceback.extract_tb(error.__traceback__)]
    return next((frame for frame in reversed(frames) if not frame[0].startswith(others)), None)


def _classes(source: _Source) -> Iterator[type[Extension]]:
    """The runnable extensions that a module itself defines, the given class, or what a function returns."""
    if inspect.isclass(source):
        yield as_extension(source)
        return
    if inspect.isfunction(source):
        yield from map(as_extension, source())
        return
    for found in vars(source).values():
        is_extension = inspect.isclass(found) and issubclass(found, Extension) and hasattr(found, "run")
        if (is_extension or is_actor(found)) and found.__module__ == source.__name__:
            yield as_extension(found)
