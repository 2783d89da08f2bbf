"""`workroom submit`."""

from __future__ import annotations

import json

import httpx
import psutil
import pytest

from support.command_line import Run, Start, ran
from support.extensions.samples import Echo
from workroom import Room
from workroom.testing.guests import guest_token
from workroom.testing.processes import ServerProcess, eventually


def last_job(server: ServerProcess, room: str) -> str:
    """The id of the one job in the room, once it runs."""
    with Room(room, server.url, user="ada") as place:
        return str(eventually(lambda: place.jobs(status="running"), what="a running job")[0]["id"])


def is_watching(pid: int) -> bool:
    """Requests share one connection; a second one is the socket that job events come by."""
    connections = psutil.Process(pid).net_connections("inet")
    return sum(each.status == psutil.CONN_ESTABLISHED for each in connections) > 1


def test_submitting_prints_the_id_of_the_job_and_does_not_wait(run: Run, room: str) -> None:
    submitted = run("submit", room, "analysis/Echo")

    assert (submitted.code, submitted.error) == (0, "")
    word, job_id, status = submitted.out.split()
    assert (word, len(job_id), status) == ("job", 36, "pending")


def test_waiting_ends_with_the_result(run: Run, room: str) -> None:
    """What is meant as a text stays one, even if it reads like a number."""
    waited = run("submit", room, "analysis/Echo", "text=12", "times=2", 'point={"x": 1}', "--wait")

    assert (waited.code, waited.error) == (0, "")
    assert "completed" in waited.out.splitlines()[0]
    assert '"text": "1212"' in waited.out


def test_waiting_for_json_prints_the_whole_job(run: Run, room: str) -> None:
    job = run("submit", room, "analysis/Echo", "text=ab", "--wait", "--json").json

    assert (job["status"], job["user"], job["result"]["text"]) == ("completed", "ada", "ab")


def test_a_preset_gives_the_values_that_are_not_typed(server: ServerProcess, run: Run, room: str) -> None:
    with Room(room, server.url, user="ada") as place:
        place.save_preset("twice", Echo(text="ab", times=2))
        place.save_preset("twice", Echo(text="theirs"), shared=True)

    mine = run("submit", room, "analysis/Echo", "text=cd", "--preset", "twice", "--wait", "--json")
    unknown = run("submit", room, "analysis/Echo", "--preset", "twise")

    assert (mine.error, mine.json["result"]["text"]) == ("", "cdcd")
    assert unknown.code == 1
    assert unknown.complaint == "There is no preset 'twise' of analysis/Echo. Did you mean 'twice'?"


def test_a_field_of_a_preset_that_is_gone_is_named_and_left_out(
    server: ServerProcess, run: Run, room: str
) -> None:
    token = guest_token(server.url, "ada")
    saved = httpx.put(
        f"{server.url}/api/rooms/{room}/presets/analysis/Echo/room/old",
        json={"data": {"text": "ab", "colour": "red"}},
        headers={"Authorization": f"Bearer {token}"},
    )
    assert saved.status_code == 200, saved.text

    ran = run("submit", room, "analysis/Echo", "--preset", "old", "--wait", "--json")

    assert ran.error.strip() == "'colour' is no longer a field of analysis/Echo: left out"
    assert json.loads(ran.out)["data"] == {"text": "ab"}


def test_a_failed_job_ends_with_1_and_its_trace(run: Run, room: str) -> None:
    failed = run("submit", room, "analysis/Break", "message=gear lost", "--wait")

    assert failed.code == 1
    assert "failed: ValueError: gear lost" in failed.out.splitlines()[0]
    assert "raise error" in failed.out


def test_a_cancelled_job_ends_with_2(server: ServerProcess, run: Run, start: Start, room: str) -> None:
    waiting = start("submit", room, "analysis/Nap", "seconds=600", "--wait", "--url", server.url)
    job_id = last_job(server, room)

    cancelled = run("cancel", job_id, "--user", "admin", "--password", "open sesame")

    assert (cancelled.code, cancelled.out) == (0, f"job {job_id} cancelled\n")
    assert waiting.end() == 2
    assert f"job {job_id} cancelled" in waiting.printed


def test_ctrl_c_stops_waiting_and_prints_how_to_see_the_job(
    server: ServerProcess, start: Start, room: str
) -> None:
    """The printed command works as it is."""
    waiting = start("submit", room, "analysis/Nap", "seconds=600", "--wait", "--url", server.url)
    job_id = last_job(server, room)
    eventually(lambda: is_watching(waiting.pid), what="the socket that is used for waiting")

    waiting.interrupt()

    assert waiting.end() == 130
    (line,) = [line for line in waiting.printed.splitlines() if "goes on" in line]
    assert job_id in line
    looked = ran(["sh", "-c", line.partition("See it with: ")[2]])
    assert (looked.code, f"id                 {job_id}" in looked.out) == (0, True)
    with Room(room, server.url) as place:
        place.job(job_id).cancel()


def test_settings_are_saved(run: Run, room: str) -> None:
    assert run("submit", room, "settings/Theme", "dark=true").out == "settings/Theme saved\n"


@pytest.mark.parametrize(
    ("extension", "values", "code", "complaint"),
    [
        ("analysis/Echo", ["txt=a"], 2, "analysis/Echo has no field 'txt'. Did you mean 'text'?"),
        ("analysis/Echo", ["q=a"], 2, "analysis/Echo has no field 'q'. Fields: text, times, point."),
        (
            "analysis/ecko",
            [],
            1,
            "There is no extension analysis/ecko in room {room}. Did you mean 'analysis/Echo'?",
        ),
        ("analysis/Echo", ["times=many"], 1, '/times: "many" is not of type "integer"'),
    ],
)
def test_invalid_values_are_refused(
    run: Run, room: str, extension: str, values: list[str], code: int, complaint: str
) -> None:
    refused = run("submit", room, extension, *values)

    assert refused.code == code
    assert complaint.format(room=room) in refused.complaint
