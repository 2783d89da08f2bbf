"""Servers that share a store agree on duplicates."""

from __future__ import annotations

from concurrent.futures import ThreadPoolExecutor
from itertools import cycle

from replicas.conftest import StartReplica
from workroom import Extension, Room
from workroom.errors import DuplicateJob
from workroom.testing.fixtures import OpenRoom

SUBMITS = 24


class Joined(Extension, category="analysis", unique="{structure}"):
    structure: str = "H2O"

    def run(self) -> None: ...


class Refused(Joined, category="analysis", unique="{structure}", on_duplicate="refuse"): ...


class Replaced(Joined, category="analysis", unique="{structure}", on_duplicate="replace"): ...


def test_of_submits_at_two_servers_at_the_same_time_one_is_the_first(
    start_replica: StartReplica, open_room: OpenRoom
) -> None:
    servers = [start_replica(name) for name in "ab"]
    rooms = [open_room(server) for server in servers]
    worker = open_room(servers[0])
    worker.register(Joined, Refused, Replaced)
    worker.close()

    joined = _submit_together(rooms, Joined)
    refused = _submit_together(rooms, Refused)
    replaced = _submit_together(rooms, Replaced)

    assert len(set(joined)) == 1
    assert len(set(refused)) == 1
    assert len(set(replaced)) == SUBMITS
    assert [rooms[1].job(each).document["status"] for each in replaced].count("pending") == 1


def _submit_together(rooms: list[Room], extension: type[Extension]) -> list[str]:
    """The ids of the jobs that a submit led to, or that it was refused for."""

    def submit(room: Room) -> str:
        try:
            return room.submit(extension()).id
        except DuplicateJob as error:
            return str(error.fields["job_id"])

    with ThreadPoolExecutor(8) as people:
        return list(people.map(submit, [room for room, _ in zip(cycle(rooms), range(SUBMITS), strict=False)]))
