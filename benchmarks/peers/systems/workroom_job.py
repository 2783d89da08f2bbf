"""The job as a Workroom extension."""

from __future__ import annotations

from peers import jobs
from workroom import Extension


class Echo(Extension, category="analysis"):
    n: int = 0

    def run(self) -> int:
        return jobs.echo(self.n)
