"""What jobs print is kept, numbered, once, and up to a limit."""

from __future__ import annotations

from collections.abc import Iterable

from workroom.domain.extension import Policy
from workroom.domain.jobs.logs import LogLimits, LogLine, Stream
from workroom.domain.queries import JobLogs
from workroom.domain.steps import Assignment, LogBatch, Logged
from workroom.errors import JobNotFound, StaleAttempt
from workroom.ports import Store
from workroom.testing.conformance.stage import SMOOTH, Conformance, Stage, completed, extension

AT = "2026-01-20T12:00:00.000Z"
LIMITS = LogLimits()
AGAIN = extension("Again", policy=Policy(retries=3))


def batch(assignment: Assignment, *texts: str, first: int = 1) -> LogBatch:
    lines = [LogLine(seq, AT, Stream.STDOUT, text) for seq, text in enumerate(texts, first)]
    return LogBatch(assignment.fence, lines)


class PrintConformance(Conformance):
    async def test_lines_are_kept_in_their_order_and_read_page_by_page(
        self, stage: Stage, store: Store
    ) -> None:
        running = await stage.running(await stage.connect("w1", SMOOTH))
        logged = await store.log("w1", [batch(running, "a", "b"), batch(running, "c", first=3)])

        assert list(logged.answers) == [None, None]
        assert [[line.seq for line in kept] for kept in logged.kept] == [[1, 2], [3]]
        assert await _logs(store, running) == ["a", "b", "c"]
        assert await _logs(store, running, after=1, limit=1) == ["b"]
        assert await _logs(store, running, after=3) == []

    async def test_a_line_is_kept_as_it_was_written(self, stage: Stage, store: Store) -> None:
        running = await stage.running(await stage.connect("w1", SMOOTH))
        line = LogLine(1, AT, Stream.LOG, "ünï ▓ \x00", "WARNING")
        await store.log("w1", [LogBatch(running.fence, [line])])

        (kept,) = await store.read(JobLogs(running.fence.job_id))
        assert kept == LogLine(1, AT, Stream.LOG, "ünï ▓ \x00", "WARNING", attempt=1)

    async def test_items_keep_their_place_among_the_lines(self, stage: Stage, store: Store) -> None:
        running = await stage.running(await stage.connect("w1", SMOOTH))
        lines = [LogLine(1, AT, Stream.STDOUT, "a"), LogLine(2, AT, Stream.ITEM, '{"step":1}')]
        await store.log("w1", [LogBatch(running.fence, lines)])

        kept = await store.read(JobLogs(running.fence.job_id))
        assert [(line.seq, line.stream, line.text) for line in kept] == [
            (1, Stream.STDOUT, "a"),
            (2, Stream.ITEM, '{"step":1}'),
        ]

    async def test_a_batch_that_comes_again_changes_nothing(self, stage: Stage, store: Store) -> None:
        running = await stage.running(await stage.connect("w1", SMOOTH))
        await store.log("w1", [batch(running, "a", "b")])
        again = await store.log("w1", [batch(running, "a", "b"), batch(running, "x", "y", "c")])

        assert list(again.answers) == [None, None]
        assert [_texts(kept) for kept in again.kept] == [[], ["c"]]
        assert await _logs(store, running) == ["a", "b", "c"]

    async def test_lines_are_read_after_the_end_too(self, stage: Stage, store: Store) -> None:
        running = await stage.running(await stage.connect("w1", SMOOTH))
        await store.log("w1", [batch(running, "a")])
        await stage.finish(completed(running))

        assert await _logs(store, running) == ["a"]

    async def test_only_a_running_attempt_prints(self, stage: Stage, store: Store) -> None:
        session = await stage.connect("w1", SMOOTH, slots=4)
        assigned = await stage.assigned(session)
        ended = await stage.running(session)
        await stage.finish(completed(ended))
        cancelled = await stage.running(session)
        await store.cancel([cancelled.fence.job_id], "ada", "no")

        for stale in (assigned, ended, cancelled):
            assert await _refusals(store.log("w1", [batch(stale, "late")])) == [StaleAttempt]
            assert await _logs(store, stale) == []

    async def test_a_stranger_prints_nothing(self, stage: Stage, store: Store) -> None:
        running = await stage.running(await stage.connect("w1", SMOOTH))
        guessed = LogBatch(type(running.fence)(running.fence.job_id, 1, "guessed"), batch(running, "x").lines)
        unknown = LogBatch(type(running.fence)("no-job", 1, running.fence.token), batch(running, "x").lines)

        assert await _refusals(store.log("w1", [guessed, unknown])) == [StaleAttempt, JobNotFound]
        assert await _refusals(store.log("w2", [batch(running, "x")])) == [StaleAttempt]
        assert await _logs(store, running) == []

    async def test_one_refused_batch_keeps_no_other_out(self, stage: Stage, store: Store) -> None:
        session = await stage.connect("w1", SMOOTH, slots=2)
        ended, running = await stage.running(session), await stage.running(session)
        await stage.finish(completed(ended))

        logged = await store.log("w1", [batch(ended, "late"), batch(running, "a")])
        assert [answer is None for answer in logged.answers] == [False, True]
        assert await _logs(store, running) == ["a"]

    async def test_the_lines_of_a_second_attempt_count_on_from_the_first(
        self, stage: Stage, store: Store
    ) -> None:
        session = await stage.connect("w1", AGAIN)
        first = await stage.running(session, AGAIN)
        await store.log("w1", [batch(first, "a", "b")])
        await store.close_session("w1", "lost")
        await stage.wait(60)
        (second,) = await stage.claim(await stage.connect("w2", AGAIN))
        assert second.fence.job_id == first.fence.job_id
        await stage.start(second)
        await store.log("w2", [batch(second, "c")])

        assert await _refusals(store.log("w1", [batch(first, "late", first=3)])) == [StaleAttempt]
        lines = await store.read(JobLogs(first.fence.job_id))
        found = [(line.seq, line.text, line.attempt) for line in lines]
        assert found == [(1, "a", 1), (2, "b", 1), (3, "c", second.fence.attempt)]

    async def test_after_too_many_lines_a_last_line_notes_that_the_rest_was_dropped(
        self, stage: Stage, store: Store
    ) -> None:
        running = await stage.running(await stage.connect("w1", SMOOTH))
        texts = [f"line {number}" for number in range(LIMITS.lines + 10)]
        await store.log("w1", [batch(running, *texts)])
        more = await store.log("w1", [batch(running, "more", first=LIMITS.lines + 11)])

        assert (list(more.answers), [list(kept) for kept in more.kept]) == ([None], [[]])
        kept = await store.read(JobLogs(running.fence.job_id, limit=LIMITS.lines + 100))
        assert _texts(kept) == [*texts[: LIMITS.lines], LIMITS.truncation_notice]
        assert kept[-1].stream is Stream.LOG

    async def test_after_too_many_bytes_a_last_line_notes_that_the_rest_was_dropped(
        self, stage: Stage, store: Store
    ) -> None:
        running = await stage.running(await stage.connect("w1", SMOOTH))
        wide = "ü" * (LIMITS.bytes // 20)
        logged = await store.log("w1", [batch(running, *[wide] * 11)])

        assert _texts(logged.kept[0]) == [wide] * 10 + [LIMITS.truncation_notice]
        await store.log("w1", [batch(running, "small", first=12)])
        assert await _logs(store, running) == [wide] * 10 + [LIMITS.truncation_notice]


def _texts(lines: Iterable[LogLine]) -> list[str]:
    return [line.text for line in lines]


async def _logs(store: Store, assignment: Assignment, after: int = 0, limit: int = 1000) -> list[str]:
    lines = await store.read(JobLogs(assignment.fence.job_id, after, limit))
    return _texts(lines)


async def _refusals(logging: object) -> list[type]:
    logged = await logging  # type: ignore[misc]
    assert isinstance(logged, Logged)
    assert all(not kept for kept in logged.kept)
    return [type(answer) for answer in logged.answers]
