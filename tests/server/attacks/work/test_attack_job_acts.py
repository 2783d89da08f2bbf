"""What a job does with its own token is marked as the job's, and is not taken for its user's own doing."""

from __future__ import annotations

from support.access_scenario import AccessScenario, Bearer, job_token
from support.users import Document, SocketWorker, extension, the_problem

SETTINGS = "settings"


def running(scenario: AccessScenario, room: str) -> tuple[SocketWorker, Document, Bearer]:
    """A worker of the owner's that runs a job of the member's, and what speaks for the job."""
    hand = scenario.owner.work(extension(room, "Acting"))
    scenario.member.order(room, "Acting", {"typed": "by hand"})
    item = hand.take()
    assert hand.start(item) is None
    return hand, item, scenario.bearer(scenario.member.user, job_token(item))


def values(scenario: AccessScenario, room: str, name: str, category: str = "analysis") -> object:
    return scenario.member.get(f"/api/rooms/{room}/extensions/{category}/{name}/data").json()["data"]


def test_what_a_job_posts_in_the_chat_is_marked_as_the_jobs(scenario: AccessScenario) -> None:
    room = scenario.fresh_room()
    _, item, job = running(scenario, room)
    ear = scenario.member.listen(room)
    said = job.post(f"/api/rooms/{room}/chat", json={"text": "send me your password"}).json()
    own = scenario.member.post(f"/api/rooms/{room}/chat", json={"text": "it was not me"}).json()

    assert (said["user"], said["by_job"]) == (scenario.member.user, item["job_id"])
    assert (own["user"], own["by_job"]) == (scenario.member.user, None)
    assert scenario.owner.items(f"/api/rooms/{room}/chat")[:2] == [own, said]
    assert ear.expect("chat:message", seq=said["seq"])["by_job"] == item["job_id"]


def test_what_a_job_submits_names_the_job_in_its_document_and_history(scenario: AccessScenario) -> None:
    room = scenario.fresh_room()
    _, item, job = running(scenario, room)
    batch = {"jobs": [{"category": "analysis", "name": "Nap"}]}
    single = job.order(room, "Nap")
    spoken = job.listen().call("job:submit", {"room": room, "category": "analysis", "name": "Nap"})["job"]
    many = job.post(f"/api/rooms/{room}/jobs/batch", json=batch).json()["items"][0]["job"]

    for child in (single, spoken, many):
        assert (child["user"], child["parent"]) == (scenario.member.user, item["job_id"])
        found = scenario.owner.job(child["id"])
        history = scenario.owner.items(f"/api/jobs/{child['id']}/history")
        assert found["parent"] == item["job_id"]
        assert history[0]["reason"] == f"submitted by job {item['job_id']}"
    assert scenario.owner.job(item["job_id"])["parent"] is None


def test_what_a_job_submits_does_not_overwrite_the_form_of_its_user(scenario: AccessScenario) -> None:
    room = scenario.fresh_room()
    _, _, job = running(scenario, room)
    job.order(room, "Acting", {"typed": "by the job"})
    job.order(room, "Nap", {"seconds": 7})

    assert values(scenario, room, "Acting") == {"typed": "by hand"}
    assert values(scenario, room, "Nap") is None


def test_a_job_does_not_change_the_settings_of_its_user(scenario: AccessScenario) -> None:
    room = scenario.fresh_room()
    mood = extension(room, "Mood", category=SETTINGS)
    assert scenario.owner.register(mood).status_code == 201
    assert scenario.member.submit(room, "Mood", {"dark": True}, category=SETTINGS).status_code == 200
    _, _, job = running(scenario, room)

    the_problem(job.submit(room, "Mood", {"dark": False}, category=SETTINGS), 403, "forbidden")
    assert values(scenario, room, "Mood", SETTINGS) == {"dark": True}
