"""Groups, sweeps and arrows in the SDK."""

from __future__ import annotations

from datetime import UTC, datetime, timedelta
from typing import Any

import numpy as np
import pytest
from pydantic import SecretStr

from support.extensions.in_process import Add, Fail
from support.sync_rooms import Enter, Serve
from workroom import Extension, JobCancelled, Ref, ResultTimeout, Room
from workroom.client.conditions import condition_fields, values_and_refs
from workroom.client.sweeps import MAX_BATCH_JOBS, batches, combinations
from workroom.testing.processes import eventually


class Login(Extension, category="analysis"):
    key: SecretStr
    user: str

    def run(self) -> None: ...


def test_a_sweep_submits_every_combination(enter: Enter, serve: Serve) -> None:
    serve(Add)
    room = enter()

    group = room.sweep(Add, a=[1, 2, 3], b=range(2))
    group.wait(timeout=30)

    rows = group.results()
    assert [(row["a"], row["b"], row["result"]) for row in rows] == [
        (1, 0, 1),
        (1, 1, 2),
        (2, 0, 2),
        (2, 1, 3),
        (3, 0, 3),
        (3, 1, 4),
    ]
    assert (group.title, group.progress, group.counts["completed"]) == ("analysis/Add over a, b", 1.0, 6)
    assert room.group(group.id).document == group.document
    assert repr(group) == f"<JobGroup {group.id} analysis/Add over a, b: 6 jobs, 6 completed>"
    assert [each["id"] for each in room.groups()] == [group.id]


def test_jobs_of_a_group_come_as_they_end(enter: Enter, serve: Serve) -> None:
    serve(Add, Fail)
    group = enter().submit_many([Add(a=1), Fail(), Add(a=2)], title="Three")

    ended = {job.id: job.status for job in group.as_completed()}

    assert [ended[job.id] for job in group] == ["completed", "failed", "completed"]
    assert [job.id for job in group.jobs(status="failed")] == [group[1].id]


def test_failed_jobs_are_retried_as_jobs_of_the_group(enter: Enter, serve: Serve) -> None:
    serve(Add, Fail)
    group = enter().submit_many([Fail(), Add()])
    group.wait(timeout=30)

    assert group.retry_failed() == 1
    group.wait(timeout=30)
    assert (group.counts["failed"], group.document["total"], len(group.jobs())) == (1, 2, 3)


def test_a_group_is_paused_resumed_and_cancelled(enter: Enter, serve: Serve) -> None:
    room = enter()
    serve(Add).close()
    group = room.submit_many([Add(a=number) for number in range(3)])
    group.pause()
    assert eventually(lambda: group.refresh()["changing"] is None, what="the pause")
    group.resume()
    assert not group.document["paused"]
    with pytest.raises(ResultTimeout):
        group.wait(timeout=0.1)
    group.cancel()

    assert eventually(lambda: group.counts["cancelled"] == 3, what="all cancelled")


def test_a_large_group_is_submitted_in_batches(enter: Enter, serve: Serve) -> None:
    serve(Add).close()
    seen: list[tuple[int, int]] = []
    jobs = [Add(a=number) for number in range(MAX_BATCH_JOBS + 1)]
    group = enter().submit_many(jobs, on_progress=lambda done, total: seen.append((done, total)))

    assert seen == [(MAX_BATCH_JOBS, MAX_BATCH_JOBS + 1), (MAX_BATCH_JOBS + 1, MAX_BATCH_JOBS + 1)]
    assert (len(group), group.document["total"], group.document["open"]) == (len(jobs), len(jobs), False)
    group.cancel()


def test_a_job_starts_after_others(enter: Enter, serve: Serve, key: str) -> None:
    serve(Add, Fail)
    room = enter()
    group = room.submit_many([Add(a=1), Add(a=2)])
    collector = room.submit(Add(a=5), after=[group])
    failing = room.submit(Fail(), after=[collector])
    skipped = room.submit(Add(), after=[failing.id])
    last = room.submit(Add(a=7), after=[skipped], on="ended")

    assert last.result(timeout=30) == 7
    assert collector.result() == 5
    with pytest.raises(JobCancelled, match=f"job {failing.id} failed"):
        skipped.result()


def test_results_become_values_of_later_jobs(enter: Enter, serve: Serve) -> None:
    serve(Add)
    room = enter()
    first = room.submit(Add(a=2, b=3))
    second = room.submit(Add.model_construct(a=Ref(first), b=10))
    third = room.submit_named("analysis", "Add", {"a": Ref(second.id), "b": 100})

    assert third.result(timeout=30) == 115


def test_a_job_starts_later(enter: Enter, serve: Serve) -> None:
    serve(Add)
    room = enter()
    later = room.submit(Add(a=1), run_at=datetime.now(UTC) + timedelta(hours=1))
    soon = room.submit(Add(a=2), delay=0.05)

    assert soon.result(timeout=10) == 2
    assert later.refresh()["waiting_for"]["code"] == "run_at"
    later.cancel()


async def test_asyncio_code_has_the_same_groups(server: Any, name: str, serve: Serve) -> None:
    serve(Add)
    from workroom import AsyncRoom

    async with AsyncRoom(name, server.url, user="ada") as room:
        group = await room.sweep(Add, a=[1, 2])
        ended = [job.id async for job in group.as_completed()]
        assert sorted(ended) == sorted(job.id for job in group)
        assert [row["result"] for row in await group.results()] == [1, 2]
        with pytest.raises(TypeError, match=r"group\.jobs"):
            list(await room.group(group.id))


def test_an_array_varies_too() -> None:
    jobs, names = combinations(Add, {"a": np.arange(2), "b": np.int64(5)})

    assert (names, [job.model_dump() for job in jobs]) == (["a"], [{"a": 0, "b": 5}, {"a": 1, "b": 5}])


@pytest.mark.parametrize(
    ("values", "why"),
    [
        ({"a": []}, "there are no values for 'a'"),
        ({"a": [1], "b": range(0)}, "there are no values for 'b'"),
        ({"aa": [1, 2]}, "analysis/Add has no field 'aa'. Did you mean 'a'?"),
        ({"a": [1], "other": 3}, "analysis/Add has no field 'other'"),
    ],
)
def test_a_sweep_that_cannot_be_meant_is_refused(values: dict[str, Any], why: str) -> None:
    with pytest.raises((ValueError, TypeError)) as refusal:
        combinations(Add, values)

    assert str(refusal.value) == why


def test_a_sweep_waits_for_other_jobs_and_takes_their_results(enter: Enter, serve: Serve) -> None:
    serve(Add, Fail)
    room = enter()
    first = room.submit(Add(a=40))
    group = room.sweep(Add, a=Ref(first), b=[1, 2])
    skipped = room.sweep(Add, a=[1, 2], after=room.submit(Fail()))
    later = room.sweep(Add, a=[1], delay=timedelta(hours=1))
    group.wait(timeout=30)
    skipped.wait(timeout=30)

    assert [(row["b"], row["result"]) for row in group.results()] == [(1, 41), (2, 42)]
    assert skipped.counts["cancelled"] == 2
    assert later[0].refresh()["waiting_for"]["code"] == "run_at"
    later.cancel()


def test_one_job_or_group_to_wait_for_needs_no_list(enter: Enter, serve: Serve) -> None:
    serve(Add)
    room = enter()
    group = room.submit_many([Add(a=1), Add(a=2)])
    second = room.submit(Add(a=3), after=group)
    third = room.submit(Add(a=4), after=second.id)

    assert third.result(timeout=30) == 4
    assert condition_fields({"after": group}) == {"after": [group.id]}
    assert condition_fields({"after": None}) == {}


def test_references_within_a_list_of_values_are_found() -> None:
    values: dict[str, Any] = {"a": [Ref("j-1"), {"x": (Ref("j-2", "y"),)}]}
    data, jobs = values_and_refs(Add.model_construct(**values))

    assert jobs == ["j-1", "j-2"]
    assert data["a"] == [
        {"$result": {"job": "j-1", "path": ""}},
        {"x": [{"$result": {"job": "j-2", "path": "y"}}]},
    ]


def test_a_secret_beside_a_reference_is_submitted_in_clear() -> None:
    data, jobs = values_and_refs(Login.model_construct(key=SecretStr("hunter2"), user=Ref("j-1")))

    assert (data["key"], jobs) == ("hunter2", ["j-1"])


@pytest.mark.parametrize(
    ("when", "why"),
    [
        ({"delay": float("nan")}, "a delay is a number of seconds, not nan"),
        ({"run_at": "tomorrow"}, "run_at is a datetime, not 'tomorrow'"),
    ],
)
def test_a_time_that_is_none_is_refused(when: Any, why: str) -> None:
    with pytest.raises((ValueError, TypeError)) as refusal:
        condition_fields(when)

    assert str(refusal.value) == why


def test_a_sweep_of_no_lists_is_one_job() -> None:
    jobs, names = combinations(Add, {"a": 4})

    assert ([job.model_dump() for job in jobs], names) == ([{"a": 4, "b": 0}], [])


def test_a_large_job_gets_a_request_of_its_own() -> None:
    small, large = {"data": "x"}, {"data": "x" * 600_000}

    assert [len(batch) for batch in batches([small, large, small])] == [1, 1, 1]


def test_a_group_needs_a_job(enter: Enter) -> None:
    room: Room = enter()
    with pytest.raises(ValueError, match="at least one"):
        room.submit_many([])
