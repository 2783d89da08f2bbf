"""Files that people bring to a room."""

from __future__ import annotations

from collections.abc import Iterator
from contextlib import contextmanager, suppress
from pathlib import Path

import httpx
import pytest
from pydantic import BaseModel, Field

from support.users import Document, Meet, Person, extension, plain_http, the_problem
from workroom import Extension, File
from workroom.testing.fixtures import StartServer
from workroom.testing.processes import ServerProcess, eventually

pytestmark = pytest.mark.either_mode


def upload(person: Person, room: str, name: str = "notes.txt", body: bytes = b"hello") -> Document:
    response = person.post(f"/api/rooms/{room}/files", params={"name": name}, content=body)
    assert response.status_code == 201, response.text
    document: Document = response.json()
    return document


def blobs(server: ServerProcess) -> list[Path]:
    return [path for path in (server.data_dir / "files").rglob("*") if path.is_file()]


def test_a_file_is_brought_listed_and_read(ada: Person, bob: Person, room: str) -> None:
    file = upload(ada, room, "water.xyz", b"3\n\nH")

    assert (file["room"], file["user"], file["kind"], file["size"]) == (room, ada.user, "xyz", 4)
    assert bob.items(f"/api/rooms/{room}/files") == [file]
    read = bob.get(f"/api/rooms/{room}/files/{file['id']}", headers={"Range": "bytes=0-0"})
    assert (read.status_code, read.content) == (206, b"3")
    head = bob.request("HEAD", f"/api/rooms/{room}/files/{file['id']}")
    assert (head.headers["content-length"], head.content) == ("4", b"")


def test_two_files_may_have_one_name(ada: Person, room: str) -> None:
    first, second = upload(ada, room), upload(ada, room)

    assert first["id"] != second["id"]
    assert [each["id"] for each in ada.items(f"/api/rooms/{room}/files")] == [second["id"], first["id"]]


def test_files_are_listed_in_pages(ada: Person, room: str) -> None:
    ids = [upload(ada, room, f"{number}.txt")["id"] for number in range(3)]
    first = ada.get(f"/api/rooms/{room}/files", params={"limit": 2}).json()
    rest = ada.get(f"/api/rooms/{room}/files", params={"cursor": first["next_cursor"]}).json()

    assert [each["id"] for each in [*first["items"], *rest["items"]]] == ids[::-1]
    assert rest["next_cursor"] is None


def test_a_file_is_deleted_by_who_brought_it_the_rooms_owner_or_an_admin(
    ada: Person, bob: Person, meet: Meet, root: Person, room: str
) -> None:
    for who in (bob, ada, root):
        path = f"/api/rooms/{room}/files/{upload(bob, room)['id']}"
        the_problem(meet("eve").delete(path), 403, "forbidden")
        assert who.delete(path).status_code == 200
        the_problem(who.get(path), 404, "file_not_found")
        the_problem(who.delete(path), 404, "file_not_found")


def test_a_file_is_in_its_room_only(ada: Person, room: str) -> None:
    file = upload(ada, room)
    upload(ada, ada.create_room(f"{room}-b"))

    the_problem(ada.get(f"/api/rooms/{room}-b/files/{file['id']}"), 404, "file_not_found")


def test_the_files_of_a_private_room_are_not_there_for_others(ada: Person, bob: Person, room: str) -> None:
    ada.request("PATCH", f"/api/rooms/{room}", json={"private": True}).raise_for_status()
    file = upload(ada, room)
    path = f"/api/rooms/{room}/files"

    the_problem(bob.get(path), 404, "room_not_found")
    the_problem(bob.post(path, params={"name": "a"}, content=b"x"), 404, "room_not_found")
    the_problem(bob.get(f"{path}/{file['id']}"), 404, "room_not_found")
    the_problem(bob.delete(f"{path}/{file['id']}"), 404, "room_not_found")


def test_a_running_job_reads_and_brings_files_in_its_own_room_only(
    ada: Person, anyone: httpx.Client, room: str
) -> None:
    worker = ada.work(extension(room))
    ada.order(room)
    item = worker.take()
    token = {"Authorization": f"Bearer job.{item['job_id']}.{item['attempt']}.{item['token']}"}
    worker.start(item)
    here, there = upload(ada, room), upload(ada, ada.create_room(f"{room}-b"))

    read = anyone.get(f"/api/rooms/{room}/files/{here['id']}", headers=token)
    brought = anyone.post(f"/api/rooms/{room}/files", params={"name": "a"}, content=b"x", headers=token)
    elsewhere = anyone.get(f"/api/rooms/{room}-b/files/{there['id']}", headers=token)

    assert read.content == b"hello"
    assert brought.json()["user"] == ada.user
    the_problem(elsewhere, 404, "room_not_found")
    the_problem(anyone.delete(f"/api/rooms/{room}/files/{here['id']}", headers=token), 403, "forbidden")


def test_a_name_is_needed_and_must_be_one(ada: Person, room: str) -> None:
    the_problem(ada.post(f"/api/rooms/{room}/files", content=b"x"), 422, "invalid_request")
    for name in ("..", "a/b", "", "a\nb"):
        refused = ada.post(f"/api/rooms/{room}/files", params={"name": name}, content=b"x")
        the_problem(refused, 422, "invalid_name")


def test_the_files_of_a_deleted_room_are_gone(ada: Person, room: str, server: ServerProcess) -> None:
    before = set(blobs(server))
    upload(ada, room)
    assert set(blobs(server)) - before
    ada.delete(f"/api/rooms/{room}").raise_for_status()

    the_problem(ada.get(f"/api/rooms/{room}/files"), 404, "room_not_found")


@contextmanager
def log_in(server: ServerProcess) -> Iterator[httpx.Client]:
    with plain_http(server.url) as http:
        token = http.post("/api/login", json={"name": "ada"}).json()["token"]
        http.headers["Authorization"] = f"Bearer {token}"
        yield http


def test_what_is_too_large_is_refused_early_and_while_it_comes(start_server: StartServer) -> None:
    server = start_server(max_file=1000, max_artifact=500, rooms="lab")

    def pieces() -> Iterator[bytes]:
        for _ in range(100):
            yield b"x" * 100

    with log_in(server) as http:
        path, name = "/api/rooms/lab/files", {"name": "a.bin"}
        assert http.post(path, params=name, content=b"x" * 1000).status_code == 201
        the_problem(http.post(path, params=name, content=b"x" * 1001), 413, "body_too_large")
        the_problem(http.post(path, params=name, content=pieces()), 413, "body_too_large")
        the_problem(http.put("/api/jobs/j/artifacts/a", content=b"x" * 501), 413, "body_too_large")

        assert len(http.get(path).json()["items"]) == 1
        eventually(lambda: len(blobs(server)) == 1, 10, "the bytes gone")


def test_what_a_killed_server_left_is_cleared_away_at_the_next_start(start_server: StartServer) -> None:
    server = start_server(rooms="lab")
    with log_in(server) as http:
        kept = http.post("/api/rooms/lab/files", params={"name": "a"}, content=b"kept").json()

        def pieces() -> Iterator[bytes]:
            yield b"x" * 3_000_000
            eventually(lambda: len(blobs(server)) == 2, 10, "the upload having begun")
            server.kill()
            yield b"x"

        with suppress(httpx.TransportError):
            http.post("/api/rooms/lab/files", params={"name": "b"}, content=pieces())
        assert len(blobs(server)) == 2

        server.restart()

        eventually(lambda: len(blobs(server)) == 1, 10, "the left-over gone")
        assert http.get(f"/api/rooms/lab/files/{kept['id']}").content == b"kept"
        assert [each["id"] for each in http.get("/api/rooms/lab/files").json()["items"]] == [kept["id"]]


def test_files_may_be_kept_elsewhere(start_server: StartServer, tmp_path: Path) -> None:
    server = start_server(storage=f"file://{tmp_path}/elsewhere", rooms="lab")
    with log_in(server) as http:
        file = http.post("/api/rooms/lab/files", params={"name": "a"}, content=b"kept").json()
        assert http.get(f"/api/rooms/lab/files/{file['id']}").content == b"kept"

    assert [path.read_bytes() for path in (tmp_path / "elsewhere").rglob("*") if path.is_file()] == [b"kept"]


class Pair(BaseModel):
    left: File
    right: File | None = None


class Compare(Extension, category="analysis"):
    main: File
    others: list[File] = Field([])
    pairs: dict[str, Pair] = Field({})

    def run(self) -> None: ...


def test_a_file_that_is_not_in_the_room_is_refused_with_the_name_of_its_field(ada: Person, room: str) -> None:
    schema = Compare.model_json_schema()
    ada.register(extension(room, "Compare", schema=schema)).raise_for_status()
    kept = ada.post(f"/api/rooms/{room}/files?name=a.txt", content=b"a").json()["id"]
    data = {"main": kept, "others": [kept, "gone"], "pairs": {"p": {"left": "lost", "right": None}}}

    refused = the_problem(ada.submit(room, "Compare", data), 422, "invalid_data")

    assert {each["path"] for each in refused["errors"]} == {"/others/1", "/pairs/p/left"}
    data = {"main": kept, "others": [kept], "pairs": {"p": {"left": kept, "right": kept}}}
    assert ada.submit(room, "Compare", data).status_code == 202
    the_problem(ada.submit(room, "Compare", {"main": "gone"}), 422, "invalid_data")


def test_a_schema_that_names_its_files_in_endless_ways_stops_nobody(ada: Person, room: str) -> None:
    ways: Document = {f"w{n}": {"anyOf": [{"$ref": f"#/$defs/w{n + 1}"}] * 2} for n in range(30)}
    ways["w30"] = {"type": "string", "format": "workroom-file"}
    schema = {"type": "object", "properties": {"it": {"$ref": "#/$defs/w0"}}, "$defs": ways}
    ada.register(extension(room, "Endless", schema=schema))

    the_problem(ada.submit(room, "Endless", {"it": "gone"}), 422, "invalid_data")
