"""What is open, and for whom: sockets and streams, cut when their token stops counting."""

from __future__ import annotations

import asyncio
import time
from collections import Counter
from collections.abc import Callable
from dataclasses import dataclass, field

from workroom.domain.identity import Principal
from workroom.domain.room import Room
from workroom.errors import TooManyRequests
from workroom.services.access import is_in
from workroom.services.tokens import Tokens

_LONGEST_TIMER = 86_400.0


@dataclass(slots=True, eq=False)
class Connection:
    who: Principal
    close: Callable[[], None]
    rooms: set[str] = field(default_factory=set)  # whose events it may hear
    timer: asyncio.TimerHandle | None = field(default=None, repr=False)


class Connections:
    def __init__(self, tokens: Tokens, max_per_user: int) -> None:
        self._tokens = tokens
        self._max_per_user = max_per_user
        self._open: set[Connection] = set()
        self._counts: Counter[tuple[str, str]] = Counter()

    def add(self, who: Principal, close: Callable[[], None]) -> Connection:
        if self._counts[_owner(who)] >= self._max_per_user and not who.is_runner:
            raise TooManyRequests(
                f"one user may have {self._max_per_user} connections", retry_after_ms=10_000
            )
        connection = Connection(who, close)
        self._open.add(connection)
        self._counts[_owner(who)] += 1
        self._watch(connection)
        return connection

    def remove(self, connection: Connection) -> None:
        if connection in self._open:
            self._open.discard(connection)
            self._counts[_owner(connection.who)] -= 1
            if connection.timer is not None:
                connection.timer.cancel()

    def renew(self, connection: Connection, who: Principal) -> None:
        """The same caller with a fresher token."""
        connection.who = who
        if connection.timer is not None:
            connection.timer.cancel()
        self._watch(connection)

    def cut_void(self) -> None:
        """Close what was opened with a token that counts no more."""
        self._cut(lambda connection: not self._tokens.counts(connection.who))

    def cut_strangers(self, room: Room) -> None:
        """Close what listens to a room that does not admit it any more, and nothing else."""
        self._cut(lambda connection: room.name in connection.rooms and not is_in(connection.who, room))

    def _cut(self, is_out: Callable[[Connection], bool]) -> None:
        for connection in [each for each in self._open if is_out(each)]:
            connection.close()

    def _watch(self, connection: Connection) -> None:
        """A token may outlive the longest timer: then look again."""
        left = min(connection.who.expires - time.time(), _LONGEST_TIMER)
        loop = asyncio.get_running_loop()
        connection.timer = loop.call_later(max(0.0, left) + 0.01, self._expired, connection)

    def _expired(self, connection: Connection) -> None:
        if self._tokens.counts(connection.who):
            self._watch(connection)
        else:
            connection.close()


def _owner(who: Principal) -> tuple[str, str]:
    """Whose connection it is. A job has its submitter's name, but who runs it must not use up their share."""
    return (who.role, who.user if who.job is None else who.job.job_id)
