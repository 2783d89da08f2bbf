"""Everything that a token keeps open: sockets, streams, and requests that wait for a job."""

from __future__ import annotations

import asyncio
import time
from collections import Counter
from collections.abc import Callable
from dataclasses import dataclass, field

from workroom.domain.identity import Principal
from workroom.errors import TooManyRequests
from workroom.services.identity.tokens import Tokens

_MAX_TIMER_SECONDS = 86_400.0


@dataclass(slots=True, eq=False)
class Connection:
    principal: Principal
    close: Callable[[], None]
    is_counted: bool = True
    timer: asyncio.TimerHandle | None = field(default=None, repr=False)


class Connections:
    """Limits the connections of one user, and closes each when its token expires or is revoked."""

    def __init__(self, tokens: Tokens, max_per_user: int) -> None:
        self._tokens = tokens
        self._max_per_user = max_per_user
        self._open: set[Connection] = set()
        self._counts: Counter[tuple[str, str]] = Counter()

    def add(self, principal: Principal, close: Callable[[], None], *, is_counted: bool = True) -> Connection:
        """Waiting requests are not counted: they have a limit of their own."""
        is_limited = is_counted and not principal.is_runner
        if is_limited and self._counts[_owner(principal)] >= self._max_per_user:
            raise TooManyRequests(
                f"one user may have {self._max_per_user} connections", retry_after_ms=10_000
            )
        connection = Connection(principal, close, is_counted)
        self._open.add(connection)
        if is_counted:
            self._counts[_owner(principal)] += 1
        self._watch(connection)
        return connection

    def remove(self, connection: Connection) -> None:
        if connection in self._open:
            self._open.discard(connection)
            if connection.is_counted:
                self._discount(_owner(connection.principal))
            if connection.timer is not None:
                connection.timer.cancel()

    def renew(self, connection: Connection, principal: Principal) -> None:
        """Replace the token by a newer one of the same principal."""
        connection.principal = principal
        if connection.timer is not None:
            connection.timer.cancel()
        self._watch(connection)

    def close_revoked(self) -> None:
        """Close every connection whose token is no longer valid."""
        for connection in [each for each in self._open if not self._tokens.is_valid(each.principal)]:
            connection.close()

    def _discount(self, owner: tuple[str, str]) -> None:
        self._counts[owner] -= 1
        if not self._counts[owner]:
            del self._counts[owner]

    def _watch(self, connection: Connection) -> None:
        """Check again when the token expires, or after the longest timer."""
        left = min(connection.principal.expires - time.time(), _MAX_TIMER_SECONDS)
        loop = asyncio.get_running_loop()
        connection.timer = loop.call_later(max(0.0, left) + 0.01, self._check, connection)

    def _check(self, connection: Connection) -> None:
        if self._tokens.is_valid(connection.principal):
            self._watch(connection)
        else:
            connection.close()


def _owner(principal: Principal) -> tuple[str, str]:
    """A job counts for itself: it must not use up the connections of its submitter."""
    return (principal.role, principal.user if principal.job is None else principal.job.job_id)
