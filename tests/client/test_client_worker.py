"""A process that serves: slots, coroutines, several registrations, what run() is given."""

from __future__ import annotations

import asyncio
import contextlib
import threading
import time
from concurrent.futures import ThreadPoolExecutor

import pytest

from support.extensions.in_process import (
    Add,
    Ask,
    AsyncAsk,
    AsyncMeet,
    AsyncWhoAmI,
    Even,
    Hold,
    Meet,
    WhoAmI,
)
from support.sync_rooms import Enter, Serve
from workroom import AsyncRoom, Extension, JobFailed, Room
from workroom.testing.processes import ServerProcess, eventually


def test_slots_run_jobs_at_the_same_time(enter: Enter, serve: Serve, key: str) -> None:
    serve(Meet, slots=3)

    jobs = enter().submit_many([Meet(key=key, people=3)] * 3)

    assert [job.result(timeout=10) for job in jobs] == ["met"] * 3


def test_slots_run_coroutines_at_the_same_time(enter: Enter, serve: Serve, key: str) -> None:
    serve(AsyncMeet, slots=3)

    jobs = enter().submit_many([AsyncMeet(key=key, people=3)] * 3)

    assert [job.result(timeout=10) for job in jobs] == ["met"] * 3


def test_one_slot_runs_one_job_at_a_time(enter: Enter, serve: Serve, key: str) -> None:
    serve(Hold)
    room = enter()
    first, second = room.submit(Hold(key=f"{key}-1")), room.submit(Hold(key=f"{key}-2"))
    eventually(lambda: f"{key}-1" in Hold.begun)

    assert second.status == "pending"
    assert f"{key}-2" not in Hold.begun

    Hold.gate(f"{key}-2").set()
    Hold.gate(f"{key}-1").set()
    assert [first.result(timeout=10), second.result(timeout=10)] == ["let go", "let go"]


def test_run_can_read_its_room_and_its_job(enter: Enter, serve: Serve, name: str) -> None:
    serve(WhoAmI)

    job = enter("grace").submit(WhoAmI())

    assert job.result(timeout=10) == {"room": name, "job": [job.id, name, "grace", 1, False], "kind": "Room"}


def test_a_coroutine_is_given_an_asyncio_room(enter: Enter, serve: Serve, name: str) -> None:
    serve(AsyncWhoAmI)

    job = enter().submit(AsyncWhoAmI())

    assert job.result(timeout=10) == {"room": name, "job": job.id, "kind": "AsyncRoom"}


@pytest.mark.parametrize("asking", [Ask(a=5), AsyncAsk(a=5)])
def test_run_may_have_other_jobs_done_in_its_room(enter: Enter, serve: Serve, asking: Extension) -> None:
    serve(type(asking), Add, slots=2)

    assert enter().submit(asking).result(timeout=10) == 5


def test_values_that_only_the_class_can_check_fail_the_job_with_a_clear_word(
    enter: Enter, serve: Serve
) -> None:
    serve(Even)

    with pytest.raises(JobFailed, match=r"(?s)the values do not fit analysis/Even:.*must be even"):
        enter().submit_named("analysis", "Even", {"n": 3}).result(timeout=10)


def test_registering_again_adds_to_the_same_worker(enter: Enter, serve: Serve) -> None:
    worker = serve(Add)

    worker.register(Even)

    room = enter()
    (shown,) = room.workers()
    assert [each["name"] for each in shown["extensions"]] == ["Add", "Even"]
    assert room.submit(Add(a=1)).result(timeout=10) == 1
    assert room.submit(Even(n=2)).result(timeout=10) == 2


def test_other_slots_or_another_name_than_before_are_refused_not_ignored(enter: Enter, serve: Serve) -> None:
    worker = serve(Add, slots=2)

    worker.register(Even)
    worker.register(Even, slots=2)
    with pytest.raises(ValueError, match="already has slots=2: pass slots=4 with the first"):
        worker.register(Even, slots=4)
    with pytest.raises(ValueError, match=r"already named .*, not 'other'"):
        worker.register(Even, worker_name="other")

    assert enter().workers()[0]["slots"] == 2


def test_two_rooms_of_one_process_are_two_workers(enter: Enter, serve: Serve, key: str) -> None:
    """Each Room has its own connection, its own id and its own slots; they share nothing but the process."""
    serve(Meet)
    serve(Meet)

    workers = enter().workers()
    jobs = enter().submit_many([Meet(key=key)] * 2)

    assert len({worker["id"] for worker in workers}) == 2
    assert len({worker["machine"]["pid"] for worker in workers}) == 1
    assert [job.result(timeout=10) for job in jobs] == ["met", "met"]
    assert len({job.document["worker"] for job in jobs}) == 2


async def test_a_room_that_has_watched_a_job_can_still_become_a_worker(
    server: ServerProcess, name: str, serve: Serve
) -> None:
    """The socket is there already: it must speak for the worker all the same."""
    serve(Add)
    async with AsyncRoom(name, server.url, user="ada") as room:
        assert await (await room.submit(Add(a=1))).result(timeout=10) == 1

        await asyncio.wait_for(room.register(Even), 5)

        assert await (await room.submit(Even(n=2))).result(timeout=10) == 2


async def test_an_asyncio_room_serves_plain_and_async_code(
    server: ServerProcess, name: str, enter: Enter
) -> None:
    async with AsyncRoom(name, server.url, user="worker") as room:
        await room.register(Add, AsyncWhoAmI, slots=2)
        client = enter()

        results = await asyncio.gather(
            asyncio.to_thread(client.submit(Add(a=3)).result, 10),
            asyncio.to_thread(client.submit(AsyncWhoAmI()).result, 10),
        )

        assert results[0] == 3
        assert results[1]["kind"] == "AsyncRoom"


def test_a_worker_that_closes_finishes_what_runs_and_gives_back_the_rest(
    server: ServerProcess, enter: Enter, name: str, key: str
) -> None:
    worker = Room(name, server.url, user="worker")
    worker.register(Hold)
    room = enter()
    running, waiting = room.submit(Hold(key=key)), room.submit(Hold(key=f"{key}-b"))
    eventually(lambda: key in Hold.begun)

    with ThreadPoolExecutor() as pool:
        closing = pool.submit(worker.close)
        Hold.gate(key).set()
        closing.result(20)

    assert running.result(timeout=10) == "let go"
    assert waiting.status == "pending"
    assert [each["state"] for each in room.workers()] == ["offline"]


async def test_a_worker_that_closes_while_jobs_arrive_loses_none(server: ServerProcess, name: str) -> None:
    """Each was either run to its end or given back, whatever was under way when the worker left."""
    statuses: set[str] = set()
    for number in range(20):
        worker = AsyncRoom(f"{name}-{number}", server.url, user="worker")
        await worker.register(Add)
        async with AsyncRoom(worker.name, server.url, user="ada") as room:
            await room.submit_many([Add(a=1)] * 3)
            await asyncio.wait_for(worker.aclose(), 20)
            statuses |= {job["status"] for job in await room.jobs()}

    assert statuses <= {"pending", "completed"}


async def test_a_worker_closes_at_once_whatever_is_under_way(server: ServerProcess, name: str) -> None:
    slowest = 0.0
    for number in range(40):
        worker = AsyncRoom(f"{name}-{number}", server.url, user="worker")
        await worker.register(Add)
        await worker.submit_many([Add(a=1)] * 2)
        begun = time.monotonic()
        with contextlib.suppress(TimeoutError):
            await asyncio.wait_for(worker.aclose(), 4)
        slowest = max(slowest, time.monotonic() - begun)

    assert slowest < 3


def test_closing_a_room_wakes_who_waits_in_it(
    server: ServerProcess, serve: Serve, name: str, key: str
) -> None:
    serve(Hold)
    room = Room(name, server.url, user="ada")
    job = room.submit(Hold(key=key))
    woken = threading.Event()

    def wait() -> None:
        with contextlib.suppress(Exception, asyncio.CancelledError):
            job.result()
        woken.set()

    threading.Thread(target=wait, daemon=True).start()
    eventually(lambda: key in Hold.begun)

    room.close()

    was_woken = woken.wait(20)
    Hold.gate(key).set()
    assert was_woken


def test_closing_twice_is_closing_once(server: ServerProcess, name: str) -> None:
    room = Room(name, server.url, user="ada")
    room.close()
    room.close()


def test_waiting_without_anything_registered_explains_what_is_missing(enter: Enter) -> None:
    with pytest.raises(RuntimeError, match="register"):
        enter().wait()


def test_a_class_without_run_cannot_be_registered(enter: Enter) -> None:
    class Idle(Extension, category="analysis"):
        n: int = 0

    with pytest.raises(TypeError, match=r"Idle has no run\(\)"):
        enter().register(Idle)


def test_an_extension_is_away_once_its_worker_has_left(
    server: ServerProcess, enter: Enter, name: str
) -> None:
    def away() -> dict[str, bool]:
        listed = enter().extensions()
        return {each["name"]: each["away_since"] is not None for each in listed if each["scope"] == "room"}

    with Room(name, server.url, user="worker") as worker:
        worker.register(Add)
        assert away() == {"Add": False}

    assert away() == {"Add": True}
