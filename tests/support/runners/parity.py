"""Tests that every runner must pass: the submitter sees no difference. Each runner provides a `room`."""

from __future__ import annotations

from pathlib import Path
from typing import ClassVar

import pytest

from support.extensions.misbehaving import Apart, Deaf, DiesOnce, Faulty, Flaky, Hold, Mark, Speak, notes
from support.extensions.samples import AsyncNap
from support.extensions.trajectories import (
    Grow,
    HoldFrames,
    Shift,
    ShiftApart,
    ShiftAsync,
    ShiftAsyncApart,
    ShiftForGood,
    ShiftForGoodApart,
)
from support.frames import frame, numbers
from workroom import Extension, JobFailed, JobHandle, Room
from workroom.errors import JobCancelled
from workroom.testing.processes import eventually

SECONDS = 30


def runs(job: JobHandle, diary: Path) -> None:
    eventually(lambda: job.status == "running" and notes(diary), what="the job running")


def error_of(job: JobHandle) -> str:
    with pytest.raises(JobFailed):
        job.result(SECONDS)
    return str(job.document["error"]["type"])


class RunnerParity:
    runner: ClassVar[str]

    @pytest.fixture
    def diary(self, tmp_path: Path) -> Path:
        return tmp_path / "diary"

    def test_a_job_has_a_result_and_names_what_ran_it(self, room: Room) -> None:
        job = room.submit(Mark(word="hello"))

        assert job.result(SECONDS) == "hello"
        assert job.document["runner"] == self.runner
        assert [step["status"] for step in job.history()] == ["pending", "assigned", "running", "completed"]

    def test_a_coroutine_is_awaited(self, room: Room) -> None:
        assert room.submit(AsyncNap()).result(SECONDS) == "rested"

    def test_many_jobs_run_once_each(self, room: Room, diary: Path) -> None:
        jobs = room.submit_many([Mark(word=f"{number}", diary=str(diary)) for number in range(50)])

        assert [job.result(SECONDS) for job in jobs] == [f"{number}" for number in range(50)]
        assert sorted(map(int, notes(diary))) == list(range(50))

    def test_all_output_of_a_job_arrives(self, room: Room) -> None:
        job = room.submit(Speak())

        assert job.result(SECONDS) == room.name
        assert job.document["progress"]["message"] == "half way"
        said = [line["text"] for line in job.logs()]
        assert "printed" in said
        assert any("logged" in line for line in said)
        assert [artifact["name"] for artifact in job.artifacts()] == ["words.txt"]
        assert [message["text"] for message in room.chat()] == ["said"]

    def test_an_error_is_reported_with_its_path(self, room: Room) -> None:
        job = room.submit(Faulty())

        assert error_of(job) == "ValueError"
        assert "out of order" in job.document["error"]["stack_trace"]

    def test_an_error_is_tried_again_as_often_as_it_may(self, room: Room, diary: Path) -> None:
        assert room.submit(Flaky(failures=1, diary=str(diary))).result(SECONDS) == 2
        diary.unlink()
        assert error_of(room.submit(Flaky(failures=9, diary=str(diary)))) == "MaxRetriesExceeded"
        assert len(notes(diary)) == 2

    def test_a_job_that_takes_its_worker_down_is_tried_elsewhere(self, room: Room, diary: Path) -> None:
        job = room.submit(DiesOnce(diary=str(diary)))

        assert job.result(SECONDS) == 2
        assert job.document["attempt"] == 2

    def test_a_running_job_is_cancelled_and_its_place_is_free(
        self, room: Room, diary: Path, tmp_path: Path
    ) -> None:
        job = room.submit(Hold(gate=str(tmp_path / "gate"), diary=str(diary)))
        runs(job, diary)

        job.cancel()

        with pytest.raises(JobCancelled):
            job.result(SECONDS)
        assert room.submit(Mark(word="next")).result(SECONDS) == "next"

    def test_a_job_past_its_timeout_fails_and_is_cancelled(
        self, room: Room, diary: Path, tmp_path: Path
    ) -> None:
        gate = tmp_path / "gate"
        job = room.submit(Deaf(gate=str(gate), diary=str(diary)))

        assert error_of(job) == "JobTimeout"
        eventually(lambda: notes(diary) == ["told"], what="the code being told")
        gate.touch()

    def test_a_job_can_have_a_process_of_its_own(self, room: Room) -> None:
        result = room.submit(Apart()).result(SECONDS)

        assert result["pid"] != result["parent"]

    @pytest.mark.parametrize("modifier", [Shift, ShiftApart, ShiftAsync, ShiftAsyncApart])
    def test_a_job_edits_frames_as_one_version(self, room: Room, modifier: type[Extension]) -> None:
        room.frames.extend(frame(number) for number in range(3))

        job = room.submit(modifier())

        assert job.result(SECONDS) == 4
        assert numbers(room.frames) == [100, 101, 102, -1]
        assert [each["job_id"] for each in room.versions()] == [job.id, None]
        room.undo()
        assert numbers(room.frames) == [0, 1, 2]

    @pytest.mark.parametrize("modifier", [Shift, ShiftApart])
    def test_a_failed_job_leaves_the_room_as_it_was(self, room: Room, modifier: type[Shift]) -> None:
        room.frames.extend(frame(number) for number in range(3))
        room.metadata["shifted"] = 0

        assert error_of(room.submit(modifier(fails=True))) == "ValueError"

        eventually(lambda: numbers(room.frames) == [0, 1, 2], what="the frames as they were")
        assert dict(room.metadata) == {"shifted": 0}
        eventually(lambda: not room.locks(), what="the lock free")
        room.frames.append(frame(3))

    @pytest.mark.parametrize("modifier", [ShiftForGood, ShiftForGoodApart])
    def test_a_failed_job_may_keep_its_edits(self, room: Room, modifier: type[Shift]) -> None:
        room.frames.extend(frame(number) for number in range(3))

        assert error_of(room.submit(modifier(fails=True))) == "ValueError"

        eventually(lambda: not room.locks(), what="the lock free")
        assert numbers(room.frames) == [100, 101, 102, -1]
        assert dict(room.metadata) == {"shifted": 100}

    def test_a_job_that_edits_frames_holds_their_lock(self, room: Room) -> None:
        assert room.submit(Grow()).result(SECONDS) == []
        assert room.submit(HoldFrames()).result(SECONDS) == [["frames", "HoldFrames"]]
        eventually(lambda: not room.locks(), what="the lock free")
        assert numbers(room.frames) == [6, 5, 0, 1, 2]
