"""Frames on several servers: one sequence, whoever edits it where."""

from __future__ import annotations

from collections.abc import Iterator
from concurrent.futures import ThreadPoolExecutor
from itertools import count
from pathlib import Path

import pytest

from replicas.conftest import StartReplica
from support.frame_messages import RoomFrames, numbered
from support.stream_readers import Listener
from support.users import LoopThread, Person
from workroom.testing.processes import ServerProcess

_numbers = count(1)


@pytest.fixture
def loop_thread() -> Iterator[LoopThread]:
    thread = LoopThread()
    yield thread
    thread.close()


@pytest.fixture
def both(start_replica: StartReplica, tmp_path: Path) -> tuple[ServerProcess, ServerProcess]:
    storage = f"file://{tmp_path}/files"
    return start_replica("a", storage=storage), start_replica("b", storage=storage)


def test_edits_of_two_servers_make_one_sequence(
    both: tuple[ServerProcess, ServerProcess], loop_thread: LoopThread
) -> None:
    people = [Person(loop_thread, server.url, f"person-{next(_numbers)}") for server in both]
    here, there = (RoomFrames(person, "demo") for person in people)
    listener = Listener(both[1].url, "/api/rooms/demo/stream", people[1].token)
    listener.expect("open")

    here.append(0)
    listener.expect("frames", op="append", start=0, stop=1, length=1)
    assert there.numbers() == [0]
    with ThreadPoolExecutor(4) as pool:
        answers = pool.map(
            lambda number: (here, there)[number % 2].post(numbered(number)).status_code, range(1, 21)
        )
        assert set(answers) == {200}

    assert sorted(here.numbers()) == list(range(21))
    assert here.numbers() == there.numbers()
    there.edit("delete", start=1)
    assert here.numbers() == [0]
    here.person.post("/api/rooms/demo/undo")
    assert len(there.numbers()) == 21
    for person in people:
        person.close()
