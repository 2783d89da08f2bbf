"""Turns actors, classes with `get_concurrency_info` and `execute`, into extensions."""

from __future__ import annotations

import inspect
from abc import ABC, abstractmethod
from collections.abc import Callable, Sequence
from contextlib import AbstractContextManager, nullcontext
from functools import cache, partial
from typing import Any, ClassVar

from pydantic import ConfigDict

from workroom.domain.extension import ACTOR_RETRIES, BY_ACTOR, Concurrency
from workroom.runtime.actor_slots import hold_slot
from workroom.runtime.context import JobContext
from workroom.runtime.extension import Extension

CATEGORY = "actors"

ProgressCallback = Callable[[int, str], None]  # (elapsed_ms, message)


class Actor(ABC):
    """The interface of actors: subclass it, or write a class with the same methods."""

    @property
    @abstractmethod
    def name(self) -> str:
        """The name in `POST /api/task {"actor": name}`."""

    @abstractmethod
    def get_concurrency_info(self, payload: dict[str, Any]) -> tuple[str, int]:
        """Return the concurrency key of a task, and how many tasks with that key may run at once."""

    @abstractmethod
    def execute(self, payload: dict[str, Any], progress_callback: ProgressCallback) -> dict[str, Any]:
        """Run a task and return its result; raise to fail. Call `progress_callback(elapsed_ms, message)`."""


def is_actor(found: object) -> bool:
    """Whether this is a concrete class with the methods of an actor, whatever its base."""
    if not inspect.isclass(found) or inspect.isabstract(found) or issubclass(found, Extension):
        return False
    return callable(getattr(found, "get_concurrency_info", None)) and callable(
        getattr(found, "execute", None)
    )


def as_extension(found: type) -> type[Extension]:
    return _wrap(found) if is_actor(found) else found


class ActorRegistry:
    """The actors of a process by name. `workroom worker module:ActorRegistry` serves all of them."""

    _actors: ClassVar[dict[str, Any]] = {}

    @classmethod
    def register(cls, actor: Any) -> None:
        """Add an instance of an actor; one of the same name is replaced."""
        if not is_actor(type(actor)):
            raise TypeError(f"{actor!r} is not an actor: it needs get_concurrency_info() and execute()")
        cls._actors[actor.name] = actor

    @classmethod
    def get(cls, name: str) -> Any | None:
        return cls._actors.get(name)

    @classmethod
    def names(cls) -> list[str]:
        return list(cls._actors)

    @classmethod
    def extensions(cls) -> list[type[Extension]]:
        """An extension for each registered actor, to register with a room."""
        return [
            _extension(type(actor), partial(cls._actors.__getitem__, name))
            for name, actor in cls._actors.items()
        ]


class ActorExtension(Extension):
    """Runs an actor: the data of the job is its payload."""

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

        with self._slot(job):
            return actor.execute(self.payload, progress)

    def _slot(self, job: JobContext) -> AbstractContextManager[None]:
        """The store keeps declared limits, over all machines. Only the actor's own code knows others."""
        concurrency = self.policy.concurrency
        if concurrency is not None and concurrency.key != BY_ACTOR:
            return nullcontext()
        key, limit = self.lane_of(self.payload)
        return hold_slot(f"{self.extension_name} {key}", limit, job.check)


@cache
def _wrap(kind: type) -> type[Extension]:
    return _extension(kind, cache(kind))  # one instance for all tasks, created with the first


def _extension(kind: type, make: Callable[[], Any]) -> type[Extension]:
    declared = getattr(kind, "name", None)
    name = declared if isinstance(declared, str) else str(make().name)
    concurrency = getattr(kind, "concurrency", None) or Concurrency(BY_ACTOR)
    made: type[Extension] = type(
        kind.__name__,
        (ActorExtension,),
        {"__doc__": kind.__doc__, "__module__": kind.__module__, "make": staticmethod(make)},
        category=CATEGORY,
        actor=name,
        retries=ACTOR_RETRIES,
        concurrency=concurrency,
    )
    return made


LaneOf = Callable[[dict[str, Any]], tuple[str, int]]


def actor_lanes(classes: Sequence[type[Extension]]) -> dict[tuple[str, str], LaneOf]:
    """For each extension that is an actor, the function that gives a payload's key and limit."""
    return {
        (each.category, each.extension_name): each.lane_of
        for each in classes
        if issubclass(each, ActorExtension)
    }
