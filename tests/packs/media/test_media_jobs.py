"""The media pack on a real server: tasks, records, media, interactions, budgets."""

from __future__ import annotations

import hashlib
import io
import json
import time
from collections.abc import Iterator
from contextlib import ExitStack
from typing import Any

import pytest
from httpx_sse import connect_sse
from PIL import Image

from support.billing_service import PNG, BillingService, billing_service
from support.users import Document, LoopThread, Person, the_problem
from workroom.testing.processes import ServerProcess, eventually


@pytest.fixture(scope="module")
def service() -> Iterator[BillingService]:
    with billing_service() as service:
        yield service


@pytest.fixture(scope="module")
def server(tmp_path_factory: pytest.TempPathFactory, service: BillingService) -> Iterator[ServerProcess]:
    with pytest.MonkeyPatch.context() as patch:
        patch.setenv("PAID_URL", service.url)
        patch.setenv("WORKROOM_PACK_MEDIA_PROVIDERS", "support.extensions.paid_providers")
        patch.setenv("WORKROOM_PACK_MEDIA_BUDGETS", json.dumps({"three": 6.0}))
        patch.setenv("WORKROOM_OUTBOUND_ALLOW", "127.0.0.1")
        data = tmp_path_factory.mktemp("data")
        with ServerProcess(data, workers=1, slots=4, packs="media") as server:
            yield server


@pytest.fixture(scope="module")
def people(server: ServerProcess) -> Iterator[dict[str, Person]]:
    with ExitStack() as stack:
        thread = LoopThread()
        stack.callback(thread.close)
        found = {name: Person(thread, server.url, name) for name in ("ada", "vic", "eve")}
        for person in found.values():
            stack.callback(person.close)
        found["ada"].create_room("lab", private=True)
        member = {"user": "vic", "role": "viewer"}
        assert found["ada"].post("/api/rooms/lab/members", json=member).status_code == 201
        yield found


@pytest.fixture
def ada(people: dict[str, Person]) -> Person:
    return people["ada"]


def order(person: Person, provider: str = "local", **fields: Any) -> str:
    """Order media in the room; return the id of the task."""
    params = {"prompt": "a fox", "width": 96, "height": 64, **fields.pop("params", {})}
    payload = {"workflow_run_id": "lab", "provider": provider, "params": params, **fields}
    response = person.post("/api/task", json={"actor": "media", "payload": payload})
    assert response.status_code == 202, response.text
    return str(response.json()["task_id"])


def ended(person: Person, task_id: str) -> Document:
    def read() -> Document | None:
        task: Document = person.get(f"/api/task/{task_id}").json()
        return task if task["status"] in ("completed", "failed") else None

    return eventually(read, 60, "the end of the task")


def completed(person: Person, task_id: str) -> Document:
    task = ended(person, task_id)
    assert task["status"] == "completed", task["error"]
    result: Document = task["result"]
    return result


def records(person: Person, kind: str, **where: Any) -> list[Document]:
    return person.items(f"/api/rooms/lab/records/media-{kind}", where=json.dumps(where))


def test_a_task_makes_pictures_with_records_and_thumbnails(ada: Person) -> None:
    task_id = order(ada, params={"count": 2, "seed": 7})
    result = completed(ada, task_id)
    job_id = task_id.removeprefix("tq_")

    assert result["metadata_id"] == f"gm_{job_id}"
    assert result["content_ids"] == [f"gc_{job_id}_0", f"gc_{job_id}_1"]
    (generation,) = records(ada, "generations", job=job_id)
    assert generation["body"]["state"] == "done"
    assert generation["body"]["content_ids"] == result["content_ids"]
    contents = {each["id"]: each["body"] for each in records(ada, "content", job=job_id)}
    assert sorted(contents) == result["content_ids"]
    for url, id in zip(result["urls"], result["content_ids"], strict=True):
        picture = ada.get(url)
        body = contents[id]
        assert picture.headers["content-type"] == "image/png"
        assert Image.open(io.BytesIO(picture.content)).size == (96, 64) == (body["width"], body["height"])
        assert hashlib.sha256(picture.content).hexdigest() == body["sha256"]
        assert body["request"]["prompt"] == "a fox"
        assert body["request"]["seed"] == "7"
        url_of_small = f"/workflow/lab/media/{id}.thumb.webp"
        small, again = ada.get(url_of_small), ada.get(url_of_small)
        assert small.headers["etag"] == again.headers["etag"]  # it is made once, and stored
        assert (small.status_code, small.headers["content-type"]) == (200, "image/webp")


def test_media_are_served_in_parts_to_those_who_see_the_room(people: dict[str, Person], ada: Person) -> None:
    (url,) = completed(ada, order(ada))["urls"]
    whole = ada.get(url).content

    part = people["vic"].get(url, headers={"Range": "bytes=10-19"})
    assert (part.status_code, part.content) == (206, whole[10:20])
    assert ada.request("HEAD", url).headers["content-length"] == str(len(whole))
    the_problem(people["eve"].get(url), 404, "room_not_found")
    for wrong in (url.replace(".png", ".jpg"), "/workflow/lab/media/gc_nothing.png", f"{url}/../x.png"):
        assert ada.get(wrong).status_code == 404


def test_an_order_begins_with_what_was_made_before(ada: Person) -> None:
    first = completed(ada, order(ada))["content_ids"][0]
    task = order(ada, action_type="img2img", params={"source_image": first, "strength": 0.4})
    second = completed(ada, task)["content_ids"][0]

    (content,) = records(ada, "content", parent=first)
    assert (content["id"], content["body"]["request"]["parent"]) == (second, first)
    listed = ada.items("/api/packs/media/lab/content", parent=first)
    assert [each["id"] for each in listed] == [second]


def test_an_order_begins_with_an_uploaded_image(ada: Person) -> None:
    uploaded = ada.post("/api/rooms/lab/files", params={"name": "fox.png"}, content=PNG).json()["id"]
    task = order(ada, action_type="img2vid", params={"source_image": uploaded})
    (id,) = completed(ada, task)["content_ids"]

    (content,) = records(ada, "content", job=task.removeprefix("tq_"))
    assert content["body"]["media_type"] == "image/webp"
    assert ada.get(f"/workflow/lab/media/{id}.thumb.webp").status_code == 200


@pytest.mark.parametrize("address", ["http://169.254.169.254/latest/meta-data", "http://10.0.0.1/a.png"])
def test_an_order_does_not_begin_with_an_address_inside_the_network(ada: Person, address: str) -> None:
    task_id = order(ada, action_type="img2img", params={"source_image": address})
    error = ended(ada, task_id)["error"]
    assert error["type"] == "AddressRefused"
    assert "not a public address" in error["message"]


def test_a_failed_generation_is_recorded(ada: Person) -> None:
    task_id = order(ada, params={"width": 7})
    failed = ended(ada, task_id)

    assert failed["error"]["type"] == "BadRequest"
    (generation,) = records(ada, "generations", job=task_id.removeprefix("tq_"))
    assert generation["body"]["state"] == "failed"
    assert "64 to 1536 pixels" in generation["body"]["error"]["message"]


def test_an_unknown_provider_is_refused_at_once(ada: Person) -> None:
    payload = {"workflow_run_id": "lab", "provider": "nobody", "params": {}}
    response = ada.post("/api/task", json={"actor": "media", "payload": payload})
    the_problem(response, 422, "invalid_data")


def test_an_interaction_collects_its_tasks(people: dict[str, Person], ada: Person) -> None:
    made = ada.post("/api/rooms/lab/interactions", json={"title": "a cover"})
    assert made.status_code == 201
    id = made.json()["interaction_id"]
    body = {"provider": "local", "params": {"prompt": "a cover", "width": 64, "height": 64}}
    other = order(ada)
    response = ada.post(f"/workflow/lab/interaction/{id}/sub-action", json=body)
    task_id = response.json()["task_id"]
    completed(ada, task_id)

    listed = ada.items("/api/task", workflow_run_id="lab", interaction_id=id)
    assert [each["task_id"] for each in listed] == [task_id]
    assert other in [each["task_id"] for each in ada.items("/api/task", workflow_run_id="lab")]
    assert [each["id"] for each in ada.items("/api/packs/media/lab/content", interaction_id=id)] == [
        f"gc_{task_id.removeprefix('tq_')}_0"
    ]
    job_id = other.removeprefix("tq_")
    completed(ada, other)
    (by_job,) = ada.items("/api/packs/media/lab/content", job_id=job_id)
    assert by_job["id"] == f"gc_{job_id}_0"
    in_room = [each["id"] for each in ada.items("/api/packs/media/lab/content")]
    assert {by_job["id"], f"gc_{task_id.removeprefix('tq_')}_0"} <= set(in_room)
    assert [each["interaction_id"] for each in people["vic"].items("/api/rooms/lab/interactions")] == [id]
    the_problem(ada.post("/workflow/lab/interaction/in_none/sub-action", json=body), 404, "record_not_found")
    the_problem(people["vic"].post(f"/workflow/lab/interaction/{id}/sub-action", json=body), 403, "forbidden")
    the_problem(people["eve"].post("/api/rooms/lab/interactions", json={}), 404, "room_not_found")


@pytest.mark.parametrize(
    ("path", "options"),
    [
        ("/api/packs/media/providers", {"params": {"colour": "red"}}),
        ("/api/packs/media/lab/content", {"params": {"limit": 1000}}),
    ],
)
def test_unknown_parameters_are_refused(ada: Person, path: str, options: Any) -> None:
    the_problem(ada.get(path, **options), 422, "invalid_request")


def test_unknown_fields_are_refused(ada: Person) -> None:
    the_problem(ada.post("/api/rooms/lab/interactions", json={"colour": "red"}), 422, "invalid_request")


FORGED: tuple[Document, ...] = (
    {},
    {"request": 1, "state": [], "content_ids": "x"},
    {"id": 1, "extension": {}, "thumbnail": ["x.webp"], "file": 7, "request": {"provider": "local"}},
    {"request": {"provider": "local", "action": "txt2img", "prompt": 7}, "state": "lost"},
)


def test_a_record_that_a_member_forged_is_left_out(people: dict[str, Person], ada: Person) -> None:
    """Members may write records of every kind."""
    ada.create_room("forged")
    month = time.strftime("%Y-%m", time.gmtime())
    for number, body in enumerate(FORGED):
        for kind in ("content", "generations", "interactions"):
            path = f"/api/rooms/forged/records/media-{kind}/x{number}"
            record = {"body": body, "fields": {"provider": "local", "month": month}}
            assert ada.put(path, json=record).status_code == 200

    assert ada.items("/api/packs/media/forged/content") == []
    assert ada.items("/api/packs/media/forged/content", q="fox") == []
    assert len(ada.items("/api/rooms/forged/interactions")) == len(FORGED)
    the_problem(ada.get("/workflow/forged/media/x0.png"), 404, "record_not_found")
    spent = {each["provider"]: each["spent"] for each in ada.items("/api/packs/media/forged/spending")}
    assert spent["local"] == 0


def test_what_a_forged_record_claims_to_have_cost_is_in_bounds(ada: Person) -> None:
    (first,) = completed(ada, order(ada))["content_ids"]
    job = first.split("_")[1]
    (real,) = records(ada, "generations", job=job)
    fields = {"provider": "local", "month": real["body"]["month"]}
    for cost in (1e308, -1e6):
        body = {**real["body"], "cost": cost}
        path = f"/api/rooms/lab/records/media-generations/forged{cost > 0}"
        assert ada.put(path, json={"body": body, "fields": fields}).status_code == 200

    (spending,) = [each for each in ada.items("/api/packs/media/lab/spending") if each["provider"] == "local"]
    assert spending["spent"] == 0


def test_no_content_of_a_hidden_room_is_had_by_a_forged_record(
    people: dict[str, Person], ada: Person
) -> None:
    (hidden,) = completed(ada, order(ada))["content_ids"]
    (record,) = records(ada, "content", job=hidden.split("_")[1])
    eve = people["eve"]
    eve.create_room("lair")
    path = f"/api/rooms/lair/records/media-content/{hidden}"
    assert eve.put(path, json={"body": record["body"]}).status_code == 200

    the_problem(eve.get(f"/workflow/lair/media/{hidden}.png"), 404, "job_not_found")
    the_problem(ada.get(f"/workflow/lair/media/{hidden}.png"), 404, "job_not_found")


def test_prompts_can_be_searched(ada: Person) -> None:
    completed(ada, order(ada, params={"prompt": "An Otter under water"}))
    completed(ada, order(ada, params={"prompt": "a heron"}))

    found = ada.items("/api/packs/media/lab/content", q="water otter")
    assert [each["request"]["prompt"] for each in found] == ["An Otter under water"]
    assert found[0]["thumbnail_url"].endswith(".thumb.webp")


def test_progress_and_the_end_are_streamed(ada: Person) -> None:
    task_id = order(ada, params={"pause": 0.05})
    with connect_sse(ada, "GET", f"/api/task/{task_id}/stream") as events:  # type: ignore[arg-type]
        found = [(each.event, each.json()) for each in events.iter_sse()]

    assert {name for name, _ in found} == {"progress", "complete"}
    assert found[-1][0] == "complete"
    assert set(found[-1][1]["result"]) == {"metadata_id", "content_ids", "urls"}


def test_a_budget_refuses_an_order_with_the_figures(ada: Person, service: BillingService) -> None:
    for _ in range(2):
        completed(ada, order(ada, "three"))
    bills = sum(service.bills.values())
    failed = ended(ada, order(ada, "three"))

    assert failed["error"]["type"] == "BudgetExceeded"
    assert "this would cost 2.5 credits, and 5 of the 6 credits" in failed["error"]["message"]
    assert sum(service.bills.values()) == bills
    (spending,) = [each for each in ada.items("/api/packs/media/lab/spending") if each["provider"] == "three"]
    assert (spending["spent"], spending["limit"], spending["left"]) == (5.0, 6.0, 1.0)


def test_what_an_order_cost_is_recorded(ada: Person) -> None:
    task = order(ada, "listing")
    completed(ada, task)

    (content,) = records(ada, "content", job=task.removeprefix("tq_"))
    assert (content["body"]["cost"], content["body"]["unit"]) == (2.5, "credits")
    assert content["body"]["provider_task_id"].startswith("order-")


def test_the_results_of_a_known_task_are_fetched_and_nothing_is_ordered(
    ada: Person, service: BillingService
) -> None:
    task = order(ada, "listing")
    completed(ada, task)
    known = service.id_of(task.removeprefix("tq_"))
    bills = sum(service.bills.values())

    completed(ada, order(ada, "listing", task_id=known))
    assert sum(service.bills.values()) == bills


def test_a_result_whose_address_has_expired_is_fetched_from_a_new_one(
    ada: Person, service: BillingService
) -> None:
    service.expires = True
    try:
        task = order(ada, "listing")
        completed(ada, task)
    finally:
        service.expires = False
    assert service.bills[task.removeprefix("tq_")] == 1


def test_what_an_order_would_cost_is_known_and_nothing_is_ordered(
    people: dict[str, Person], ada: Person, service: BillingService
) -> None:
    bills = sum(service.bills.values())

    def estimate(person: Person, provider: str) -> Any:
        body = {"provider": provider, "params": {"prompt": "a fox"}}
        return person.post("/api/packs/media/lab/estimate", json=body)

    assert estimate(ada, "listing").json() == {"amount": 2.5, "unit": "credits"}
    assert estimate(ada, "local").json() == {"amount": 0.0, "unit": "credits"}
    the_problem(estimate(ada, "nobody"), 422, "invalid_request")
    the_problem(estimate(people["vic"], "local"), 403, "forbidden")
    the_problem(estimate(people["eve"], "local"), 404, "room_not_found")
    assert sum(service.bills.values()) == bills


def test_the_use_of_each_provider_is_counted_over_all_rooms(ada: Person) -> None:
    path = "/api/rooms/lab/extensions/public/media/Generate/stats"
    assert ada.get(path).json()["keys"]["three"] == {"limit": 3, "running": 0, "waiting": 0}
    task_id = order(ada, params={"pause": 1.0})
    eventually(lambda: ada.get(path).json()["keys"]["local"] == {"limit": 2, "running": 1, "waiting": 0}, 20)
    ada.delete(f"/api/task/{task_id}")


def test_a_cancelled_task_ends(ada: Person) -> None:
    task_id = order(ada, params={"pause": 1.0})
    eventually(lambda: ada.get(f"/api/task/{task_id}").json()["status"] == "processing", 20)
    assert ada.delete(f"/api/task/{task_id}").status_code == 200
    assert ended(ada, task_id)["error"]["type"] == "Cancelled"
    completed(ada, order(ada))


def test_previews_are_shown_while_a_picture_is_made(ada: Person) -> None:
    task_id = order(ada, params={"pause": 0.3})
    job_id = task_id.removeprefix("tq_")
    preview = eventually(
        lambda: found if (found := ada.get(f"/api/jobs/{job_id}/preview")).status_code == 200 else None, 30
    )
    assert preview.headers["content-type"] == "image/png"
    ada.delete(f"/api/task/{task_id}")
