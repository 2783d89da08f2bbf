"""Shows what is wrong in the terminal, and in the room as a document that its page reads."""

from __future__ import annotations

import contextlib
import sys
import time

from workroom import Room
from workroom.cli.dev.problem import Problem
from workroom.errors import WorkroomError

DOCUMENT = "dev"


def print_notice(text: str) -> None:
    print(f"{time.strftime('%H:%M:%S')} {text}", flush=True)


def print_problem(problem: Problem | None) -> None:
    if problem is not None:
        print(f"{time.strftime('%H:%M:%S')} problem: {problem.text()}", file=sys.stderr, flush=True)


class PageNotice:
    """A document of the room while there is a problem."""

    def __init__(self, url: str, room: str) -> None:
        self._url = url
        self._name = room

    def show(self, problem: Problem | None) -> None:
        with contextlib.suppress(WorkroomError), Room(self._name, self._url) as room:
            if problem is not None:
                room.state[DOCUMENT] = problem.document()
            elif DOCUMENT in room.state:
                del room.state[DOCUMENT]
