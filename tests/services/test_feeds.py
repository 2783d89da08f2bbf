"""Feeds: in order, without a gap, and never larger than they may be."""

from __future__ import annotations

import asyncio
from collections.abc import AsyncIterator, Callable
from pathlib import Path

import orjson
import pytest

from workroom.domain.events import (
    ChatPosted,
    Event,
    ExtensionsChanged,
    GroupChanged,
    JobLogged,
    JobPreviewed,
    JobProgressed,
    JobStateChanged,
    LockChanged,
    PresenceChanged,
    PresetsChanged,
    QuestionAnswered,
    QuestionAsked,
    StateChanged,
    WorkerStateChanged,
)
from workroom.domain.extension import ExtensionKey
from workroom.domain.job import JobState, Transition
from workroom.domain.queries import FindLogPosition, JobHistory, LogPosition
from workroom.domain.room import ChatMessage
from workroom.services.live.feeds import Feed, Feeds
from workroom.services.live.stream import StreamEvent
from workroom.services.live.streams import JobStream, Streams
from workroom.stores.sqlite.store import SqliteStore
from workroom.testing.conformance import LIVENESS, FakeClock, Stage, extension
from workroom.testing.conformance.stage import completed, furnished

SMOOTH = extension("Smooth")
IDLE = 0.05


def step(number: int, status: JobState = JobState.RUNNING, job: str = "j1") -> JobStateChanged:
    return JobStateChanged(Transition(number, job, "lab", "ada", number, status, 1, None, "ada", None, 0))


def progress(number: int, job: str = "j1") -> JobProgressed:
    return JobProgressed(job, b'{"current":%d}' % number, "lab")


def lines(first: int, last: int, attempt: int = 1, text: str = "") -> JobLogged:
    return JobLogged(
        "j1", attempt, orjson.dumps([{"seq": seq, "text": text} for seq in range(first, last + 1)])
    )


@pytest.fixture
def feeds() -> Feeds:
    return Feeds(LogPosition("00ff", 0, 0))


@pytest.fixture
async def feed(feeds: Feeds) -> Feed:
    return feeds.open("room:lab", "everyone")


async def taken(feed: Feed) -> list[Event]:
    assert await feed.wait(5)
    return feed.take()


async def test_events_published_in_any_order_are_sent_in_the_order_of_the_log(
    feeds: Feeds, feed: Feed
) -> None:
    events = [step(number) for number in range(1, 7)]
    for number in (3, 1, 2, 6, 5, 4):
        feeds.publish([events[number - 1]])

    assert await taken(feed) == events
    assert feeds.position == (6, 0)


async def test_a_step_that_is_never_published_sends_the_reader_to_the_log(feeds: Feeds, feed: Feed) -> None:
    feeds.publish([step(1), step(3)])
    assert await taken(feed) == [step(1)]

    assert await feed.wait(5)
    assert feed.was_lost()
    assert feed.take() == []
    feeds.publish([step(2), step(4)])
    assert await taken(feed) == [step(4)]


async def test_progress_is_throttled_to_the_latest(feeds: Feeds, feed: Feed) -> None:
    told = []
    for number in range(200):
        feeds.publish([progress(number), progress(number, "j2")])
        if number % 10 == 0 and await feed.wait(0.001):
            told += feed.take()
    told += await taken(feed)

    assert len(told) < 40
    assert told[-2:] == [progress(199), progress(199, "j2")]


async def test_the_last_progress_is_sent_before_the_end_and_that_of_a_lost_attempt_is_dropped(
    feeds: Feeds, feed: Feed
) -> None:
    feeds.publish([progress(0)])
    assert await taken(feed) == [progress(0)]
    feeds.publish([progress(1), step(1, JobState.PENDING), progress(2), step(2, JobState.COMPLETED)])

    assert await taken(feed) == [step(1, JobState.PENDING), progress(2), step(2, JobState.COMPLETED)]


async def test_the_last_preview_is_sent_before_the_end_whichever_attempt_it_is_of(feeds: Feeds) -> None:
    feed = feeds.open("job:j1")
    feeds.publish([progress(0)])
    assert await taken(feed) == [progress(0)]
    shown = [JobPreviewed("j1", "png", version) for version in range(1, 6)]
    feeds.publish([*shown, step(1, JobState.PENDING), step(2, JobState.COMPLETED)])

    assert await taken(feed) == [step(1, JobState.PENDING), shown[-1], step(2, JobState.COMPLETED)]


async def test_equal_hints_are_sent_once(feeds: Feeds, feed: Feed) -> None:
    keys = [ExtensionKey(room, "analysis", "A") for room in ("lab", None)]
    states = [WorkerStateChanged("w1", state, 0, ("lab",)) for state in ("idle", "running")]
    feeds.publish([*(ExtensionsChanged(key) for key in keys * 50), *states * 50])

    assert await taken(feed) == [*(ExtensionsChanged(key) for key in keys), states[1]]


@pytest.mark.parametrize(
    "event",
    [step(1), lines(1, 1, text="x" * 10_000), ChatPosted(ChatMessage(1, "lab", "ada", "x" * 4000, None, 0))],
)
async def test_a_feed_that_is_not_read_forgets_and_goes_back_to_the_log(event: Event) -> None:
    feed = Feed(["room:lab"])
    kept = 0
    for _ in range(100_000):
        feed.put(event)
        kept = max(kept, feed._bytes)

    assert kept <= 256_000
    assert feed.was_lost()
    assert feed.take() == []
    feed.put(step(2, JobState.COMPLETED))
    assert await taken(feed) == [step(2, JobState.COMPLETED)]


async def test_too_many_hints_are_dropped_and_replaced_by_a_reset() -> None:
    feed = Feed(["room:lab"])
    for number in range(5000):
        feed.put(WorkerStateChanged(f"w{number}", "idle", 0, ("lab",)))

    assert len(feed.take()) <= 1000
    assert feed.has_missed()
    assert not feed.has_missed()


async def test_events_about_two_things_do_not_replace_each_other(feeds: Feeds, feed: Feed) -> None:
    events: list[Event] = [
        *(GroupChanged(group, "lab", 1) for group in ("grp_1", "grp_2")),
        *(PresenceChanged("lab", server, ("ada",), (1,)) for server in ("s1", "s2")),
        *(PresetsChanged("lab", "", "analysis", name) for name in ("A", "B")),
        *(QuestionAsked("j1", "lab", "ada", number, "Keep it?") for number in (1, 2)),
        *(QuestionAnswered("j1", "lab", "ada", number, "bob") for number in (1, 2)),
    ]
    feeds.publish([GroupChanged("grp_1", "lab", 0), *events])

    assert set(feed.take()) == set(events)


async def test_changes_of_two_documents_or_locks_do_not_replace_each_other(feeds: Feeds, feed: Feed) -> None:
    first, second = (StateChanged("lab", key, 1, "ada", None, False) for key in ("notes", "figures"))
    newer = StateChanged("lab", "notes", 2, "ada", None, False)
    locks = [LockChanged("lab", target) for target in ("notes", "figures")]
    feeds.publish([first, second, newer, *locks])

    assert set(feed.take()) == {newer, second, *locks}


async def test_a_removed_feed_receives_nothing(feeds: Feeds, feed: Feed) -> None:
    feeds.remove(feed)
    feeds.publish([step(1)])

    assert feed.take() == []
    assert feed.is_closed


@pytest.fixture
async def store(tmp_path: Path) -> AsyncIterator[SqliteStore]:
    store = SqliteStore(tmp_path / "workroom.db", LIVENESS)
    yield store
    await store.aclose()


async def until(check: Callable[[], bool]) -> None:
    async with asyncio.timeout(20):
        while not check():  # noqa: ASYNC110 - the store counts, it tells nobody
            await asyncio.sleep(0.01)


async def collect(stream: JobStream) -> list[StreamEvent]:
    return [told async for batch in stream.events(5) for told in batch]


async def gather(stream: JobStream, told: list[StreamEvent]) -> None:
    async for batch in stream.events(5):
        told += batch


async def test_each_line_is_sent_once_in_any_order(store: SqliteStore) -> None:
    """Those of the log first, then those that come; a batch that was partly told is cut."""
    stage = await furnished(Stage(store, FakeClock()))
    running = await stage.running(await stage.connect("w1", SMOOTH))
    job_id = running.fence.job_id
    kept = [lines(1, 3), lines(4, 6)]

    async def read(_: str, attempt: int, line: int) -> list[JobLogged]:
        return [
            each for each in kept if (each.attempt, orjson.loads(each.lines)[-1]["seq"]) > (attempt, line)
        ][:1]

    feeds = Feeds(await store.read(FindLogPosition()))
    stream = Streams(store, feeds, read).job(await stage.job(job_id), None)
    assert stream is not None
    told: list[StreamEvent] = []
    telling = asyncio.create_task(gather(stream, told))
    named = [
        JobLogged(job_id, each.attempt, each.lines) for each in (lines(5, 8), lines(7, 9), lines(1, 2, 2))
    ]
    feeds.publish(named)
    await until(lambda: any(isinstance(each.body, JobLogged) and each.body.attempt == 2 for each in told))
    step = await stage.finish(completed(running))
    feeds.publish([JobStateChanged(each) for each in step.transitions])
    await telling

    seen = [
        (each.body.attempt, line["seq"])
        for each in told
        if isinstance(each.body, JobLogged)
        for line in orjson.loads(each.body.lines)
    ]
    assert seen == [*((1, seq) for seq in range(1, 10)), (2, 1), (2, 2)]
    assert [each.name for each in told if each.name != "log"] == ["state"] * 4 + ["end"]
    assert told[-1].id == f"{feeds.epoch}.{step.transitions[-1].sequence}.2-2.end"


async def test_a_stream_that_lost_its_position_sends_the_whole_history(store: SqliteStore) -> None:
    stage = await furnished(Stage(store, FakeClock()))
    running = await stage.running(await stage.connect("w1", SMOOTH))
    feeds = Feeds(await store.read(FindLogPosition()))
    stream = Streams(store, feeds).job(await stage.job(running.fence.job_id), None)
    assert stream is not None
    telling = asyncio.create_task(collect(stream))
    await until(lambda: store.reads >= 3)
    step = await stage.finish(completed(running))
    feeds._lose_all()
    told = await telling

    history = await store.read(JobHistory(running.fence.job_id))
    assert [each.body for each in told[:-1]] == [JobStateChanged(each) for each in history]
    assert step.transitions == history[-1:]


async def test_idle_streams_ask_the_store_nothing(store: SqliteStore) -> None:
    stage = await furnished(Stage(store, FakeClock()))
    await stage.register("w1", SMOOTH)
    job = await stage.job(await stage.submit(SMOOTH))
    streams = Streams(store, Feeds(await store.read(FindLogPosition())))
    pings = 0

    async def listen(batches: AsyncIterator[list[StreamEvent]]) -> None:
        nonlocal pings
        async for batch in batches:
            pings += not batch

    waiting = [streams.room("lab", None).events(IDLE) for _ in range(50)]
    following = [stream.events(IDLE) for _ in range(50) if (stream := streams.job(job, None))]
    telling = [asyncio.create_task(listen(each)) for each in (*waiting, *following)]
    await until(lambda: pings >= 200)
    reads = store.reads
    await until(lambda: pings >= 1000)

    assert store.reads == reads
    streams.close()
    await asyncio.gather(*telling)
