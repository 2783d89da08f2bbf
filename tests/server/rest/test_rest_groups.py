"""Jobs that start later, after others, or as a group."""

from __future__ import annotations

from typing import Any

import pytest

from support.users import Document, Person, SocketWorker, extension
from workroom.testing.processes import eventually

ECHO = {"category": "analysis", "name": "Echo"}


def create(person: Person, room: str, jobs: int = 2, **options: Any) -> Document:
    response = person.post(f"/api/rooms/{room}/groups", json={"jobs": [ECHO] * jobs, **options})
    assert response.status_code == 202, response.text
    found: Document = response.json()
    return found


def read(person: Person, group: Document) -> Document:
    found: Document = person.get(f"/api/groups/{group['id']}").json()
    return found


def run(worker: SocketWorker, result: Any = None, status: str = "completed") -> Document:
    item = worker.take()
    assert worker.start(item) is None
    report = (
        {"result": result} if status == "completed" else {"error": {"type": "ValueError", "message": "no"}}
    )
    assert worker.finish(item, status, **report) is None
    return item


def test_a_delayed_job_waits_for_its_time_and_then_starts(ada: Person, room: str) -> None:
    worker = ada.work(extension(room))
    late = ada.order(room, delay_ms=3_600_000)
    soon = ada.order(room, delay_ms=50)

    waiting = ada.get(f"/api/jobs/{late['id']}").json()["waiting_for"]
    assert (waiting["code"], waiting["until"] > late["created_at"]) == ("run_at", True)
    assert worker.take()["job_id"] == soon["id"]


@pytest.mark.parametrize(
    "conditions",
    [
        {"run_at": "2999-01-20T12:00:00Z"},
        {"delay_ms": 367 * 86_400_000},
        {"delay_ms": 1, "run_at": "2026-01-20T12:00:00Z"},
        {"delay_ms": -1},
        {"run_at": "tomorrow"},
        {"on": "failed"},
        {"after": ["x"] * 1001},
    ],
    ids=str,
)
def test_a_time_too_far_ahead_or_malformed_is_refused(ada: Person, room: str, conditions: Document) -> None:
    ada.register(extension(room))

    assert ada.submit(room, **conditions).status_code == 422


def test_a_time_at_the_limit_is_accepted(ada: Person, room: str) -> None:
    ada.register(extension(room))

    assert ada.submit(room, delay_ms=366 * 86_400_000).status_code == 202


def test_each_job_of_a_batch_and_of_a_group_has_conditions_of_its_own(ada: Person, room: str) -> None:
    ada.work(extension(room))
    late = ada.order(room, delay_ms=3_600_000)
    jobs = [{**ECHO, "delay_ms": 3_600_000}, {**ECHO, "after": [late["id"]]}, ECHO]

    for path in ("jobs/batch", "groups"):
        items = ada.post(f"/api/rooms/{room}/{path}", json={"jobs": jobs}).json()["items"]
        found = [ada.get(f"/api/jobs/{item['job']['id']}").json()["waiting_for"] for item in items]
        assert [each["code"] for each in found[:2]] == ["run_at", "after"]
        assert found[1]["job"] == late["id"]
        assert found[2] is None or found[2]["code"] == "workers_busy"


def test_the_same_key_and_delay_are_the_same_job(ada: Person, room: str) -> None:
    ada.register(extension(room))
    path, key = f"/api/rooms/{room}/extensions/analysis/Echo/submit", {"Idempotency-Key": "once"}
    first, again = (ada.post(path, json={"delay_ms": 60_000}, headers=key) for _ in range(2))

    assert first.json()["id"] == again.json()["id"]
    assert ada.post(path, json={"delay_ms": 61_000}, headers=key).status_code == 422


def test_settings_are_saved_at_once(ada: Person, room: str) -> None:
    ada.register({**extension(room, "Theme"), "category": "settings"})

    assert ada.submit(room, "Theme", category="settings", delay_ms=1).status_code == 422


def test_a_chain_runs_in_order_and_a_failure_skips_the_rest(ada: Person, room: str) -> None:
    worker = ada.work(extension(room))
    first = ada.order(room)
    second = ada.order(room, after=[first["id"]])
    third = ada.order(room, after=[second["id"]])
    waiting = ada.get(f"/api/jobs/{third['id']}").json()["waiting_for"]
    assert (waiting["code"], waiting["job"], waiting["count"]) == ("after", second["id"], 1)

    assert run(worker)["job_id"] == first["id"]
    assert run(worker, status="failed")["job_id"] == second["id"]

    ended = ada.get(f"/api/jobs/{third['id']}").json()
    history = ada.get(f"/api/jobs/{third['id']}/history").json()["items"]
    assert ended["status"] == "cancelled"
    assert (history[-1]["actor"], history[-1]["reason"]) == ("workroom", f"job {second['id']} failed")


def test_what_is_in_another_room_cannot_be_waited_for(ada: Person, bob: Person, room: str) -> None:
    ada.register(extension(room))
    other = f"{room}-other"
    ada.post("/api/rooms", json={"name": other})
    ada.register(extension(other))
    job, group = ada.order(other), create(ada, other)["group"]

    assert ada.submit(room, after=[job["id"]]).json()["code"] == "job_not_found"
    assert ada.submit(room, after=["nobody"]).json()["code"] == "job_not_found"
    assert ada.submit(room, after=[group["id"]]).json()["code"] == "group_not_found"
    assert ada.submit(room, after=["grp_nobody"]).json()["code"] == "group_not_found"


def test_a_group_has_counts_progress_and_an_end(ada: Person, room: str) -> None:
    worker = ada.work(extension(room))
    created = create(ada, room, 2, title="Two", parameters=["text"])
    group = created["group"]
    assert [item["job"]["group"] for item in created["items"]] == [group["id"]] * 2
    assert (group["title"], group["parameters"], group["total"]) == ("Two", ["text"], 2)
    run(worker)
    half = read(ada, group)
    assert (half["progress"], half["counts"]["completed"], half["ended_at"]) == (0.5, 1, None)
    run(worker)
    whole = read(ada, group)

    assert (whole["progress"], whole["open"]) == (1.0, False)
    assert whole["ended_at"] is not None
    assert [each["id"] for each in ada.items(f"/api/rooms/{room}/groups")] == [group["id"]]


def test_batches_are_added_until_the_group_is_closed(ada: Person, bob: Person, room: str) -> None:
    ada.register(extension(room))
    group = create(ada, room, 1, open=True)["group"]
    path = f"/api/groups/{group['id']}/jobs"
    assert ada.post(path, json={"jobs": [ECHO], "open": True}).json()["group"]["total"] == 2
    assert bob.post(path, json={"jobs": [ECHO]}).status_code == 403
    assert ada.submit(room, after=[group["id"]]).json()["code"] == "group_open"
    closed = ada.post(path, json={"jobs": [ECHO]}).json()["group"]
    assert (closed["total"], closed["open"]) == (3, False)

    refused = ada.post(path, json={"jobs": [ECHO]}).json()
    assert [item["error"]["code"] for item in refused["items"]] == ["group_closed"]
    assert refused["group"] is None


def test_a_repeated_request_creates_one_group(ada: Person, room: str) -> None:
    ada.register(extension(room))
    body, key = {"jobs": [ECHO] * 3}, {"Idempotency-Key": "once"}
    first, again = (ada.post(f"/api/rooms/{room}/groups", json=body, headers=key).json() for _ in range(2))

    assert first["group"]["id"] == again["group"]["id"]
    assert [item["job"]["id"] for item in first["items"]] == [item["job"]["id"] for item in again["items"]]
    assert again["group"]["total"] == 3


def test_a_group_of_refused_jobs_does_not_come_to_be(ada: Person, room: str) -> None:
    wrong = {"category": "analysis", "name": "Nobody"}
    response = ada.post(f"/api/rooms/{room}/groups", json={"jobs": [wrong]})

    assert (response.status_code, response.json()["group"]) == (202, None)
    assert ada.items(f"/api/rooms/{room}/groups") == []


def test_cancelling_a_group_is_acknowledged_and_carried_out(ada: Person, room: str) -> None:
    worker = ada.work(extension(room))
    group = create(ada, room, 5)["group"]
    worker.take()
    response = ada.post(f"/api/groups/{group['id']}/cancel")

    assert (response.status_code, response.json()["cancelled"]) == (202, True)
    eventually(lambda: read(ada, group)["counts"]["cancelled"] == 5, what="every job cancelled")
    assert ada.post(f"/api/groups/{group['id']}/pause").json()["code"] == "group_closed"


def test_a_paused_group_starts_nothing_until_it_is_resumed(ada: Person, room: str) -> None:
    ada.register(extension(room))
    group = create(ada, room, 2)["group"]
    ada.post(f"/api/groups/{group['id']}/pause")
    eventually(lambda: read(ada, group)["changing"] is None, what="the pause carried out")
    worker = ada.work(extension(room))
    other = ada.order(room)
    assert run(worker)["job_id"] == other["id"]
    assert worker.holds_nothing_new()
    ada.post(f"/api/groups/{group['id']}/resume")

    run(worker), run(worker)
    assert read(ada, group)["ended_at"] is not None


def test_retrying_replaces_the_failed_jobs(ada: Person, room: str) -> None:
    worker = ada.work(extension(room))
    group = create(ada, room, 2)["group"]
    run(worker, status="failed")
    run(worker)
    assert read(ada, group)["counts"]["failed"] == 1
    retried = ada.post(f"/api/groups/{group['id']}/retry").json()
    assert (retried["retried"], retried["more"], retried["group"]["total"]) == (1, False, 2)
    run(worker)

    assert read(ada, group)["counts"] == {**dict.fromkeys(group["counts"], 0), "completed": 2}
    assert ada.post(f"/api/groups/{group['id']}/retry").json()["retried"] == 0


def test_ends_are_listed_in_their_order_and_waited_for(ada: Person, room: str) -> None:
    worker = ada.work(extension(room))
    group = create(ada, room, 2)["group"]
    path = f"/api/groups/{group['id']}/ended"
    assert ada.get(path).json() == {"items": [], "next_after": 0, "is_over": False}
    first = run(worker)["job_id"]
    page = ada.get(path, params={"wait": 20}).json()
    assert ([job["id"] for job in page["items"]], page["next_after"]) == ([first], 1)
    second = run(worker)["job_id"]
    page = ada.get(path, params={"wait": 20, "after": 1}).json()

    assert ([job["id"] for job in page["items"]], page["is_over"]) == ([second], True)


def test_a_group_is_a_table(ada: Person, room: str) -> None:
    worker = ada.work(extension(room))
    group = create(ada, room, 1)["group"]
    run(worker, {"energy": 1.5})
    lines = ada.get(f"/api/groups/{group['id']}/jobs.csv").text.splitlines()

    assert "result.energy" in lines[0]
    assert lines[1].endswith("1.5")


def test_a_collector_starts_when_the_whole_group_has_completed(ada: Person, room: str) -> None:
    worker = ada.work(extension(room))
    group = create(ada, room, 2)["group"]
    collector = ada.order(room, after=[group["id"]])
    waiting = ada.get(f"/api/jobs/{collector['id']}").json()["waiting_for"]
    assert (waiting["code"], waiting["group"]) == ("after", group["id"])
    run(worker), run(worker)

    assert run(worker)["job_id"] == collector["id"]


WORDS = {"type": "object", "properties": {"text": {"type": "string"}, "times": {"type": "integer"}}}


def ref(job: Document, path: str) -> Document:
    return {"$result": {"job": job["id"], "path": path}}


def test_results_are_filled_into_the_values_of_a_later_job(ada: Person, room: str) -> None:
    worker = ada.work(extension(room, schema=WORDS))
    first = ada.order(room)
    second = ada.order(room, data={"text": ref(first, "words.1"), "times": 2}, after=[first["id"]])
    run(worker, {"words": ["no", "yes"]})

    item = worker.take()
    assert (item["job_id"], item["data"]) == (second["id"], {"text": "yes", "times": 2})


@pytest.mark.parametrize(
    ("result", "reason"), [({"words": []}, "has no 'words.1'"), ({"words": [1, 2]}, "text")]
)
def test_a_job_is_cancelled_if_the_part_is_missing_or_refused(
    ada: Person, room: str, result: Document, reason: str
) -> None:
    worker = ada.work(extension(room, schema=WORDS))
    first = ada.order(room)
    second = ada.order(room, data={"text": ref(first, "words.1")}, after=[first["id"]])
    run(worker, result)
    path = f"/api/jobs/{second['id']}"
    eventually(lambda: ada.get(path).json()["status"] == "cancelled", what="the job cancelled")

    assert reason in ada.get(f"{path}/history").json()["items"][-1]["reason"]


@pytest.mark.parametrize("position", ["\N{SUPERSCRIPT TWO}", "9" * 5000, "-1", "1e0", "\u0661"])
def test_a_position_that_is_no_number_cancels_its_job_and_no_other_waits_for_it(
    ada: Person, room: str, position: str
) -> None:
    worker = ada.work(extension(room, schema=WORDS))
    first = ada.order(room)
    second = ada.order(room, data={"text": ref(first, f"words.{position}")}, after=[first["id"]])
    third = ada.order(room, data={"text": ref(first, "words.1")}, after=[first["id"]])
    run(worker, {"words": ["no", "yes"]})

    assert worker.take()["job_id"] == third["id"]
    path = f"/api/jobs/{second['id']}"
    eventually(lambda: ada.get(path).json()["status"] == "cancelled", what="the job cancelled")
    assert "has no 'words." in ada.get(f"{path}/history").json()["items"][-1]["reason"]


def test_a_job_that_was_skipped_is_filled_when_it_is_submitted_again(ada: Person, room: str) -> None:
    worker = ada.work(extension(room, schema=WORDS))
    first = ada.order(room)
    other = ada.order(room)
    second = ada.order(room, data={"text": ref(first, "word")}, after=[first["id"], other["id"]])
    ada.delete(f"/api/jobs/{other['id']}")
    assert ada.job(second["id"])["status"] == "cancelled"
    again = ada.post(f"/api/jobs/{second['id']}/retry").json()
    assert ada.job(again["id"])["waiting_for"]["code"] == "after"
    run(worker, {"word": "yes"})

    item = worker.take()
    assert (item["job_id"], item["data"]) == (again["id"], {"text": "yes"})


def test_results_that_are_too_large_together_are_not_filled_in(ada: Person, room: str) -> None:
    worker = ada.work(extension(room))
    first = ada.order(room)
    second = ada.order(room, data={"texts": [ref(first, "")] * 2}, after=[first["id"]])
    run(worker, "x" * 600_000)
    path = f"/api/jobs/{second['id']}"
    eventually(lambda: ada.get(path).json()["status"] == "cancelled", what="the job cancelled")

    assert "1,200,004 bytes" in ada.get(f"{path}/history").json()["items"][-1]["reason"]


@pytest.mark.parametrize("fault", ["on", "others", "many"])
def test_values_refer_to_jobs_that_must_complete_first(ada: Person, room: str, fault: str) -> None:
    ada.register(extension(room))
    first, other = ada.order(room), ada.order(room)
    after = [(other if fault == "others" else first)["id"]]
    values = [ref(first, "")] * (101 if fault == "many" else 1)
    how = {"on": "ended"} if fault == "on" else {}

    assert ada.submit(room, data={"text": values}, after=after, **how).status_code == 422
