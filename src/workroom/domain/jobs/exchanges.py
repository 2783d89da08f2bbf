"""What a job exchanges with the outside while it runs: ids and intents at providers, questions and answers.

Few jobs have any of it, so it is kept apart from the records that every job needs to run.
"""

from __future__ import annotations

from dataclasses import dataclass
from enum import StrEnum


@dataclass(frozen=True, slots=True)
class External:
    """The id under which a provider has accepted the job's request."""

    provider: str
    id: str
    attempt: int
    at_us: int


@dataclass(frozen=True, slots=True)
class Intent:
    """An attempt was about to send a request to a provider. Without an id, nobody knows whether it did."""

    provider: str
    digest: str
    attempt: int
    at_us: int


@dataclass(frozen=True, slots=True)
class Question:
    """A question of a job to the people in its room; `schema` and `answer` are JSON.

    `key` is the same in every attempt that asks it, so that a later one finds the answer.
    """

    id: int
    key: str
    text: str
    schema: str
    attempt: int
    asked_us: int
    expires_us: int | None = None
    answer: str | None = None
    answered_by: str | None = None
    answered_us: int | None = None


class QuestionState(StrEnum):
    OPEN = "open"
    ANSWERED = "answered"
    EXPIRED = "expired"
    CLOSED = "closed"  # its job ended without an answer


@dataclass(frozen=True, slots=True)
class Exchanges:
    external: tuple[External, ...] = ()
    intents: tuple[Intent, ...] = ()
    questions: tuple[Question, ...] = ()

    @property
    def count(self) -> int:
        return len(self.external) + len(self.intents) + len(self.questions)


NO_EXCHANGES = Exchanges()


@dataclass(frozen=True, slots=True)
class ExchangeLimits:
    """How many entries one job may have, and how many bytes all of them."""

    entries: int = 200
    bytes: int = 1_000_000


def state_of(question: Question, *, has_ended: bool, now_us: int) -> QuestionState:
    """Whether it can still be answered: as long as its job has not ended, in any attempt."""
    if question.answer is not None:
        return QuestionState.ANSWERED
    if question.expires_us is not None and question.expires_us <= now_us:
        return QuestionState.EXPIRED
    return QuestionState.CLOSED if has_ended else QuestionState.OPEN
