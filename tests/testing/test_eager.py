"""Extensions run in a test without a server, as they would run in a worker."""

from __future__ import annotations

import logging
from collections.abc import AsyncIterator, Iterator
from pathlib import Path
from typing import Any

import numpy as np
import pytest
from pydantic import Field, SecretStr

from workroom import AsyncRoom, Extension, File, JobCancelled, JobContext, JobFailed, Room, current_job
from workroom.testing.eager import EagerRoom


class Double(Extension, category="analysis"):
    number: int = Field(1, le=10)

    def run(self) -> dict[str, Any]:
        return {"doubled": self.number * 2, "array": np.arange(self.number)}


class Chatty(Extension, category="analysis"):
    def run(self, job: JobContext) -> str:
        print("printed")
        logging.getLogger("a library").warning("logged")
        for _ in job.track(range(3), "counting"):
            pass
        job.save("notes.txt", b"one line")
        job.show("half way")
        return f"{job.room} {job.user} {current_job() is job}"


class Broken(Extension, category="analysis"):
    def run(self) -> None:
        raise ZeroDivisionError("no")


class Smooth(Extension, category="modifiers"):
    def run(self, room: Room) -> int:
        for frame in room.frames:
            room.state["last"] = frame["energy"]
        return room.submit(Double(number=len(room.frames))).result()["doubled"]  # type: ignore[no-any-return]


class AsyncSmooth(Extension, category="modifiers"):
    async def run(self, room: AsyncRoom) -> Any:
        job = await room.submit(Double(number=4))
        return (await job.result(timeout=1))["doubled"]


class Yielding(Extension, category="analysis"):
    def run(self) -> Iterator[int]:
        yield from range(3)


class AsyncYielding(Extension, category="analysis"):
    async def run(self) -> AsyncIterator[int]:
        for number in range(3):
            yield number


class Login(Extension, category="analysis"):
    password: SecretStr

    def run(self) -> str:
        print(f"using {self.password.get_secret_value()}")
        return self.password.get_secret_value()


class CountBytes(Extension, category="analysis"):
    file: File

    def run(self) -> int:
        return len(self.file.path().read_bytes())


class Cancelled(Extension, category="analysis"):
    def run(self, job: JobContext) -> None:
        job.cancel()
        job.check()


def test_values_and_results_pass_through_json(eager: EagerRoom) -> None:
    result = eager.submit(Double(number=3)).result()

    assert result["doubled"] == 6
    assert result["array"] == [0, 1, 2]


def test_all_that_a_job_reports_is_there(eager: EagerRoom) -> None:
    job = eager.submit(Chatty())

    assert (job.status, job.result()) == ("completed", "demo ada True")
    assert job.logs == ["printed", "logged"]
    assert (job.progress[-1]["current"], job.progress[-1]["message"]) == (3, "counting")
    assert job.artifacts == {"notes.txt": b"one line"}
    assert len(job.previews) == 1


def test_an_exception_fails_the_job(eager: EagerRoom) -> None:
    job = eager.submit(Broken())

    assert job.status == "failed"
    with pytest.raises(JobFailed, match="ZeroDivisionError: no") as caught:
        job.result()
    assert "raise ZeroDivisionError" in caught.value.fields["stack_trace"]


def test_a_job_uses_the_room(eager: EagerRoom) -> None:
    eager.frames += [{"energy": 1.0}, {"energy": 2.0}]

    assert eager.submit(Smooth()).result() == 4
    assert eager.state == {"last": 2.0}
    assert [type(job.id) for job in eager.jobs] == [str, str]


@pytest.mark.parametrize("extension", [Yielding, AsyncYielding])
def test_the_items_of_a_generator_are_the_result(eager: EagerRoom, extension: type[Extension]) -> None:
    assert eager.submit(extension()).result() == [0, 1, 2]


def test_a_coroutine_runs_in_an_ordinary_test(eager: EagerRoom) -> None:
    assert eager.submit(AsyncSmooth()).result() == 8


async def test_a_coroutine_runs_in_a_test_that_is_one(eager: EagerRoom) -> None:
    assert eager.submit(AsyncSmooth()).result() == 8


def test_secrets_are_masked(eager: EagerRoom) -> None:
    job = eager.submit(Login(password=SecretStr("correct horse battery")))

    assert "correct horse" not in f"{job.logs} {job.encoded!r}"


def test_a_file_of_this_machine_is_a_file_of_the_room(eager: EagerRoom, tmp_path: Path) -> None:
    (tmp_path / "data.bin").write_bytes(bytes(123))

    assert eager.submit(CountBytes(file=eager.upload(tmp_path / "data.bin"))).result() == 123


def test_a_cancelled_job_ends_so(eager: EagerRoom) -> None:
    with pytest.raises(JobCancelled):
        eager.submit(Cancelled()).result()


def test_what_needs_a_server_says_so(eager: EagerRoom) -> None:
    with pytest.raises(AttributeError, match=r"room\.chat needs a server"):
        eager.chat  # noqa: B018 - the attribute is the test
