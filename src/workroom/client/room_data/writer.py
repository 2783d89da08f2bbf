"""The job that writes room data, as its requests describe it."""

from __future__ import annotations

from dataclasses import dataclass


@dataclass(frozen=True, slots=True)
class JobWriter:
    """`name` is shown with its locks. A job that keeps its edits on failure states so with each request."""

    name: str
    keeps_on_failure: bool = False

    @property
    def headers(self) -> dict[str, str]:
        return {"Keep-On-Failure": "true"} if self.keeps_on_failure else {}
