"""What is brief runs on the loop; the order holds; nothing that is slow or locked stops the loop."""

from __future__ import annotations

import asyncio
import contextlib
import sqlite3
import threading
from collections.abc import AsyncIterator, Awaitable, Callable
from pathlib import Path
from typing import Any

import pytest

from workroom.errors import InvalidRequest, StoreUnavailable
from workroom.stores.sqlite.connection import open_writer
from workroom.stores.sqlite.writer import Writer

Put = Callable[[sqlite3.Connection], int]
MB = 1_000_000


@pytest.fixture
def path(tmp_path: Path) -> Path:
    return tmp_path / "numbers.db"


@pytest.fixture
async def writer(path: Path) -> AsyncIterator[Writer]:
    connection = open_writer(path, relaxed=False)
    connection.execute("CREATE TABLE numbers (number INTEGER)")
    writer = Writer(connection)
    yield writer
    await writer.aclose()


def put(number: int, threads: list[threading.Thread] | None = None) -> Put:
    def step(connection: sqlite3.Connection) -> int:
        if threads is not None:
            threads.append(threading.current_thread())
        connection.execute("INSERT INTO numbers VALUES (?)", (number,))
        return number

    return step


def numbers(path: Path) -> list[int]:
    with sqlite3.connect(path) as reader:
        return [number for (number,) in reader.execute("SELECT number FROM numbers ORDER BY rowid")]


def numbers_without_log(path: Path) -> list[int]:
    alone = path.with_name("alone.db")
    alone.write_bytes(path.read_bytes())
    try:
        return numbers(alone)
    except sqlite3.OperationalError:
        return []


async def test_what_is_brief_runs_where_it_is_given_and_the_rest_in_a_thread(writer: Writer) -> None:
    threads: list[threading.Thread] = []

    await asyncio.gather(writer.durable(put(1, threads), brief=True), writer.durable(put(2, threads)))

    assert threads[0] is threading.current_thread()
    assert threads[1] is not threading.current_thread()


async def test_steps_keep_their_order_whether_they_are_brief_or_not(writer: Writer, path: Path) -> None:
    given = [writer.durable(put(number), brief=bool(number % 3)) for number in range(50)]

    assert await asyncio.gather(*given) == list(range(50))
    assert numbers(path) == list(range(50))


async def test_an_answer_can_be_had_before_the_disk_has_it_and_again_after(
    writer: Writer, path: Path
) -> None:
    receipt = writer.both(put(1), brief=True)

    assert await receipt.applied == 1
    assert numbers(path) == []
    assert await receipt.durable == 1
    assert numbers(path) == [1]


async def test_what_lingers_shares_its_commit_with_what_it_waits_for(writer: Writer) -> None:
    first = writer.durable(put(1), brief=True)
    writer.linger()
    for _ in range(20):
        await asyncio.sleep(0)
    assert not first.done()

    second = writer.durable(put(2), brief=True, urgent=True)

    assert list(await asyncio.gather(first, second)) == [1, 2]
    assert writer.commits == 1


async def test_what_is_urgent_is_answered_a_turn_of_the_loop_before_the_rest(writer: Writer) -> None:
    told: list[str] = []

    async def tell(name: str, answer: Awaitable[int]) -> None:
        await answer
        told.append(name)
        await asyncio.sleep(0)
        told.append(f"after {name}")

    usual, urgent = writer.durable(put(1), brief=True), writer.durable(put(2), brief=True, urgent=True)
    await asyncio.gather(tell("usual", usual), tell("urgent", urgent))

    assert told[:2] == ["urgent", "after urgent"]
    assert writer.commits == 1


async def test_nobody_lingers_right_after_a_commit(writer: Writer, monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr("workroom.stores.sqlite.writer._BUSY_SECONDS", 60.0)
    monkeypatch.setattr("workroom.stores.sqlite.writer._LINGER_SECONDS", 60.0)
    await writer.durable(put(1), brief=True)
    second = writer.durable(put(2), brief=True)
    writer.linger()

    assert await asyncio.wait_for(second, 10) == 2
    assert writer.commits == 2


async def test_what_waits_for_nothing_that_comes_is_committed_all_the_same(
    writer: Writer, path: Path
) -> None:
    first = writer.durable(put(1), brief=True)
    writer.linger()

    assert await first == 1
    assert numbers(path) == [1]


@pytest.mark.parametrize("brief", [True, False])
async def test_a_step_that_fails_undoes_its_own_changes_and_nobody_else_s(
    writer: Writer, path: Path, brief: bool
) -> None:
    def fail(connection: sqlite3.Connection) -> int:
        put(2)(connection)
        raise InvalidRequest("no")

    before, refused = writer.durable(put(1), brief=brief), writer.durable(fail, brief=brief)
    after = writer.durable(put(3), brief=brief)

    assert (await before, await after) == (1, 3)
    with pytest.raises(InvalidRequest):
        await refused
    assert numbers(path) == [1, 3]


async def test_while_another_process_writes_to_the_file_the_loop_goes_on(writer: Writer, path: Path) -> None:
    other = sqlite3.connect(path, isolation_level=None)
    other.execute("BEGIN IMMEDIATE")
    given = writer.durable(put(1), brief=True)

    turns = 0
    while turns < 20:
        await asyncio.sleep(0.01)
        turns += 1
    assert not given.done()

    other.execute("COMMIT")
    other.close()
    assert await given == 1


async def test_a_failed_transaction_fails_every_write_in_it(writer: Writer, path: Path) -> None:
    def break_down(connection: sqlite3.Connection) -> int:
        raise sqlite3.OperationalError("disk I/O error")

    given = [writer.durable(step, brief=True) for step in (put(1), break_down)]

    for each in given:
        with pytest.raises(StoreUnavailable):
            await each
    assert await writer.durable(put(2), brief=True) == 2
    assert numbers(path) == [2]


async def test_the_log_is_moved_into_the_file_now_and_then(writer: Writer, path: Path) -> None:
    for number in range(1000):
        await writer.durable(put(number), brief=True)

    log = path.with_name(f"{path.name}-wal")
    assert log.stat().st_size < 1000 * 4096
    assert len(numbers(path)) == 1000


async def test_what_was_given_is_done_before_the_end_and_nothing_after(path: Path) -> None:
    connection = open_writer(path, relaxed=False)
    connection.execute("CREATE TABLE numbers (number INTEGER)")
    writer = Writer(connection)
    given = [writer.durable(put(number), brief=bool(number % 2)) for number in range(10)]

    await writer.aclose()

    assert await asyncio.gather(*given) == list(range(10))
    with pytest.raises(StoreUnavailable):
        writer.durable(put(11), brief=True)


class _NoRoom(sqlite3.Connection):
    """A disk on which the log cannot be moved into the file."""

    def execute(self, sql: str, *values: Any) -> sqlite3.Cursor:
        if "checkpoint" in sql:
            raise sqlite3.OperationalError("database or disk is full")
        return super().execute(sql, *values)


async def test_a_log_that_cannot_be_moved_stops_nobody(path: Path) -> None:
    connection = sqlite3.connect(path, isolation_level=None, check_same_thread=False, factory=_NoRoom)
    connection.execute("PRAGMA journal_mode = WAL")
    connection.execute("CREATE TABLE numbers (number INTEGER)")
    writer = Writer(connection)

    async with asyncio.timeout(30):
        for number in range(500):
            await writer.durable(put(number), brief=True)
        await writer.aclose()

    assert len(numbers(path)) == 500


async def test_the_log_is_shortened_when_nobody_wants_anything(writer: Writer, path: Path) -> None:
    for number in range(150):
        await writer.durable(put(number), brief=True)
    for _ in range(500):
        await asyncio.sleep(0.02)
        if kept := numbers_without_log(path):
            break

    assert kept == list(range(150))
    assert await writer.durable(put(150), brief=True) == 150
    assert numbers(path)[-1] == 150


def write(size: int) -> Put:
    def step(connection: sqlite3.Connection) -> int:
        connection.execute("INSERT INTO numbers VALUES (zeroblob(?))", (size,))
        return size

    return step


def log_size(path: Path) -> int:
    return path.with_name(f"{path.name}-wal").stat().st_size


async def until_truncated(path: Path) -> None:
    for _ in range(1500):
        if log_size(path) == 0:
            return
        await asyncio.sleep(0.02)
    raise AssertionError(f"the log still has {log_size(path)} bytes")


async def test_the_log_stays_short_however_much_a_step_writes(writer: Writer, path: Path) -> None:
    longest = 0
    for _ in range(60):
        await writer.durable(write(MB), brief=True)
        longest = max(longest, log_size(path))

    assert longest < 45 * MB


async def test_a_reader_who_takes_long_delays_the_truncation_and_not_the_steps(
    writer: Writer, path: Path
) -> None:
    with contextlib.closing(sqlite3.connect(path, isolation_level=None)) as reader:
        reader.execute("BEGIN")
        reader.execute("SELECT count(*) FROM numbers").fetchone()
        for _ in range(45):
            await writer.durable(write(MB), brief=True)
        assert log_size(path) > 45 * MB
        reader.execute("COMMIT")

    await until_truncated(path)


async def test_a_log_that_is_no_longer_needed_is_truncated(writer: Writer, path: Path) -> None:
    for _ in range(20):
        await writer.durable(write(MB), brief=True)
    assert log_size(path) > 10 * MB

    await until_truncated(path)
