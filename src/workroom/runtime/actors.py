"""Classes written as actors, with `get_concurrency_info` and `execute`, become extensions."""

from __future__ import annotations

import inspect
import threading
from abc import ABC, abstractmethod
from collections.abc import Callable, Iterator, Sequence
from contextlib import contextmanager
from functools import cache
from typing import Any, ClassVar

from pydantic import ConfigDict

from workroom.domain.extension import BY_ACTOR, Concurrency
from workroom.runtime.context import JobContext
from workroom.runtime.extension import Extension

CATEGORY = "actors"
MAX_RETRIES = 3

ProgressCallback = Callable[[int, str], None]  # (elapsed_ms, message)


class Actor(ABC):
    """The interface between a worker and what it works with: subclass it, or write a class like it."""

    @property
    @abstractmethod
    def name(self) -> str:
        """What tasks ask for: `POST /api/task {"actor": name}`."""

    @abstractmethod
    def get_concurrency_info(self, payload: dict[str, Any]) -> tuple[str, int]:
        """Which tasks this one counts among, and how many of those may run at once."""

    @abstractmethod
    def execute(self, payload: dict[str, Any], progress_callback: ProgressCallback) -> dict[str, Any]:
        """Do it; call `progress_callback` with (elapsed_ms, message). Raise to fail."""


def is_actor(found: object) -> bool:
    """A class with the methods of an actor, whatever its base; not an abstract one."""
    if not inspect.isclass(found) or inspect.isabstract(found) or issubclass(found, Extension):
        return False
    return callable(getattr(found, "get_concurrency_info", None)) and callable(
        getattr(found, "execute", None)
    )


def as_extension(found: type) -> type[Extension]:
    return _wrapped(found) if is_actor(found) else found


class ActorExtension(Extension):
    """Runs an actor: the values of the job are its payload."""

    model_config = ConfigDict(extra="allow")
    make: ClassVar[Callable[[], Any]]

    @property
    def payload(self) -> dict[str, Any]:
        return dict(self.__pydantic_extra__ or {})

    @classmethod
    def lane_of(cls, payload: dict[str, Any]) -> tuple[str, int]:
        key, limit = cls.make().get_concurrency_info(payload)
        return str(key), int(limit)

    def run(self, job: JobContext) -> Any:
        actor = type(self).make()

        def progress(elapsed_ms: int, message: str) -> None:
            job.check()
            job.progress(message=message, elapsed_ms=elapsed_ms)

        with _turn(job, *self.lane_of(self.payload)):
            return actor.execute(self.payload, progress)


@cache
def _wrapped(kind: type) -> type[Extension]:
    make = cache(kind)  # one instance for all its tasks, made with the first
    declared = getattr(kind, "name", None)
    name = declared if isinstance(declared, str) else str(make().name)
    concurrency = getattr(kind, "concurrency", None) or Concurrency(BY_ACTOR)
    made: type[Extension] = type(
        kind.__name__,
        (ActorExtension,),
        {"__doc__": kind.__doc__, "__module__": kind.__module__, "make": staticmethod(make)},
        category=CATEGORY,
        actor=name,
        retries=MAX_RETRIES,
        concurrency=concurrency,
    )
    return made


LaneOf = Callable[[dict[str, Any]], tuple[str, int]]


def actor_lanes(classes: Sequence[type[Extension]]) -> dict[tuple[str, str], LaneOf]:
    """Who is asked, for each extension that is an actor: which key, and how many at once."""
    return {
        (each.category, each.extension_name): each.lane_of
        for each in classes
        if issubclass(each, ActorExtension)
    }


_turns = threading.Condition()
_running: dict[str, int] = {}


@contextmanager
def _turn(job: JobContext, key: str, limit: int) -> Iterator[None]:
    """The server keeps the limit where it knows the actor; in one process it is kept in any case."""
    with _turns:
        while _running.get(key, 0) >= max(1, limit):
            job.check()
            _turns.wait(0.5)
        _running[key] = _running.get(key, 0) + 1
    try:
        yield
    finally:
        with _turns:
            _running[key] -= 1
            _turns.notify_all()
