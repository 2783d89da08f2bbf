"""Packs: found by entry points, served with their routes and views, left out if they cannot be loaded."""

from __future__ import annotations

from collections.abc import Iterator
from contextlib import ExitStack
from pathlib import Path

import pytest

from support.users import Document, LoopThread, Person, extension, the_problem
from workroom.testing.processes import ADMIN_PASSWORD, ServerProcess, eventually

EXAMPLES = Path(__file__).parents[3] / "docs/examples"
BROKEN = {
    "absent": "no_such_module:pack",
    "raising": "raising_pack",
    "wrong_router": "wrong_router_pack:pack",
    "taking": "taking_pack:pack",
    "repeating": "repeating_pack:pack",
}
ROOTED = """
from typing import Annotated, Any
from fastapi import Depends
from workroom import Pack, PackRequest, PackRouter, View
root_router = PackRouter()
Caller = Annotated[PackRequest, Depends(PackRequest.of)]

@root_router.get("/kept/{room}/{job_id}/{name}")
async def read(room: str, job_id: str, name: str, at: Caller):
    return await (await at.room(room)).send_artifact(job_id, name)

@root_router.get("/deep/{room}")
async def deep(room: str, at: Caller) -> dict[str, Any]:
    items, _ = await (await at.room(room)).records("deep")
    return {"items": items}

pack = Pack("rooted", root_router=root_router, views=[View("inside", "Inside")])
"""
TAKING = """
from workroom import Pack, PackRouter
root_router = PackRouter()

@root_router.get("/api/rooms/{name}")
async def read(name: str): ...

pack = Pack("taking", root_router=root_router)
"""
REPEATING = ROOTED.replace('Pack("rooted"', 'Pack("repeating"')


def install(folder: Path, entries: dict[str, str]) -> None:
    """What an installed distribution leaves for the import system."""
    about = folder / "some_packs-1.0.dist-info"
    about.mkdir(parents=True)
    (about / "METADATA").write_text("Metadata-Version: 2.1\nName: some-packs\nVersion: 1.0\n")
    lines = [f"{name} = {target}" for name, target in entries.items()]
    (about / "entry_points.txt").write_text("\n".join(["[workroom.packs]", *lines]))


@pytest.fixture(scope="module")
def server(tmp_path_factory: pytest.TempPathFactory) -> Iterator[ServerProcess]:
    """A server with the pack of the documentation, one with paths of its own, and five that are broken."""
    folder = tmp_path_factory.mktemp("site")
    install(folder, {"notes": "notes_pack:pack", "rooted": "rooted_pack:pack", **BROKEN})
    (folder / "rooted_pack.py").write_text(ROOTED)
    (folder / "taking_pack.py").write_text(TAKING)
    (folder / "repeating_pack.py").write_text(REPEATING)
    (folder / "raising_pack.py").write_text("raise OSError('no licence')\n")
    (folder / "wrong_router_pack.py").write_text(
        "from workroom import Pack\npack = Pack('wrong-router', router=object())\n"
    )
    with pytest.MonkeyPatch.context() as patch:
        patch.setenv("PYTHONPATH", f"{folder}:{EXAMPLES}")
        with ServerProcess(
            tmp_path_factory.mktemp("data"), workers=1, packs=",".join(["notes", "rooted", *BROKEN])
        ) as server:
            yield server


@pytest.fixture(scope="module")
def people(server: ServerProcess, loop_thread: LoopThread) -> Iterator[dict[str, Person]]:
    with ExitStack() as stack:
        found = {
            name: Person(loop_thread, server.url, name, ADMIN_PASSWORD if name == "admin" else None)
            for name in ("ada", "vic", "eve", "admin")
        }
        for person in found.values():
            stack.callback(person.close)
        ada = found["ada"]
        ada.create_room("lab", private=True)
        viewer = {"user": "vic", "role": "viewer"}
        assert ada.post("/api/rooms/lab/members", json=viewer).status_code == 201
        yield found


def write(person: Person, note: str = "n1", room: str = "lab") -> int:
    return person.put(f"/api/packs/notes/{room}/{note}", json={"text": "hello"}).status_code


def test_a_route_acts_as_its_caller(people: dict[str, Person]) -> None:
    assert {name: write(people[name]) for name in people} == {
        "ada": 200,
        "vic": 403,
        "eve": 404,
        "admin": 200,
    }
    assert write(people["ada"], room="nowhere") == 404

    records = people["vic"].items("/api/rooms/lab/records/notes")
    assert [(each["id"], each["body"], each["fields"]) for each in records] == [
        ("n1", {"text": "hello"}, {"colour": "yellow"})
    ]


def test_a_route_of_a_pack_requires_a_token(people: dict[str, Person], server: ServerProcess) -> None:
    import httpx

    the_problem(httpx.put(f"{server.url}/api/packs/notes/lab/n1", json={"text": "x"}), 401, "unauthenticated")


def test_a_method_that_a_route_of_a_pack_does_not_take_is_answered_with_those_it_does(
    people: dict[str, Person],
) -> None:
    response = people["ada"].delete("/api/packs/notes/lab/count")

    assert the_problem(response, 405, "method_not_allowed")["allow"] == ["POST", "PUT"]
    assert response.headers["allow"] == "POST, PUT"


def test_a_record_that_is_nested_as_deeply_as_it_may_be_is_returned_by_a_pack(
    people: dict[str, Person],
) -> None:
    def nested(levels: int) -> Document:
        body: Document = {}
        for _ in range(levels - 1):
            body = {"a": body}
        return body

    ada = people["ada"]
    path = "/api/rooms/lab/records/deep/d1"
    assert ada.put(path, json={"body": nested(246)}).status_code == 200
    the_problem(ada.put(path, json={"body": nested(247)}), 422, "invalid_request")

    listed = ada.get("/deep/lab")
    assert listed.status_code == 200, listed.text
    assert listed.json()["items"][0]["body"] == nested(246)


def test_a_route_submits_a_job_that_reads_the_records(people: dict[str, Person]) -> None:
    ada = people["ada"]
    write(ada)
    job = ada.post("/api/packs/notes/lab/count").json()

    done = eventually(lambda: (found := ada.job(job["id"]))["status"] == "completed" and found, 30, "the job")
    assert done["result"] == {"notes": 1}
    the_problem(people["vic"].post("/api/packs/notes/lab/count"), 403, "forbidden")


def test_a_route_with_a_path_of_its_own_sends_the_files_of_a_room(people: dict[str, Person]) -> None:
    ada = people["ada"]
    worker = ada.work(extension("lab", "Save"))
    job = ada.order("lab", "Save")
    item = worker.take()
    assert worker.start(item) is None
    assert worker.save(item, "notes.txt", b"0123456789").status_code == 200
    path = f"/kept/lab/{job['id']}/notes.txt"

    part = people["vic"].get(path, headers={"Range": "bytes=2-4"})
    assert (part.status_code, part.content) == (206, b"234")
    the_problem(people["eve"].get(path), 404, "room_not_found")
    the_problem(ada.get(f"/kept/lab/{job['id']}/other.txt"), 404, "artifact_not_found")
    the_problem(ada.get(path, params={"colour": "red"}), 422, "invalid_request")
    ada.create_room("elsewhere")
    the_problem(ada.get(path.replace("/lab/", "/elsewhere/")), 404, "job_not_found")
    worker.finish(item)


def test_a_view_of_the_page_itself_has_no_module(people: dict[str, Person]) -> None:
    packs = {each["name"]: each for each in people["eve"].items("/api/packs")}
    assert packs["rooted"]["views"] == [{"name": "inside", "title": "Inside", "module": None}]
    the_problem(people["eve"].get("/packs/rooted/"), 404, "not_found")


def test_the_module_of_a_view_is_served_under_a_name_that_changes_with_it(people: dict[str, Person]) -> None:
    packs = {each["name"]: each for each in people["eve"].items("/api/packs")}
    (view,) = packs["notes"]["views"]
    module = people["eve"].get(view["module"])

    assert (view["name"], view["title"]) == ("board", "Notes")
    assert module.headers["content-type"].startswith("text/javascript")
    assert module.text == (EXAMPLES / "notes_pack/board.js").read_text()
    the_problem(people["eve"].get("/packs/notes/board.js"), 404, "not_found")
    the_problem(people["eve"].get("/packs/notes/..%2f__init__.py"), 404, "not_found")


def test_a_broken_pack_is_reported_and_stops_nobody(people: dict[str, Person], server: ServerProcess) -> None:
    reasons = {each["name"]: each["error"] for each in people["admin"].items("/api/packs")}
    shown = {each["name"]: each["error"] for each in people["eve"].items("/api/packs")}

    assert reasons["notes"] is None
    assert "no_such_module" in reasons["absent"]
    assert "no licence" in reasons["raising"]
    assert "APIRouter" in reasons["wrong-router"]
    assert "the path is taken: GET /api/rooms/{}" in reasons["taking"]
    assert "the path is taken: GET /deep/{}" in reasons["repeating"]
    assert {shown[name] for name in ("absent", "raising", "wrong-router")} == {"it cannot be used"}
    assert "no licence" in (server.data_dir / "server.log").read_text()
