"""Who runs next: keys, priorities, users."""

from __future__ import annotations

from collections import Counter
from pathlib import Path

from support.extensions.misbehaving import (
    Hold,
    Mark,
    Paint,
    notes,
)
from support.job_waits import Serve, becomes, waits_for
from workroom import Room
from workroom.testing.fixtures import OpenRoom
from workroom.testing.processes import ServerProcess, eventually


def test_concurrency_keys_limit_each_provider_and_block_no_other(
    room: Room, serve: Serve, diary: Path, gate: Path
) -> None:
    serve(Paint, slots=8)
    wanted = ["midjourney"] * 3 + ["leonardo"] * 5 + ["other"] * 2
    jobs = [room.submit(Paint(provider=each, gate=str(gate), diary=str(diary))) for each in wanted]

    eventually(lambda: len(notes(diary)) == 5)
    running = Counter(job.document["data"]["provider"] for job in jobs if job.status == "running")
    assert running == {"midjourney": 1, "leonardo": 3, "other": 1}
    reason = waits_for(jobs[1], "concurrency")
    assert (reason["key"], reason["job"]) == ("midjourney", jobs[0].id)

    gate.touch()
    for job in jobs:
        job.result(timeout=10)
    assert most_at_once(notes(diary)) == {"midjourney": 1, "leonardo": 3, "other": 1}


def most_at_once(lines: list[str]) -> dict[str, int]:
    now: Counter[str] = Counter()
    most: dict[str, int] = {}
    for sign, provider in map(str.split, lines):
        now[provider] += 1 if sign == "+" else -1
        most[provider] = max(most.get(provider, 0), now[provider])
    return most


def test_the_more_urgent_job_goes_first(room: Room, serve: Serve, diary: Path, gate: Path) -> None:
    serve(Hold, Mark)
    becomes(room.submit(Hold(gate=str(gate))), "running")
    order = [0, 5, 10, 5]
    jobs = [room.submit(Mark(diary=str(diary), word=f"{each}"), priority=each) for each in order]
    assert [job.refresh()["queue_position"] for job in jobs] == [3, 1, 0, 2]

    gate.touch()

    for job in jobs:
        job.result(timeout=10)
    assert notes(diary) == ["10", "5", "5", "0"]


def test_two_users_share_a_worker_however_much_one_of_them_submits(
    server: ServerProcess, room: Room, serve: Serve, open_room: OpenRoom, diary: Path, gate: Path
) -> None:
    serve(Hold, Mark)
    becomes(room.submit(Hold(gate=str(gate))), "running")
    eve, bob = (open_room(server, room.name, user=f"{user}-{room.name}") for user in ("eve", "bob"))
    jobs = list(eve.submit_many([Mark(diary=str(diary), word="eve") for _ in range(6)]))
    jobs += bob.submit_many([Mark(diary=str(diary), word="bob") for _ in range(2)])

    gate.touch()

    for job in jobs:
        job.result(timeout=10)
    assert notes(diary) == ["eve", "bob"] * 2 + ["eve"] * 4
