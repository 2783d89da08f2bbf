"""Collects the changes of one step: transitions get their numbers here, lanes and extensions their due."""

from __future__ import annotations

import sqlite3
from collections import defaultdict
from collections.abc import Iterable

from workroom.domain.breaker import Breaker
from workroom.domain.chat import ChatMessage
from workroom.domain.extension import ExtensionKey, Policy
from workroom.domain.identity import SERVER
from workroom.domain.job import JobState, Transition
from workroom.domain.steps import Step
from workroom.stores.sqlite.lanes import Lane, policy_of, rebalance
from workroom.stores.sqlite.statements import SQL


class Ledger:
    def __init__(self, connection: sqlite3.Connection, at_us: int) -> None:
        self.connection = connection
        self.at_us = at_us
        self.step = Step()
        self._lanes: set[Lane] = set()
        self._next = connection.execute(SQL["last_transition"]).fetchone()[0] + 1
        self._later: defaultdict[str, list[tuple[object, ...]]] = defaultdict(list)
        self._policies: dict[int, Policy] = {}
        self.breakers: dict[int, Breaker] = {}

    def policy(self, extension: int) -> Policy:
        if extension not in self._policies:
            self._policies[extension] = policy_of(self.connection, extension)
        return self._policies[extension]

    def later(self, statement: str, *values: object) -> None:
        """A change that nobody asks for before the end of the step: many such are made at once."""
        self._later[statement].append(values)

    def flush(self) -> None:
        """Make the changes that were put off, each kind in the order of its first."""
        for statement, rows in self._later.items():
            self.connection.executemany(SQL[statement], rows)
        self._later.clear()

    def record(
        self,
        job: int,
        job_id: str,
        room: str,
        user: str,
        version: int,
        status: JobState,
        attempt: int,
        worker: str | None,
        actor: str,
        reason: str | None = None,
    ) -> None:
        sequence = self._next
        self._next += 1
        self.later(
            "insert_transition",
            sequence,
            job,
            room,
            version,
            status,
            attempt,
            worker,
            actor,
            reason,
            self.at_us,
        )
        self.step.transitions.append(
            Transition(
                sequence, job_id, room, user, version, status, attempt, worker, actor, reason, self.at_us
            )
        )

    def say(self, job: int, job_id: str, room: str, text: str) -> None:
        """A line of the server's in the room's chat, about a job."""
        values = (room, SERVER, text, job, job_id, self.at_us)
        sequence = self.connection.execute(SQL["insert_chat"], values).fetchone()[0]
        self.step.said.append(ChatMessage(sequence, room, SERVER, text, job_id, self.at_us))

    def touch(self, extension: int, lane: str | None) -> None:
        """The lane has gained or lost a job or an attempt: see at the end who may go next."""
        if lane is not None:
            self._lanes.add((extension, lane))

    def retire(self, extensions: Iterable[int]) -> None:
        """Remote extensions leave once nobody offers them and nothing of theirs is unfinished."""
        self.flush()
        for extension in set(extensions):
            row = self.connection.execute(SQL["orphaned_extension"], {"extension": extension}).fetchone()
            if row is not None:
                self.connection.execute(SQL["deactivate_extension"], (extension,))
                self.step.removed.append(extension_key(*row))

    def close(self) -> Step:
        self.flush()
        for lane in self._lanes:
            added = rebalance(self.connection, lane)
            if added:
                self.step.arrive(lane[0], added)
        return self.step


def extension_key(room: str, category: str, name: str) -> ExtensionKey:
    return ExtensionKey(room or None, category, name)
