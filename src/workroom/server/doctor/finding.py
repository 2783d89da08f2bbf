"""What a check found."""

from __future__ import annotations

from dataclasses import dataclass
from enum import StrEnum


class Level(StrEnum):
    OK = "ok"
    WARNING = "warning"  # the server works, but something may be lost or slow
    PROBLEM = "problem"  # it does not start, or refuses jobs


@dataclass(frozen=True, slots=True)
class Finding:
    """`advice` is what to do, unless it is ok."""

    subject: str
    level: Level
    text: str
    advice: str = ""


def ok(subject: str, text: str) -> Finding:
    return Finding(subject, Level.OK, text)


def warning(subject: str, text: str, advice: str) -> Finding:
    return Finding(subject, Level.WARNING, text, advice)


def problem(subject: str, text: str, advice: str) -> Finding:
    return Finding(subject, Level.PROBLEM, text, advice)
