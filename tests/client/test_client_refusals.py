"""A worker whose reports the server refuses: it tries again where that helps, and never for ever."""

from __future__ import annotations

import asyncio
import logging
from collections import Counter
from collections.abc import Callable, Iterator
from contextlib import ExitStack
from typing import Any

import pytest

from support.refusing_proxy import Refuse, RefusingProxy
from support.sync_rooms import Enter, LoopThread
from workroom import Extension, JobCancelled, JobContext, JobFailed, JobHandle, Room
from workroom.errors import InvalidRequest, StoreUnavailable, WorkroomError
from workroom.testing.fixtures import StartServer
from workroom.testing.processes import ServerProcess, eventually

Work = Callable[..., tuple[Room, RefusingProxy]]


class Say(Extension, category="analysis"):
    """Prints, reports and returns."""

    text: str = "hello"

    def run(self, job: JobContext) -> str:
        print(self.text)
        job.progress(0.5, self.text, current=10**30, total=float("nan"))
        return self.text


@pytest.fixture
def work(server: ServerProcess, name: str, loop_thread: LoopThread) -> Iterator[Work]:
    """Serve `Say` through a proxy that refuses some of what the worker reports."""
    with ExitStack() as stack:

        def work(refuse: Refuse, slots: int = 1, **options: Any) -> tuple[Room, RefusingProxy]:
            proxy = RefusingProxy(server.url, refuse, **options)
            loop_thread.run(proxy.open())
            stack.callback(lambda: loop_thread.run(proxy.close()))
            worker = stack.enter_context(Room(name, proxy.url, user="worker"))
            worker.register(Say, slots=slots)
            return worker, proxy

        yield work


def refusing(*events: str, error: type[WorkroomError] = InvalidRequest, status: str | None = None) -> Refuse:
    """These events; with a status, only lists with an end that has it."""

    def refuse(event: str, items: list[Any]) -> WorkroomError | None:
        is_meant = status is None or any(item.get("status") == status for item in items)
        return error("that cannot be") if event in events and is_meant else None

    return refuse


@pytest.mark.parametrize("error", [InvalidRequest, WorkroomError])
@pytest.mark.parametrize("whole", [False, True])
def test_a_result_that_is_refused_for_good_fails_its_job(
    enter: Enter, work: Work, error: type[WorkroomError], whole: bool
) -> None:
    _, proxy = work(refusing("job:finish", error=error, status="completed"), whole=whole)
    job = enter("ada").submit(Say())

    with pytest.raises(JobFailed, match=r"ResultRefused: .*that cannot be"):
        job.result(timeout=10)
    assert job.document["error"]["details"] == {"code": error.code}
    assert proxy.seen["job:finish"] == 2


def test_several_results_that_are_refused_fail_one_by_one(enter: Enter, work: Work) -> None:
    work(refusing("job:finish", status="completed"), whole=True)
    room = enter("ada")
    jobs = [room.submit(Say()) for _ in range(3)]

    for job in jobs:
        with pytest.raises(JobFailed, match="ResultRefused"):
            job.result(timeout=10)


def test_an_attempt_whose_every_end_is_refused_is_forgotten(
    enter: Enter, work: Work, caplog: pytest.LogCaptureFixture
) -> None:
    _, proxy = work(refusing("job:finish"))
    with caplog.at_level(logging.ERROR):
        job = enter("ada").submit(Say())
        eventually(lambda: any(job.id in said for said in caplog.messages), what="the worker's words")

    assert f"the server refused to finish job {job.id}: that cannot be" in caplog.messages
    assert proxy.seen["job:finish"] == 2
    assert lost(job)["error"]["type"] == "WorkerLost"


def lost(job: JobHandle) -> dict[str, Any]:
    """The server hears with the next heartbeat that nobody holds the job."""
    return eventually(
        lambda: document if (document := job.refresh())["status"] == "failed" else None, what="the loss"
    )


@pytest.mark.parametrize("whole", [False, True])
def test_lines_and_progress_that_are_refused_do_not_hold_a_job_up(
    enter: Enter, work: Work, whole: bool
) -> None:
    _, proxy = work(refusing("job:log", "job:progress", error=WorkroomError), whole=whole)
    job = enter("ada").submit(Say())

    assert job.result(timeout=8) == "hello"  # the worker would wait ten seconds for what is under way
    assert proxy.seen["job:log"] == 1
    assert job.logs() == []


def test_a_refused_start_fails_its_job(enter: Enter, work: Work) -> None:
    work(refusing("job:start"))
    job = enter("ada").submit(Say())

    with pytest.raises(JobFailed, match=r"StartRefused: .*that cannot be"):
        job.result(timeout=10)


def test_what_may_succeed_later_is_sent_again(enter: Enter, work: Work) -> None:
    left = {"job:start": 2, "job:finish": 2, "job:log": 1, "job:progress": 1}

    def refuse(event: str, _: list[Any]) -> WorkroomError | None:
        left[event] = left.get(event, 0) - 1
        return StoreUnavailable() if left[event] >= 0 else None

    _, proxy = work(refuse)
    job = enter("ada").submit(Say())

    assert job.result(timeout=10) == "hello"
    assert (proxy.seen["job:start"], proxy.seen["job:finish"]) == (3, 3)
    assert [line["text"] for line in job.logs()] == ["hello"]


def test_an_odd_count_costs_no_progress(enter: Enter, work: Work) -> None:
    """`10**30` is a count, and NaN is none."""
    _, proxy = work(refusing())
    job = enter("ada").submit(Say())

    assert job.result(timeout=10) == "hello"
    assert proxy.seen["job:progress"] == 1


def test_a_cancel_before_large_values_are_fetched_harms_no_job_that_was_started_with_it(
    enter: Enter, work: Work
) -> None:
    starts: Counter[str] = Counter()
    room = enter("ada")

    def count(event: str, items: list[Any]) -> None:
        starts.update(item["job_id"] for item in items if event == "job:start")

    async def cancel(method: str, path: str) -> None:
        if method == "GET" and path.startswith("/api/jobs/"):
            await asyncio.to_thread(room.job(path.rpartition("/")[2]).cancel)

    work(count, slots=8, before=cancel)
    large, *others = room.submit_many([Say(text="x" * 70_000), *[Say()] * 7])

    assert [job.result(timeout=10) for job in others] == ["hello"] * 7
    assert [job.document["attempt"] for job in others] == [1] * 7
    with pytest.raises(JobCancelled):
        large.result(timeout=10)
    assert set(starts.values()) == {1}


class Fill(Extension, category="analysis"):
    """Fails, or succeeds, with very much to say of it."""

    fails: bool

    def run(self) -> str:
        if self.fails:
            raise ValueError("\0" * 10_000)  # each is six characters in JSON
        return "x" * 60_000


def test_an_end_that_is_larger_than_a_message_is_not_sent_for_ever(start_server: StartServer) -> None:
    server = start_server(max_message=65_536)
    with Room("demo", server.url, user="worker") as room:
        room.register(Fill)
        failing, filling = room.submit(Fill(fails=True)), room.submit(Fill(fails=False))

        with pytest.raises(JobFailed, match=r"ResultRefused: .*the limit is 65,536"):
            failing.result(timeout=10)
        assert filling.result(timeout=10) == "x" * 60_000  # as a file
