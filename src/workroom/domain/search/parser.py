"""Reads what a person types into the search box, such as `user:ada since:2026-11-01 starred window>5 relax`.

Raises InvalidRequest with a plain sentence where it cannot be understood.
"""

from __future__ import annotations

import re
from collections.abc import Callable
from dataclasses import dataclass

from workroom.domain.job import JobState, parse_state
from workroom.domain.search.periods import parse_period
from workroom.domain.search.terms import (
    Compared,
    InState,
    Not,
    OfUser,
    Part,
    PartContains,
    Search,
    Starred,
    Submitted,
    Tagged,
    Term,
    Text,
)
from workroom.domain.search.values import Operator
from workroom.errors import InvalidRequest

MAX_QUERY = 500
MAX_TERMS = 20
STARRED = "starred"
ME = "me"
_QUEUED = frozenset({JobState.PENDING, JobState.ASSIGNED})
_QUEUED_WORDS = ("queued", "submitted")
_ENDED_WORDS = ("ended", "over")

_TERM = re.compile(
    r"""\s*(?P<negated>-)?(?:
      "(?P<quoted>[^"]*)"
    | (?P<path>[^\W\d][\w.-]*)\s*(?P<operator><=|>=|!=|==|[=<>≤≥≠])\s*(?P<value>"[^"]*"|[^\s"]*)
    | (?P<key>[^\W\d]\w*):(?P<argument>"[^"]*"|[^\s"]*)
    | (?P<word>[^\s"]+)
    )""",
    re.VERBOSE,
)
_SIGNS = "=<>≤≥≠"
_OPERATORS = {"==": "=", "≤": "<=", "≥": ">=", "≠": "!="}


@dataclass(frozen=True, slots=True)
class _Reader:
    """Who searches, and when: for `user:me` and `since:7d`."""

    me: str
    now_us: int

    def user(self, text: str) -> Term:
        return OfUser(self.me if text.lower() == ME else text.removeprefix("@"))

    def state(self, text: str) -> Term:
        word = text.lower()
        if word in _QUEUED_WORDS:
            return InState(_QUEUED)
        if word in _ENDED_WORDS:
            return InState(frozenset(state for state in JobState if state.is_terminal))
        try:
            return InState(frozenset({parse_state(word)}))
        except ValueError:
            states = ", ".join(state.value for state in JobState)
            raise InvalidRequest(f"there is no state '{text}': use {states}, queued or ended") from None

    def since(self, text: str) -> Term:
        return Submitted(since_us=parse_period(text, self.now_us).start_us)

    def until(self, text: str) -> Term:
        return Submitted(until_us=parse_period(text, self.now_us).end_us)

    def before(self, text: str) -> Term:
        return Submitted(until_us=parse_period(text, self.now_us).start_us)

    def on(self, text: str) -> Term:
        period = parse_period(text, self.now_us)
        if period.start_us == period.end_us:
            raise InvalidRequest(f"'{text}' is a moment: write on:2026-11-01, or since:{text}")
        return Submitted(period.start_us, period.end_us)

    def flag(self, text: str) -> Term:
        if text.lower() == STARRED:
            return Starred()
        raise InvalidRequest(f"'is:{text}' is not understood: there is is:{STARRED}")


def parse_search(text: str, *, me: str, now_us: int) -> Search:
    """All terms must match. `-` in front of a term excludes what it matches, and quotes make a phrase."""
    if len(text) > MAX_QUERY:
        raise InvalidRequest(f"the search has {len(text):,} characters: at most {MAX_QUERY} are allowed")
    if text.count('"') % 2:
        raise InvalidRequest('a quotation mark is missing: write "two words"')
    reader = _Reader(me, now_us)
    terms: list[Term] = []
    position, end = 0, len(text.rstrip())
    while position < end:
        found = _TERM.match(text, position)
        if found is None:
            raise InvalidRequest(f"'{text[position:].strip()[:40]}' is not understood")
        terms.append(_term(found, reader))
        position = found.end()
    if len(terms) > MAX_TERMS:
        raise InvalidRequest(f"the search has {len(terms)} terms: at most {MAX_TERMS} are allowed")
    return Search(tuple(terms))


def _term(found: re.Match[str], reader: _Reader) -> Term:
    term = _positive(found, reader)
    return Not(term) if found["negated"] else term


def _positive(found: re.Match[str], reader: _Reader) -> Term:
    if found["path"] is not None:
        return _condition(found["path"], found["operator"], found["value"])
    if found["key"] is not None:
        return _filter(found["key"], found["argument"].strip('"').strip(), reader)
    if found["quoted"] is not None:
        if not found["quoted"].strip():
            raise InvalidRequest("there is nothing between the quotation marks")
        return Text(found["quoted"])
    return _word(found["word"])


def _word(word: str) -> Term:
    if word[0] in _SIGNS:
        raise InvalidRequest(f"'{word}' needs a parameter in front of it, such as window{word}")
    return Starred() if word.lower() == STARRED else Text(word)


def _condition(path: str, operator: str, value: str) -> Term:
    text = value.strip('"')
    if not value:
        raise InvalidRequest(f"'{path}{operator}' needs a value, such as {path}{operator}5")
    if value[0] in _SIGNS:
        raise InvalidRequest(f"'{path}{operator}{text}' is not understood: use =, !=, <, <=, > or >=")
    return Compared(tuple(path.split(".")), Operator(_OPERATORS.get(operator, operator)), text)


_Read = Callable[[_Reader, str], Term]
_DATE = "2026-11-01"
_FILTERS: dict[str, tuple[_Read, str]] = {  # how to read the value, and an example of it
    "user": (_Reader.user, "ada"),
    "state": (_Reader.state, "failed"),
    "status": (_Reader.state, "failed"),
    "tool": (lambda _, text: PartContains(Part.TOOL, text), "smooth"),
    "extension": (lambda _, text: PartContains(Part.TOOL, text), "smooth"),
    "tag": (lambda _, text: Tagged(text), "paper"),
    "name": (lambda _, text: PartContains(Part.NAME, text), "relax"),
    "note": (lambda _, text: PartContains(Part.NOTE, text), "check"),
    "error": (lambda _, text: PartContains(Part.ERROR, text), "timeout"),
    "since": (_Reader.since, _DATE),
    "after": (_Reader.since, _DATE),
    "until": (_Reader.until, _DATE),
    "before": (_Reader.before, _DATE),
    "on": (_Reader.on, _DATE),
    "is": (_Reader.flag, STARRED),
}
_KNOWN = "user:, state:, tool:, tag:, name:, note:, error:, since:, until:, before: and on:"


def _filter(key: str, text: str, reader: _Reader) -> Term:
    if key.lower() not in _FILTERS:
        raise InvalidRequest(
            f"'{key}:' is not a filter: there are {_KNOWN}. To search for the text, put it in quotes"
        )
    read, example = _FILTERS[key.lower()]
    if not text:
        raise InvalidRequest(f"'{key}:' needs a value right behind it, such as {key}:{example}")
    return read(reader, text)
