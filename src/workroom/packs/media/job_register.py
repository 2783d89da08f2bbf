"""What is durable about the order of a job: kept with the job, and shown in its record.

An order that was refused may be sent again, so each sending has a number, which is a part of its key.
"""

from __future__ import annotations

from collections.abc import Callable
from datetime import datetime

from workroom import JobContext
from workroom.packs.media.acceptance import Decision
from workroom.packs.media.generation_record import GenerationRecord
from workroom.packs.media.providers import Accepted
from workroom.packs.media.settlement import Entry, sendings

ANSWER_S = 86_400.0  # meanwhile it counts as one of those that the provider runs


class JobRegister:
    """`check` is called before each intent, and raises if the order must not be sent."""

    def __init__(
        self,
        job: JobContext,
        provider: str,
        digest: str,
        record: GenerationRecord,
        check: Callable[[], None],
    ) -> None:
        self._job = job
        self._provider = provider
        self._digest = digest
        self._record = record
        self._check = check
        self._questions = 0
        self._sending: int | None = None

    def task_id(self) -> str | None:
        """Of the last sending that has one."""
        external = self._job.external
        keys = [self._key(number) for number in range(len(self._intents()), 0, -1)]
        return next((external[key] for key in keys if key in external), None)

    def intended_at(self) -> float | None:
        intents = self._intents()
        return _time(intents[-1]) if len(intents) > self._record.generation.refused else None

    def check(self) -> None:
        self._check()

    def intend(self) -> None:
        self._sending = len(self._intents()) + 1
        self._job.intend(self._key(self._sending), self._digest)

    def withdraw(self) -> None:
        self._record.refuse(self._number())

    def accept(self, accepted: Accepted) -> None:
        """The job's own entry comes first: it is taken even if this attempt is over."""
        self._job.set_external(self._key(self._number()), accepted.task_id)
        self._record.accept(accepted)

    def decide(self, reason: str) -> Decision:
        self._questions += 1
        question = (
            f"An order was sent to {self._provider}, but whether it was accepted is not known ({reason}). "
            "Look at the account there before you decide."
        )
        key = f"{self._key(self._number())} {self._questions}"
        decision: Decision = self._job.ask(question, Decision, timeout=ANSWER_S, key=key)
        return decision

    def _number(self) -> int:
        """Of the last sending of this attempt, whatever later ones send meanwhile; else of an earlier one."""
        return len(self._intents()) if self._sending is None else self._sending

    def _key(self, number: int) -> str:
        return f"{self._provider}.{number}"

    def _intents(self) -> list[Entry]:
        return sendings(self._provider, self._job.intents)


def _time(intent: Entry) -> float:
    return datetime.fromisoformat(intent["at"]).timestamp()
