"""Which providers there are, and how many tasks each may have at once."""

from __future__ import annotations

from collections.abc import Callable
from typing import ClassVar

from workroom.packs.media.providers.provider import MediaProvider


class _Entry:
    def __init__(self, make: Callable[[], MediaProvider], concurrency: int, rate: str | None) -> None:
        self.make = make
        self.concurrency = concurrency
        self.rate = rate
        self.provider: MediaProvider | None = None


class MediaProviderRegistry:
    """The providers by name. A provider is made when it is first used."""

    _entries: ClassVar[dict[str, _Entry]] = {}

    @classmethod
    def register(
        cls,
        name: str,
        provider: Callable[[], MediaProvider],
        concurrency: int = 1,
        rate: str | None = None,
    ) -> None:
        """Add a provider class, or a function that makes one; the same name replaces it.

        `rate` is how many tasks may start in a time: `100/min`.
        """
        if concurrency < 1:
            raise ValueError("a provider takes at least one task at once")
        cls._entries[name] = _Entry(provider, concurrency, rate)

    @classmethod
    def get(cls, name: str) -> MediaProvider:
        """Raises ValueError for a name that is not registered."""
        entry = cls._entries.get(name)
        if entry is None:
            known = ", ".join(cls.list_providers()) or "none"
            raise ValueError(f"Unknown provider: {name}. There are: {known}")
        if entry.provider is None:
            entry.provider = entry.make()
        return entry.provider

    @classmethod
    def get_concurrency(cls, name: str) -> int:
        """How many tasks a provider takes at once; 1 if it is not registered."""
        entry = cls._entries.get(name)
        return 1 if entry is None else entry.concurrency

    @classmethod
    def get_rate(cls, name: str) -> str | None:
        entry = cls._entries.get(name)
        return None if entry is None else entry.rate

    @classmethod
    def list_providers(cls) -> list[str]:
        return list(cls._entries)

    @classmethod
    def unregister(cls, name: str) -> None:
        entry = cls._entries.pop(name, None)
        if entry is not None and entry.provider is not None:
            entry.provider.close()
