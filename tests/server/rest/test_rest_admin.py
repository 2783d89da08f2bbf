"""What administrators see of the whole server, and do to jobs of many rooms."""

from __future__ import annotations

from typing import Any

import pytest

from support.users import Document, Meet, Person, extension, fence
from workroom.testing.processes import ADMIN_PASSWORD, eventually

pytestmark = pytest.mark.either_mode

PATHS = ("overview", "rooms", "settings", "audit")


@pytest.mark.parametrize("path", PATHS)
def test_only_administrators_see_the_whole_server(ada: Person, root: Person, path: str) -> None:
    assert ada.get(f"/api/admin/{path}").status_code == 403
    assert root.get(f"/api/admin/{path}").status_code == 200


def test_the_overview_has_queues_now_and_ends_so_far(ada: Person, root: Person, room: str) -> None:
    name = f"Count{room}"
    worker = ada.work(extension(room, name))
    ada.order(room, name)
    ada.order(room, name)
    worker.start(item := worker.take())
    worker.call("job:finish", [{**fence(item), "status": "failed", "error": {"type": "ValueError"}}])

    def with_the_failure() -> Document | None:
        """Figures of the store are a few seconds old at most."""
        overview = root.get("/api/admin/overview").json()
        found = next((each for each in overview["extensions"] if each["name"] == f"analysis/{name}"), None)
        return {**overview, "found": found} if found and found["failure_rate"] else None

    overview = eventually(with_the_failure)
    found = overview["found"]
    assert (found["scope"], sum(found["failed"]), sum(found["completed"])) == ("room", 1, 0)
    assert found["failure_rate"] == 1
    assert found["oldest_ms"] is None or found["oldest_ms"] >= 0
    assert len(found["failed"]) == len(overview["points"])
    assert sum(each["failed"] for each in overview["points"]) >= 1
    assert overview["points"][-1]["wait_time_ms"]["p50"] >= 0
    assert overview["workers"]
    assert overview["store_up"]
    assert root.get("/api/admin/overview", params={"hours": 25}).status_code == 422


def test_rooms_are_listed_with_what_they_use(ada: Person, root: Person, room: str) -> None:
    ada.register(extension(room))
    ada.order(room)
    uploaded = ada.post(f"/api/rooms/{room}/files", params={"name": "a.txt"}, content=b"12345")
    assert uploaded.status_code == 201

    page = root.get("/api/admin/rooms", params={"after": room[:-1], "limit": 500}).json()
    found = next(each for each in page["items"] if each["name"] == room)
    assert (found["unfinished_jobs"], found["files"], found["bytes"]) == (1, 1, 5)
    assert found["owner"] == ada.user
    first = root.get("/api/admin/rooms", params={"limit": 1}).json()
    assert first["next_after"] == first["items"][0]["name"]


def test_jobs_of_several_rooms_are_cancelled_together(ada: Person, root: Person, meet: Meet) -> None:
    rooms = [ada.create_room(f"bulk-{ada.user}-{number}") for number in range(3)]
    for each in rooms:
        ada.register(extension(each, f"In{each}"))
    jobs = [ada.order(each, f"In{each}")["id"] for each in rooms]
    assert ada.delete(f"/api/rooms/{rooms[2]}").status_code == 200

    body: dict[str, Any] = {"action": "cancel", "jobs": [*jobs, "no-such-job"]}
    items = root.post("/api/admin/jobs/actions", json=body).json()["items"]
    assert [each.get("job", {}).get("status") for each in items] == ["cancelled", "cancelled", None, None]
    assert [each["error"]["code"] for each in items[2:]] == ["room_not_found", "job_not_found"]
    assert [ada.job(each)["status"] for each in jobs[:2]] == ["cancelled"] * 2
    assert meet("eve").post("/api/admin/jobs/actions", json=body).status_code == 403


def test_what_administrators_did_is_on_record(ada: Person, root: Person, room: str) -> None:
    name, password = f"user-{room}", "correct horse battery"
    assert root.post("/api/users", json={"name": name, "password": password, "role": "user"}).is_success
    root.request("PATCH", f"/api/users/{name}", json={"role": "admin", "password": f"{password} 2"})
    root.request("PATCH", f"/api/users/{name}", json={"disabled": True})
    root.post("/api/token/revoke", json={"user": name})
    root.post("/api/tokens", json={"name": f"machine-{room}", "role": "worker"})
    root.request("PATCH", f"/api/rooms/{room}", json={"private": True})
    ada.request("PATCH", f"/api/rooms/{room}", json={"title": "of no interest"})
    ada.delete(f"/api/rooms/{room}")

    assert password not in root.get("/api/admin/audit", params={"limit": 100}).text
    found = root.items("/api/admin/audit", limit=100)
    assert [(each["action"], each["target"], each["detail"]) for each in found[:7]] == [
        ("room_deleted", room, ""),
        ("room_changed", room, "private"),
        ("token_created", f"machine-{room}", "role worker"),
        ("tokens_revoked", name, ""),
        ("user_changed", name, "disabled"),
        ("user_changed", name, "role admin, another password"),
        ("user_added", name, "role user"),
    ]
    assert [each["actor"] for each in found[:2]] == [ada.user, "admin"]
    first = root.get("/api/admin/audit", params={"limit": 1}).json()
    assert first["next_cursor"] == first["items"][0]["seq"]


def test_settings_are_shown_without_the_password(root: Person) -> None:
    response = root.get("/api/admin/settings")

    found = {each["name"]: each for each in response.json()["items"]}
    assert found["admin_password"]["value"] == "••••••"
    assert ADMIN_PASSWORD not in response.text
    assert (found["lease"]["value"], found["lease"]["is_default"]) == (30, True)
    assert (found["rooms"]["value"], found["rooms"]["is_default"]) == (["demo"], False)
