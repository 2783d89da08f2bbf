"""Who is in a room: the people whose sockets have joined it, here and on other servers."""

from __future__ import annotations

import asyncio
import secrets
from collections.abc import Callable, Mapping, Sequence
from dataclasses import dataclass, field

from workroom.domain.events import Event, PresenceChanged
from workroom.domain.identity import PEOPLE, Principal
from workroom.ports import Clock

_DELAY_SECONDS = 0.2  # a reload leaves and joins: nobody need see that
_ANNOUNCE_SECONDS = 20.0
_EXPIRY_SECONDS = 60.0  # without an announcement: the server that had them is gone
_MAX_ANNOUNCED = 500

People = dict[str, int]  # since when, in microseconds, by user


@dataclass(slots=True)
class _Announced:
    """What another server announced about a room, and when."""

    people: People
    at: float


@dataclass(slots=True)
class _Room:
    """The sockets that have joined a room, and who was announced last."""

    sockets: dict[str, Principal] = field(default_factory=dict)
    here: People = field(default_factory=dict)


class Presence:
    """Servers announce the people of each room to one another, again and again: a lost message costs time."""

    def __init__(self, publish: Callable[[Sequence[Event]], None], clock: Clock) -> None:
        self._publish = publish
        self._clock = clock
        self._server = secrets.token_hex(8)
        self._rooms: dict[str, _Room] = {}
        self._others: dict[tuple[str, str], _Announced] = {}  # by room and server
        self._changed: set[str] = set()
        self._wake = asyncio.Event()

    def join(self, room: str, sid: str, who: Principal) -> None:
        """A socket joined a room. Jobs and workers are not present: people are."""
        if who.job is None and who.role in PEOPLE:
            self._rooms.setdefault(room, _Room()).sockets[sid] = who
            self._note(room)

    def leave(self, room: str, sid: str) -> None:
        """A socket left a room, or lost it. It may not have been there."""
        found = self._rooms.get(room)
        if found is not None and found.sockets.pop(sid, None) is not None:
            self._note(room)

    def receive(self, event: PresenceChanged) -> None:
        """Another server announced who is there."""
        if event.server != self._server:
            key = (event.room, event.server)
            people = dict(zip(event.people, event.since_us, strict=True))
            self._others[key] = _Announced(people, self._clock.monotonic())
            if not event.people:
                del self._others[key]

    def of_room(self, room: str) -> Mapping[str, int]:
        """The people in a room, and since when; who came first is first."""
        found = self._rooms.get(room)
        people = dict(found.here) if found is not None else {}
        for (other, _), announced in self._others.items():
            if other == room and self._is_live(announced):
                for user, since_us in announced.people.items():
                    people[user] = min(since_us, people.get(user, since_us))
        return dict(sorted(people.items(), key=lambda each: each[1]))

    async def run(self) -> None:
        """Announce changes soon, and everybody from time to time."""
        while True:
            try:
                async with asyncio.timeout(_ANNOUNCE_SECONDS):
                    await self._wake.wait()
            except TimeoutError:
                self._expire()
                self._announce(list(self._rooms))
                continue
            await asyncio.sleep(_DELAY_SECONDS)
            self._wake.clear()
            changed, self._changed = self._changed, set()
            self._announce([room for room in changed if self._update(room)])

    def _note(self, room: str) -> None:
        self._changed.add(room)
        self._wake.set()

    def _update(self, room: str) -> bool:
        """Note who is there now, and return whether that is somebody else than before."""
        found = self._rooms[room]
        now_us = self._clock.now_us()
        users = {who.user for who in found.sockets.values()}
        is_changed = users != set(found.here)
        found.here = {user: found.here.get(user, now_us) for user in users}
        return is_changed

    def _announce(self, rooms: Sequence[str]) -> None:
        events = []
        for room in rooms:
            here = self._rooms[room].here
            people = tuple(sorted(here, key=lambda user: here[user])[:_MAX_ANNOUNCED])
            events.append(PresenceChanged(room, self._server, people, tuple(here[user] for user in people)))
            if not self._rooms[room].sockets and not people:
                del self._rooms[room]
        if events:
            self._publish(events)

    def _expire(self) -> None:
        self._others = {key: each for key, each in self._others.items() if self._is_live(each)}

    def _is_live(self, announced: _Announced) -> bool:
        return self._clock.monotonic() - announced.at < _EXPIRY_SECONDS
