"""What an accepted job is promised, and what a configuration of Redis falls short of."""

from __future__ import annotations

from dataclasses import dataclass
from enum import StrEnum

NO_EVICTION = "noeviction"


class Durability(StrEnum):
    """What is true of a job that was accepted."""

    ALWAYS = "always"  # it is on disk
    EVERYSEC = "everysec"  # it is on disk within about a second
    NONE = "none"  # it is lost if the store stops


@dataclass(frozen=True, slots=True)
class Guarantees:
    """What a store must keep to: how durable a step is, and how many replicas have it."""

    durability: Durability = Durability.ALWAYS
    replicas: int = 0


@dataclass(frozen=True, slots=True)
class DurabilityConfig:
    """The settings of a Redis server. `appendfsync` is None if the server does not reveal it."""

    appendonly: bool
    appendfsync: str | None
    eviction: str

    @property
    def durability(self) -> Durability | None:
        """None if the server does not reveal it."""
        if not self.appendonly or self.appendfsync == "no":
            return Durability.NONE
        return None if self.appendfsync is None else Durability(self.appendfsync)


_ORDER = list(Durability)


def shortfalls(config: DurabilityConfig, promised: Durability) -> list[str]:
    """Return why a store with this configuration must not be used, and what to do. Empty if it may be."""
    found = []
    if config.eviction != NO_EVICTION:
        found.append(
            f"maxmemory-policy is {config.eviction}, so it deletes jobs when memory runs out:"
            " set maxmemory-policy noeviction"
        )
    actual = config.durability
    if actual is not None and _ORDER.index(actual) > _ORDER.index(promised):
        remedy = f"appendfsync {promised}" if config.appendonly else f"appendonly yes, appendfsync {promised}"
        found.append(f"{_loss(config)}: set {remedy}, or WORKROOM_DURABILITY={actual}")
    return found


def warnings(config: DurabilityConfig) -> list[str]:
    """Return what a store that may be used can lose nevertheless."""
    if config.durability is None:
        return ["the server does not reveal appendfsync: make sure that it is what you promise"]
    return [] if config.durability is Durability.ALWAYS else [_loss(config)]


def _loss(config: DurabilityConfig) -> str:
    if not config.appendonly:
        return "it has no append-only file, so accepted jobs are lost when it stops"
    wait = "a second" if config.appendfsync == "everysec" else "half a minute"
    return f"appendfsync is {config.appendfsync}, so jobs accepted within {wait} before a crash may be lost"
