"""The terms of a search. Each matches a job or not; a search matches if all its terms do."""

from __future__ import annotations

from collections.abc import Callable, Iterator
from dataclasses import dataclass, field
from enum import StrEnum

from workroom.domain.job import Job, JobState
from workroom.domain.jobs.annotation import UNANNOTATED, Annotation
from workroom.domain.search.values import Operator, at_path, compares, contains, leaves


@dataclass(frozen=True, slots=True)
class Candidate:
    """A job with its decoded values, and the error as a list shows it: its type and message."""

    job: Job
    data: object
    error: str = ""

    @property
    def annotation(self) -> Annotation:
        return self.job.annotation or UNANNOTATED

    @property
    def extension(self) -> str:
        return f"{self.job.category}/{self.job.name}"


@dataclass(frozen=True, slots=True)
class Term:
    @property
    def needs_annotation(self) -> bool:
        """Whether only jobs that people wrote about can match."""
        return False

    def matches(self, candidate: Candidate) -> bool:
        raise NotImplementedError


@dataclass(frozen=True, slots=True)
class Text(Term):
    """A part of the tool, the id, the name, a tag, the note, the error or a value, whatever its case."""

    text: str

    def matches(self, candidate: Candidate) -> bool:
        folded = self.text.casefold()
        return any(folded in each.casefold() for each in _texts(candidate)) or any(
            contains(value, folded) for value in leaves(candidate.data)
        )


def _texts(candidate: Candidate) -> Iterator[str]:
    annotation = candidate.annotation
    yield from (candidate.extension, candidate.job.id, annotation.name, annotation.note, candidate.error)
    yield from annotation.tags


class Part(StrEnum):
    """What a term such as `name:relax` searches."""

    TOOL = "tool"
    NAME = "name"
    NOTE = "note"
    ERROR = "error"


_PARTS: dict[Part, Callable[[Candidate], str]] = {
    Part.TOOL: lambda candidate: candidate.extension,
    Part.NAME: lambda candidate: candidate.annotation.name,
    Part.NOTE: lambda candidate: candidate.annotation.note,
    Part.ERROR: lambda candidate: candidate.error,
}


@dataclass(frozen=True, slots=True)
class PartContains(Term):
    part: Part
    text: str

    @property
    def needs_annotation(self) -> bool:
        return self.part in (Part.NAME, Part.NOTE)

    def matches(self, candidate: Candidate) -> bool:
        return self.text.casefold() in _PARTS[self.part](candidate).casefold()


@dataclass(frozen=True, slots=True)
class OfUser(Term):
    user: str

    def matches(self, candidate: Candidate) -> bool:
        return candidate.job.user == self.user


@dataclass(frozen=True, slots=True)
class OfExtension(Term):
    category: str
    name: str

    def matches(self, candidate: Candidate) -> bool:
        return (candidate.job.category, candidate.job.name) == (self.category, self.name)


@dataclass(frozen=True, slots=True)
class InState(Term):
    states: frozenset[JobState]

    def matches(self, candidate: Candidate) -> bool:
        return candidate.job.status in self.states


@dataclass(frozen=True, slots=True)
class Starred(Term):
    @property
    def needs_annotation(self) -> bool:
        return True

    def matches(self, candidate: Candidate) -> bool:
        return candidate.annotation.starred


@dataclass(frozen=True, slots=True)
class Tagged(Term):
    tag: str

    @property
    def needs_annotation(self) -> bool:
        return True

    def matches(self, candidate: Candidate) -> bool:
        return self.tag.casefold() in (tag.casefold() for tag in candidate.annotation.tags)


@dataclass(frozen=True, slots=True)
class Submitted(Term):
    """From `since_us` up to, but not including, `until_us`."""

    since_us: int | None = None
    until_us: int | None = None

    def matches(self, candidate: Candidate) -> bool:
        at_us = candidate.job.created_at_us
        return (self.since_us is None or at_us >= self.since_us) and (
            self.until_us is None or at_us < self.until_us
        )


@dataclass(frozen=True, slots=True)
class Compared(Term):
    """A condition on a parameter, such as `window>5`. A job without the parameter does not match."""

    path: tuple[str, ...]
    operator: Operator
    text: str

    def matches(self, candidate: Candidate) -> bool:
        return any(compares(value, self.operator, self.text) for value in at_path(candidate.data, self.path))


@dataclass(frozen=True, slots=True)
class Not(Term):
    term: Term

    def matches(self, candidate: Candidate) -> bool:
        return not self.term.matches(candidate)


@dataclass(frozen=True, slots=True)
class Search:
    terms: tuple[Term, ...] = field(default=())

    @property
    def needs_annotation(self) -> bool:
        return any(term.needs_annotation for term in self.terms)

    @property
    def since_us(self) -> int | None:
        """No job from before this time matches."""
        bounds = [term.since_us for term in self.terms if isinstance(term, Submitted) and term.since_us]
        return max(bounds, default=None)

    def matches(self, candidate: Candidate) -> bool:
        return all(term.matches(candidate) for term in self.terms)
