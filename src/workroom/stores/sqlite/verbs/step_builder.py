"""Collects the changes of one store step and writes them together."""

from __future__ import annotations

import sqlite3
from collections import defaultdict
from collections.abc import Iterable

from workroom.domain.extension import ExtensionKey, Policy
from workroom.domain.identity import SERVER
from workroom.domain.job import TERMINAL, JobState, Transition
from workroom.domain.room import ChatMessage
from workroom.domain.rules.breaker import Breaker
from workroom.domain.rules.workers import departure
from workroom.domain.steps import Step
from workroom.stores.sqlite.statements import SQL
from workroom.stores.sqlite.verbs.groups import following
from workroom.stores.sqlite.verbs.groups.following import LinkedEnd
from workroom.stores.sqlite.verbs.queue.lanes import Lane, policy_of, rebalance
from workroom.stores.sqlite.verbs.workers.extension_usage import End, usage_row


class StepBuilder:
    """Numbers transitions, defers writes to one `executemany` per statement, and rebalances touched lanes."""

    def __init__(self, connection: sqlite3.Connection, at_us: int) -> None:
        self.connection = connection
        self.at_us = at_us
        self.step = Step()
        self._lanes: set[Lane] = set()
        self._next = connection.execute(SQL["last_transition"]).fetchone()[0] + 1
        self._deferred: defaultdict[str, list[tuple[object, ...]]] = defaultdict(list)
        self._policies: dict[int, Policy] = {}
        self._unfinished: dict[tuple[str, str], int] = {}  # change in unfinished jobs, by user and room
        self._ends: defaultdict[int, list[End]] = defaultdict(list)  # by extension
        self.linked_ends: list[LinkedEnd] = []
        self.breakers: dict[int, Breaker] = {}
        self.changed_breakers: set[int] = set()

    def policy(self, extension: int) -> Policy:
        if extension not in self._policies:
            self._policies[extension] = policy_of(self.connection, extension)
        return self._policies[extension]

    def defer(self, statement: str, *values: object) -> None:
        """Write a row at the end of the step, together with others of the same statement."""
        self._deferred[statement].append(values)

    def flush(self) -> None:
        """Write the deferred rows, one statement after the other in order of first use."""
        for statement, rows in self._deferred.items():
            self.connection.executemany(SQL[statement], rows)
        self._deferred.clear()
        for extension in self.changed_breakers:
            breaker = self.breakers[extension]
            values = (breaker.ends, breaker.opened_us, breaker.trial, extension)
            self.connection.execute(SQL["save_breaker"], values)
        self.changed_breakers.clear()

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
        *,
        created_us: int,
        started_us: int | None = None,
    ) -> None:
        """`started_us` is when the job started, as the store has it before this step."""
        sequence = self._next
        self._next += 1
        is_terminal = status in TERMINAL
        at_us = self.at_us
        if status is JobState.RUNNING:
            started_us = at_us
        elif not is_terminal:
            started_us = None
        if version == 1 or is_terminal:
            owner = (user, room)
            self._unfinished[owner] = self._unfinished.get(owner, 0) + (1 if version == 1 else -1)
        self._deferred["insert_transition"].append(  # `defer`, without the call
            (sequence, job, room, version, status, attempt, worker, actor, reason, at_us)
        )
        self.step.transitions.append(
            Transition(
                sequence,
                job_id,
                room,
                user,
                version,
                status,
                attempt,
                worker,
                actor,
                reason,
                at_us,
                created_us,
                started_us,
            )
        )

    def count_end(
        self, extension: int, job: int, status: JobState, created_us: int, started_us: int | None
    ) -> None:
        """Add the end of a job to the usage of its extension."""
        self._ends[extension].append(End(job, status, created_us, started_us))

    def link_end(self, job: int, job_id: str, status: JobState, group: str | None, is_followed: int) -> None:
        """Follow up at the end of the step, if the job belongs to a group or others wait for it."""
        if group is not None or is_followed:
            self.linked_ends.append(LinkedEnd(job, job_id, status, group, bool(is_followed)))

    def post_chat(self, job: int, job_id: str, room: str, text: str) -> None:
        """Post a chat message of the server about a job."""
        values = (room, SERVER, text, job, job_id, self.at_us, None)
        sequence = self.connection.execute(SQL["insert_chat"], values).fetchone()[0]
        self.step.chat.append(ChatMessage(sequence, room, SERVER, text, job_id, self.at_us))

    def recheck_lane(self, extension: int, lane: str | None) -> None:
        """Rebalance the lane at the end of the step, because it gained or lost a job or an attempt."""
        if lane is not None:
            self._lanes.add((extension, lane))

    def depart(self, extensions: Iterable[int], linger_us: int = 0, *, is_withdrawn: bool = False) -> None:
        """Note which of these extensions no worker offers any more, and when they leave."""
        leaves = departure.leaves_us(self.at_us, linger_us, is_withdrawn=is_withdrawn)
        for extension in set(extensions):
            values = {"extension": extension, "now": self.at_us, "leaves": leaves}
            row = self.connection.execute(SQL["depart"], values).fetchone()
            if row is not None:
                self.step.departed.append(extension_key(*row))

    def retire(self, extensions: Iterable[int]) -> None:
        """Deactivate those of these extensions that departed, have lingered and have no unfinished job."""
        self.flush()
        for extension in set(extensions):
            row = self.connection.execute(SQL["departing_extension"], (extension,)).fetchone()
            if row is not None and self._is_over(extension, row[0]):
                self.connection.execute(SQL["deactivate_extension"], (extension,))
                self.step.removed.append(extension_key(*row[1:]))

    def _is_over(self, extension: int, leaves_us: int) -> bool:
        unfinished = self.connection.execute(SQL["unfinished_of_extension"], {"extension": extension})
        return departure.is_over(
            leaves_us,
            self.at_us,
            is_offered=bool(self.connection.execute(SQL["is_offered"], (extension,)).fetchone()[0]),
            is_unfinished=bool(unfinished.fetchone()[0]),
        )

    def build(self) -> Step:
        if self.linked_ends:
            self.flush()
            following.follow_ends(self)
        for (user, room), change in self._unfinished.items():
            self.defer("charge_jobs", user, room, change)
        self.flush()
        for extension, ends in self._ends.items():
            self.connection.execute(SQL["count_ends"], usage_row(extension, ends, self.at_us))
        for lane in self._lanes:
            rebalanced = rebalance(self.connection, lane, self.policy(lane[0]), self.at_us)
            self.step.wake_in(rebalanced.opens_s)
            if rebalanced.added:
                self.step.arrive(lane[0], rebalanced.added)
        return self.step


def extension_key(room: str, category: str, name: str) -> ExtensionKey:
    return ExtensionKey(room or None, category, name)
