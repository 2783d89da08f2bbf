"""What a room can do, the same for plain code and for asyncio."""

from __future__ import annotations

import re
from typing import Any

import pytest

from support.extensions.in_process import Add, Count, Fail, Hold
from support.extensions.samples import Theme
from support.sync_rooms import Enter, Serve
from workroom import JobCancelled, JobFailed, ResultTimeout, Room
from workroom.errors import (
    ExtensionNotFound,
    Forbidden,
    InvalidData,
    InvalidName,
    InvalidRequest,
    NameTaken,
    PresetNotFound,
)
from workroom.testing.processes import ServerProcess, eventually


def test_a_submitted_job_gives_its_result(room: Any, serve: Serve) -> None:
    serve(Add)

    job = room.submit(Add(a=2, b=3))

    assert job.result(timeout=10) == 5
    assert job.status == "completed"


def test_a_job_can_be_submitted_by_name(room: Any, serve: Serve) -> None:
    serve(Add)

    assert room.submit_named("analysis", "Add", {"a": 2}).result(timeout=10) == 2


def test_many_jobs_are_submitted_at_once_and_keep_their_order(room: Any, serve: Serve) -> None:
    serve(Add)

    jobs = room.submit_many([Add(a=number) for number in range(20)])

    assert [job.result(timeout=10) for job in jobs] == list(range(20))


def test_one_refused_job_of_many_is_raised_and_the_others_are_submitted(room: Any, serve: Serve) -> None:
    serve(Add)
    wrong = Add.model_construct(a=1, b=-1)

    with pytest.raises(InvalidData):
        room.submit_many([Add(a=1), wrong, Add(a=2)])

    assert [job["data"]["a"] for job in room.jobs()] == [2, 1]


def test_a_job_can_be_found_again_by_its_id(room: Any, serve: Serve) -> None:
    serve(Add)
    job = room.submit(Add(a=7))
    job.result(timeout=10)

    again = room.job(job.id)

    assert (again.id, again.status, again.result(timeout=10)) == (job.id, "completed", 7)


def test_a_job_is_named_starred_tagged_and_noted_and_found_by_that(room: Any, serve: Serve) -> None:
    serve(Add)
    jobs = [room.submit(Add(a=number)) for number in range(4)]
    jobs[1].annotate(name="the best", starred=True, tags=["paper"], note="look again")
    jobs[1].annotate(note="")
    jobs[2].annotate(tags=["paper"])

    written = jobs[1].document["annotation"]
    assert (written["name"], written["starred"], written["tags"], written["note"]) == (
        "the best",
        True,
        ["paper"],
        "",
    )
    assert [job["id"] for job in room.jobs(search="starred best a>=1")] == [jobs[1].id]
    assert [job["id"] for job in room.jobs(search="tag:paper")] == [jobs[2].id, jobs[1].id]
    assert [job["id"] for job in room.jobs(search="a>0", limit=2)] == [jobs[3].id, jobs[2].id]
    with pytest.raises(InvalidRequest, match="is not a date"):
        room.jobs(search="since:soon")


def test_a_failed_job_raises_what_went_wrong(room: Any, serve: Serve) -> None:
    serve(Fail)

    with pytest.raises(JobFailed, match="LookupError: no frames") as raised:
        room.submit(Fail(message="no frames")).result(timeout=10)

    assert raised.value.fields["type"] == "LookupError"
    assert raised.value.fields["message"] == "no frames"
    assert "raise LookupError" in raised.value.fields["stack_trace"]


def test_a_cancelled_job_raises_and_its_worker_goes_on(room: Any, serve: Serve, key: str) -> None:
    serve(Hold, Add)
    job = room.submit(Hold(key=key))
    eventually(lambda: job.refresh()["status"] == "running")

    job.cancel()

    assert job.document["status"] == "cancelled"
    with pytest.raises(JobCancelled, match=job.id):
        job.result(timeout=10)
    assert room.submit(Add(a=1)).result(timeout=10) == 1


def test_a_result_that_takes_too_long_raises_and_the_job_goes_on(room: Any, serve: Serve, key: str) -> None:
    serve(Hold)
    job = room.submit(Hold(key=key))

    with pytest.raises(ResultTimeout, match=job.id):
        job.result(timeout=0.05)

    Hold.gate(key).set()
    assert job.result(timeout=10) == "let go"


def test_watching_shows_each_change_until_the_end(room: Any, serve: Serve) -> None:
    serve(Add)
    job = room.submit(Add(a=1))

    updates = list(job.watch())

    versions = [update["version"] for update in updates]
    assert versions == sorted(set(versions))
    assert updates[-1]["status"] == "completed"
    assert updates[-1]["result"] == 1
    assert list(job.watch())[-1] == updates[-1]


def test_progress_is_seen_while_watching(room: Any, serve: Serve, key: str) -> None:
    serve(Count)
    job = room.submit(Count(key=key, steps=2))
    fractions = []

    for update in job.watch():
        if update["progress"]:
            fractions.append(update["progress"]["fraction"])
            assert (update["progress"]["message"], update["progress"]["total"]) == ("counting", 2)
            Hold.gate(f"{key}-0").set()
            Hold.gate(f"{key}-1").set()

    assert fractions[0] == 0
    assert job.document["result"] == 2


def test_the_last_progress_is_never_held_back(room: Any, serve: Serve) -> None:
    """A few a second are sent, the last always: a job that tracked all its steps does not end at 0 %."""
    serve(Count)
    for step in range(3):
        Hold.gate(f"open-{step}").set()

    job = room.submit(Count(key="open", steps=3))

    assert job.result(timeout=10) == 3
    assert job.document["progress"]["fraction"] == 1


def test_the_history_of_a_job_can_be_read(room: Any, serve: Serve) -> None:
    serve(Add)
    job = room.submit(Add())
    job.result(timeout=10)

    assert [step["status"] for step in job.history()] == ["pending", "assigned", "running", "completed"]


def test_the_jobs_of_the_room_can_be_listed_and_filtered(room: Any, serve: Serve) -> None:
    serve(Add, Fail)
    added, failed = room.submit(Add()), room.submit(Fail())
    added.result(timeout=10)
    with pytest.raises(JobFailed):
        failed.result(timeout=10)

    assert [job["id"] for job in room.jobs()] == [failed.id, added.id]
    assert [job["id"] for job in room.jobs(status="completed")] == [added.id]
    assert [job["id"] for job in room.jobs(extension="analysis/Fail")] == [failed.id]
    assert [job["id"] for job in room.jobs(limit=1)] == [failed.id]


def test_the_extensions_and_workers_of_the_room_can_be_listed(room: Any, serve: Serve) -> None:
    serve(Add, slots=3)

    (shown,) = [each for each in room.extensions() if each["scope"] == "room"]
    (worker,) = room.workers()

    assert (shown["category"], shown["name"], shown["idle_workers"]) == ("analysis", "Add", 1)
    assert shown["schema"]["properties"].keys() == {"a", "b"}
    assert (worker["user"], worker["slots"], worker["state"]) == ("worker", 3, "idle")
    assert worker["machine"]["pid"] > 0


def test_my_last_values_are_remembered(room: Any, serve: Serve) -> None:
    serve(Add)
    assert room.last_values(Add) is None

    room.submit(Add(a=1))
    room.submit(Add(a=2, b=3))

    assert room.last_values(Add) == {"a": 2, "b": 3}


def test_presets_are_mine_or_the_rooms(room: Any, serve: Serve, enter: Enter) -> None:
    serve(Add)
    room.save_preset("small", Add(a=1))
    room.save_preset("large", Add(a=100, b=200), shared=True)
    bob = enter("bob")

    assert [(each["whose"], each["name"]) for each in room.presets(Add)] == [
        ("room", "large"),
        ("mine", "small"),
    ]
    assert [each["name"] for each in bob.presets("analysis/Add")] == ["large"]
    assert bob.submit(Add(**bob.preset(Add, "large", shared=True))).result(timeout=10) == 300
    with pytest.raises(NameTaken, match="preset 'small'"):
        room.save_preset("small", Add(a=2))
    room.save_preset("small", Add(a=2), replace=True)
    assert room.preset("analysis/Add", "small")["a"] == 2
    with pytest.raises(Forbidden):
        bob.delete_preset(Add, "large", shared=True)
    room.delete_preset(Add, "small")
    with pytest.raises(PresetNotFound):
        room.preset(Add, "small")


def test_an_invite_is_a_link_with_the_code_behind_the_hash(
    room: Any, server: ServerProcess, name: str
) -> None:
    link = room.invite(days=1, uses=2)

    assert re.fullmatch(rf"{re.escape(server.url)}/join#{name}/[A-Z0-9]{{4}}(-[A-Z0-9]{{4}}){{2}}", link)


def test_only_a_private_room_has_links_for_viewing(room: Any) -> None:
    with pytest.raises(InvalidRequest, match="make it private"):
        room.invite(role="viewer")


def test_settings_are_saved_for_me_alone(room: Any, enter: Enter) -> None:
    assert room.save(Theme(dark=True)) is None

    assert room.last_values(Theme) == {"dark": True}
    assert enter("bob").last_values(Theme) is None
    assert room.jobs() == []


def test_submitting_settings_saves_them_or_explains_how_to(room: Any) -> None:
    """Whoever submits settings gets them saved, or a clear word; not a handle that is no handle."""
    try:
        submitted = room.submit(Theme(dark=True))
    except Exception as refused:
        assert "save" in str(refused)  # noqa: PT017
    else:
        assert submitted is None or submitted.id
        assert room.last_values(Theme) == {"dark": True}


def test_a_job_of_an_unknown_extension_is_refused_at_once(room: Any) -> None:
    with pytest.raises(ExtensionNotFound, match="analysis/Add"):
        room.submit(Add())


def test_a_rooms_name_is_normalised_and_a_reserved_one_refused(server: ServerProcess) -> None:
    with Room("DEMO", server.url, user="ada") as room:
        assert room.name == "demo"
    with pytest.raises(InvalidName):
        Room("Public", server.url, user="ada")


def test_a_priority_can_be_given(room: Any, enter: Enter, serve: Serve) -> None:
    serve(Add)
    owner = enter("worker")

    assert owner.submit(Add(), priority=7).document["priority"] == 7
    assert room.submit(Add(), priority=0).document["priority"] == 0
