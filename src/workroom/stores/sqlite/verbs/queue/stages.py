"""Moves jobs past a limit, best first, and back."""

from __future__ import annotations

import sqlite3
from collections.abc import Mapping
from dataclasses import dataclass

from workroom.stores.sqlite.statements import SQL

_Member = tuple[int, float, int]

# The column `ready`: paced jobs have a place in their lane and wait for the rate.
PARKED, READY, PACED = 0, 1, 2


@dataclass(frozen=True, slots=True)
class Stage:
    """A limit with jobs before and behind it.

    `best` is the statement that reads the jobs before it, best first; `worst` reads those behind it, worst
    first.
    """

    connection: sqlite3.Connection
    best: str
    worst: str
    where: Mapping[str, object]
    before: int
    behind: int

    def admit(self, room: int) -> int:
        """Let the best jobs pass, as many as fit, or take the worst ones back. Returns how many passed."""
        passed = self._move(self._best(room), self.behind) if room > 0 else 0
        if room < 0:
            self._move(self._worst(-room), self.before)
        self._swap()
        return passed

    @property
    def has_waiting(self) -> bool:
        return bool(self._best(1))

    def _swap(self) -> None:
        """Replace the worst jobs behind the limit by better ones that came later."""
        while True:
            best, worst = self._best(1), self._worst(1)
            if not best or not worst or best[0] > worst[0]:
                return
            self._move(best, self.behind)
            self._move(worst, self.before)

    def _best(self, limit: int) -> list[_Member]:
        values = {**self.where, "ready": self.before, "limit": limit}
        return self.connection.execute(SQL[self.best], values).fetchall()

    def _worst(self, limit: int) -> list[_Member]:
        return self.connection.execute(SQL[self.worst], {**self.where, "limit": limit}).fetchall()

    def _move(self, members: list[_Member], ready: int) -> int:
        self.connection.executemany(SQL["set_ready"], [(ready, sequence) for _, _, sequence in members])
        return len(members)
