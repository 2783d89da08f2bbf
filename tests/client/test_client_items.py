"""A run() that yields: items arrive as they come, in order, and all of them are the result."""

from __future__ import annotations

import asyncio
import threading
from collections.abc import AsyncIterator, Iterator
from typing import Any, ClassVar

import orjson
import pytest
from pydantic import SecretStr

from support.sync_rooms import Enter, Serve
from workroom import Extension, JobCancelled, JobContext, JobFailed
from workroom.testing.processes import eventually

ITEMS: list[Any] = [{"step": 1}, "text", None, 1.5, b"two", float("inf"), "x" * 50_000, b"y" * 50_000]


class Gates:
    """Doors that a test opens for a job of this process."""

    doors: ClassVar[dict[str, threading.Event]] = {}

    @classmethod
    def door(cls, key: str) -> threading.Event:
        return cls.doors.setdefault(key, threading.Event())


class Yield(Extension, category="items"):
    key: str = ""
    fails: bool = False

    def run(self, job: JobContext) -> Iterator[Any]:
        print("before")
        yield from ITEMS[:2]
        if self.key:
            assert Gates.door(self.key).wait(20)
        if self.fails:
            raise ValueError("no more")
        yield from ITEMS[2:]
        print("after")


class YieldAsync(Extension, category="items"):
    async def run(self) -> AsyncIterator[Any]:
        for item in ITEMS:
            await asyncio.sleep(0)
            yield item


class YieldIsolated(Extension, category="items", isolation="process"):
    def run(self) -> Iterator[Any]:
        yield from range(3)


class YieldMany(Extension, category="items"):
    """More than is kept of a job's output."""

    def run(self) -> Iterator[int]:
        yield from range(11_000)


class YieldSecret(Extension, category="items"):
    key: SecretStr

    def run(self) -> Iterator[Any]:
        yield {"the key": self.key.get_secret_value()}


class YieldTwice(Extension, category="items", retries=1, retry_on="error"):
    def run(self, job: JobContext) -> Iterator[Any]:
        yield f"attempt {job.attempt}"
        if job.attempt == 1:
            raise ValueError("try again")
        yield "done"


class Return(Extension, category="items"):
    def run(self) -> int:
        return 42


@pytest.mark.parametrize("extension", [Yield, YieldAsync])
def test_the_items_come_in_order_and_are_the_result(
    enter: Enter, serve: Serve, extension: type[Extension]
) -> None:
    serve(extension)
    job = enter().submit(extension())

    assert list(job.stream()) == ITEMS
    assert job.result(timeout=10) == ITEMS
    assert list(job.stream()) == ITEMS


def test_an_item_arrives_before_the_job_ends(room: Any, serve: Serve, key: str) -> None:
    """Once for plain code, once for asyncio."""
    serve(Yield)
    job = room.submit(Yield(key=key))
    items = iter(job.stream())

    assert [next(items), next(items)] == ITEMS[:2]
    assert not job.refresh()["completed_at"]
    Gates.door(key).set()
    assert list(items) == ITEMS[2:]


def test_items_are_not_among_the_lines_of_the_log(enter: Enter, serve: Serve) -> None:
    serve(Yield)
    job = enter().submit(Yield())
    job.result(timeout=10)

    assert [line["text"] for line in job.logs()] == ["before", "after"]
    assert [line["text"] for _, lines in job.follow() for line in lines] == ["before", "after"]


def test_the_event_stream_has_them_with_ids(enter: Enter, serve: Serve) -> None:
    serve(Yield)
    job = enter().submit(Yield())

    logged = [event for event in job.events() if event.name == "log"]

    lines = [line for event in logged for line in event.data["lines"]]
    assert [orjson.loads(line["text"]) for line in lines if line["stream"] == "item"][:4] == ITEMS[:4]
    assert all(event.id for event in logged)


def test_a_failure_follows_the_items(enter: Enter, serve: Serve) -> None:
    serve(Yield)
    items = iter(enter().submit(Yield(fails=True)).stream())

    assert [next(items), next(items)] == ITEMS[:2]
    with pytest.raises(JobFailed, match="no more"):
        next(items)


def test_a_cancelled_job_ends_at_its_next_item(enter: Enter, serve: Serve, key: str) -> None:
    serve(Yield)
    job = enter().submit(Yield(key=key))
    items = iter(job.stream())
    assert next(items) == ITEMS[0]

    job.cancel()
    Gates.door(key).set()

    with pytest.raises(JobCancelled):
        list(items)
    eventually(lambda: job.refresh()["status"] == "cancelled", what="the end")


def test_a_retry_starts_again(enter: Enter, serve: Serve) -> None:
    serve(YieldTwice)
    job = enter().submit(YieldTwice())

    assert list(job.stream()) == ["attempt 1", "attempt 2", "done"]
    assert job.result(timeout=10) == ["attempt 2", "done"]


def test_items_beyond_the_limit_of_the_output_come_at_the_end(enter: Enter, serve: Serve) -> None:
    serve(YieldMany)

    assert list(enter().submit(YieldMany()).stream()) == list(range(11_000))


def test_an_isolated_job_yields_too(enter: Enter, serve: Serve) -> None:
    serve(YieldIsolated)

    assert list(enter().submit(YieldIsolated()).stream()) == [0, 1, 2]


def test_a_secret_is_masked_in_items(enter: Enter, serve: Serve) -> None:
    serve(YieldSecret)
    job = enter().submit(YieldSecret(key=SecretStr("hush-hush")))

    assert list(job.stream()) == [{"the key": "**********"}]
    assert job.result(timeout=10) == [{"the key": "**********"}]


def test_a_result_that_is_returned_is_the_only_item(enter: Enter, serve: Serve) -> None:
    serve(Return)

    assert list(enter().submit(Return()).stream()) == [42]
