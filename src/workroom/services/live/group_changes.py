"""Publishes changes of groups: of each group at most a few a second, however many jobs end."""

from __future__ import annotations

import asyncio
from collections.abc import Callable, Iterable, Sequence

from workroom.domain.events import Event, GroupChanged
from workroom.domain.jobs.group import ChangedGroup

_SECONDS = 0.25  # between two publications


class GroupChanges:
    def __init__(self, publish: Callable[[Sequence[Event]], None]) -> None:
        self._publish = publish
        self._changed: dict[str, GroupChanged] = {}
        self._timer: asyncio.TimerHandle | None = None

    def add(self, groups: Iterable[ChangedGroup]) -> None:
        """The first change is published at once, those that follow soon after it together."""
        for group in groups:
            self._changed[group.id] = GroupChanged(group.id, group.room, group.version)
        if self._timer is None:
            self._flush()

    def _flush(self) -> None:
        changed, self._changed, self._timer = list(self._changed.values()), {}, None
        if changed:
            self._publish(changed)
            self._timer = asyncio.get_running_loop().call_later(_SECONDS, self._flush)

    def close(self) -> None:
        if self._timer is not None:
            self._timer.cancel()
