"""Jobs that ask people, wait for children, and call providers."""

from __future__ import annotations

import pytest

from support.extensions.questions import (
    AsyncConfirm,
    AsyncDescend,
    AsyncGenerate,
    Braid,
    Confirm,
    Delegate,
    Descend,
    Gather,
    Generate,
    IsolatedConfirm,
    IsolatedDescend,
    IsolatedGenerate,
    Listen,
    Quick,
)
from support.sync_rooms import Enter, Serve
from workroom import JobCancelled, JobHandle, Room
from workroom.errors import InvalidData, QuestionClosed, QuestionNotFound
from workroom.testing.processes import eventually


def question_of(job: JobHandle) -> dict[str, object]:
    eventually(lambda: job.questions() and job.refresh()["waiting_for"])
    return job.questions()[-1]


def test_a_question_is_answered_by_a_second_person(enter: Enter, serve: Serve) -> None:
    serve(Confirm)
    job = enter("ada").submit(Confirm())
    question = question_of(job)
    (listed,) = enter("bob").questions()
    answered = _handle(enter("bob"), job).answer(1, {"verdict": "discard", "note": "too hot"})

    assert listed == question
    assert (question["text"], question["state"], question["user"]) == ("Keep this structure?", "open", "ada")
    assert (answered["state"], answered["answered_by"]) == ("answered", "bob")
    assert job.result(timeout=10) == "discard: too hot"
    assert enter("bob").questions() == []


def _handle(room: Room, job: JobHandle) -> JobHandle:
    return room.job(job.id)


def test_a_job_that_waits_keeps_running_and_frees_its_slot(enter: Enter, serve: Serve) -> None:
    serve(Confirm, Quick)
    room = enter()
    job = room.submit(Confirm())
    question_of(job)

    assert room.submit(Quick()).result(timeout=10) == "quick"
    assert (job.status, job.document["waiting_for"]["code"]) == ("running", "answer")
    assert job.document["waiting_for"]["key"] == "1"

    job.answer(1, {})
    assert job.result(timeout=10) == "keep: "


def test_at_most_four_times_as_many_as_there_are_slots_wait_without_one(enter: Enter, serve: Serve) -> None:
    serve(Confirm)
    room = enter()
    jobs = room.submit_many([Confirm()] * 7)
    eventually(lambda: len(room.questions()) == 5)
    statuses = sorted(job.status for job in jobs)

    assert statuses == ["pending"] * 2 + ["running"] * 5
    for _ in jobs:
        eventually(room.questions)
        _answer_first(room)
    assert [job.result(timeout=10) for job in jobs] == ["keep: "] * 7


def _answer_first(room: Room) -> None:
    found = room.questions()[0]
    room.job(found["job_id"]).answer(found["id"], {})


def test_an_answer_has_to_fit_the_schema_and_the_first_one_counts(enter: Enter, serve: Serve) -> None:
    serve(Confirm)
    room = enter()
    job = room.submit(Confirm())
    question_of(job)

    with pytest.raises(InvalidData):
        job.answer(1, {"verdict": "perhaps"})
    with pytest.raises(QuestionNotFound):
        job.answer(2, {})
    job.answer(1, {"verdict": "keep"})
    with pytest.raises(QuestionClosed, match="ada has answered"):
        _handle(enter("bob"), job).answer(1, {"verdict": "keep"})
    job.answer(1, {"verdict": "keep"})


def test_a_question_that_nobody_answers_in_time_raises(enter: Enter, serve: Serve) -> None:
    serve(Confirm)
    job = enter().submit(Confirm(timeout=0.2))

    assert job.result(timeout=20) == "nobody answered"
    assert job.questions()[0]["state"] == "expired"


def test_a_coroutine_asks_the_same_twice_and_gets_two_answers(enter: Enter, serve: Serve) -> None:
    serve(AsyncConfirm)
    job = enter().submit(AsyncConfirm())
    eventually(lambda: len(job.questions()) == 1)
    job.answer(1, {"n": 10})
    eventually(lambda: len(job.questions()) == 2)
    job.answer(2, {"n": 20})

    assert job.result(timeout=10) == 30


def test_an_isolated_job_asks_and_frees_its_slot(enter: Enter, serve: Serve) -> None:
    serve(IsolatedConfirm, Quick)
    room = enter()
    job = room.submit(IsolatedConfirm())
    question_of(job)

    assert room.submit(Quick()).result(timeout=10) == "quick"
    job.answer(1, {"note": "fine"})
    assert job.result(timeout=20) == "keep: fine"


def test_a_job_that_waits_can_be_cancelled(enter: Enter, serve: Serve) -> None:
    serve(Confirm, Quick)
    room = enter()
    job = room.submit(Confirm())
    question_of(job)
    job.cancel()

    with pytest.raises(JobCancelled):
        job.result(timeout=10)
    with pytest.raises(QuestionClosed, match="cancelled"):
        job.answer(1, {})
    assert room.submit(Quick()).result(timeout=10) == "quick"
    eventually(lambda: not room.questions())


@pytest.mark.parametrize("extension", [Descend, IsolatedDescend])
def test_a_one_slot_worker_runs_jobs_that_wait_for_their_children_three_deep(
    enter: Enter, serve: Serve, extension: type[Descend]
) -> None:
    serve(extension)
    job = enter().submit(extension(depth=3))

    assert job.result(timeout=60) == 3


def test_a_one_slot_worker_runs_more_jobs_that_wait_for_children_than_may_wait_at_once(
    enter: Enter, serve: Serve
) -> None:
    serve(Descend)
    room = enter()
    flat = room.submit_many([Descend(depth=1)] * 9)
    deep = room.submit(Descend(depth=7))

    assert [job.result(timeout=60) for job in flat] == [1] * 9
    assert deep.result(timeout=60) == 7


def test_a_one_slot_worker_runs_coroutines_that_wait_and_go_on_at_different_times(
    enter: Enter, serve: Serve
) -> None:
    serve(Braid, Quick)
    jobs = enter().submit_many([Braid()] * 3)

    assert [job.result(timeout=60) for job in jobs] == [12] * 3


@pytest.mark.parametrize(("extension", "result"), [(Gather, 3), (Listen, ["quick"])])
def test_a_one_slot_worker_runs_jobs_that_wait_for_a_group_or_listen_to_a_job(
    enter: Enter, serve: Serve, extension: type[Gather] | type[Listen], result: object
) -> None:
    serve(extension, Quick)

    assert enter().submit(extension()).result(timeout=30) == result


def test_a_one_slot_worker_runs_coroutines_that_wait_for_several_children(enter: Enter, serve: Serve) -> None:
    serve(AsyncDescend)

    assert enter().submit(AsyncDescend(depth=2)).result(timeout=60) == 4


def test_a_job_that_waits_for_a_child_says_which(enter: Enter, serve: Serve) -> None:
    serve(Delegate, Confirm)
    room = enter()
    job = room.submit(Delegate())
    child = _child_of(job, room)

    assert child.document["parent"] == job.id
    assert (job.status, job.document["waiting_for"]["job"]) == ("running", child.id)
    child.answer(1, {"note": "fine"})
    assert job.result(timeout=10) == "keep: fine"
    assert job.document["waiting_for"] is None


def test_a_parent_that_is_cancelled_while_it_waits_frees_the_worker_and_its_child_goes_on(
    enter: Enter, serve: Serve
) -> None:
    serve(Delegate, Confirm, Quick)
    room = enter()
    job = room.submit(Delegate())
    child = _child_of(job, room)
    job.cancel()

    assert room.submit(Quick()).result(timeout=10) == "quick"
    assert child.refresh()["status"] == "running"
    child.answer(1, {"note": "fine"})
    assert child.result(timeout=10) == "keep: fine"


def _child_of(job: JobHandle, room: Room) -> JobHandle:
    """The child that the job waits for, once it has asked its question."""
    eventually(lambda: room.questions() and (job.refresh()["waiting_for"] or {}).get("code") == "children")
    return room.job(room.questions()[0]["job_id"])


@pytest.mark.parametrize("extension", [Generate, IsolatedGenerate])
def test_intents_and_external_ids_are_kept_with_the_job(
    enter: Enter, serve: Serve, extension: type[Generate]
) -> None:
    serve(extension)
    job = enter().submit(extension())

    assert job.result(timeout=20) == {
        "before": [{}, []],
        "external": {"leonardo": "g-1"},
        "intents": ["d-1"],
    }
    document = job.refresh()
    assert [(each["provider"], each["id"], each["attempt"]) for each in document["external"]] == [
        ("leonardo", "g-1", 1)
    ]
    assert [(each["provider"], each["digest"]) for each in document["intents"]] == [("leonardo", "d-1")]


def test_coroutines_record_them_too(enter: Enter, serve: Serve) -> None:
    serve(AsyncGenerate)

    assert enter().submit(AsyncGenerate()).result(timeout=10) == {"leonardo": "g-1"}
