"""What jobs save and show: whole or not at all, by the attempt that counts, harmless to who looks."""

from __future__ import annotations

import base64
import hashlib
import re
import socket
from collections.abc import Iterator
from pathlib import Path

import httpx
import pytest

from support.users import Document, LoopThread, Meet, Person, SocketWorker, extension, plain_http, the_problem
from workroom.testing.fixtures import StartServer
from workroom.testing.processes import ServerProcess, eventually

BODY = bytes(range(256)) * 40
DIGEST = hashlib.sha256(BODY).hexdigest()


@pytest.fixture
def running(ada: Person, room: str) -> tuple[SocketWorker, Document]:
    """A worker of ada's that has begun a job."""
    worker = ada.work(extension(room))
    ada.order(room)
    item = worker.take()
    assert worker.start(item) is None
    return worker, item


def job_token(item: Document) -> dict[str, str]:
    return {"Authorization": f"Bearer job.{item['job_id']}.{item['attempt']}.{item['token']}"}


def put(anyone: httpx.Client, item: Document, name: str, body: object, **headers: str) -> httpx.Response:
    """By the job's own token."""
    path = f"/api/jobs/{item['job_id']}/artifacts/{name}"
    return anyone.put(path, content=body, headers={**job_token(item), **headers})  # type: ignore[arg-type]


def names(person: Person, item: Document) -> list[str]:
    return [each["name"] for each in person.items(f"/api/jobs/{item['job_id']}/artifacts")]


def blobs(server: ServerProcess) -> set[Path]:
    return {path for path in (server.data_dir / "files").rglob("*") if path.is_file()}


Running = tuple[SocketWorker, Document]


def test_a_job_saves_by_its_own_token_and_everyone_in_the_room_reads(
    running: Running, anyone: httpx.Client, bob: Person
) -> None:
    _, item = running

    saved = put(anyone, item, "plot.png", BODY)

    assert saved.status_code == 200, saved.text
    document = saved.json()
    assert (document["kind"], document["media_type"]) == ("image", "image/png")
    assert (document["size"], document["sha256"], document["attempt"]) == (len(BODY), DIGEST, 1)
    assert bob.items(f"/api/jobs/{item['job_id']}/artifacts") == [document]
    assert bob.get(f"/api/jobs/{item['job_id']}/artifacts/plot.png").content == BODY


def test_the_same_name_again_replaces_and_the_old_bytes_go(
    running: Running, anyone: httpx.Client, ada: Person, server: ServerProcess
) -> None:
    _, item = running
    put(anyone, item, "a.txt", b"old").raise_for_status()
    before = blobs(server)
    put(anyone, item, "a.txt", b"newer").raise_for_status()

    assert ada.get(f"/api/jobs/{item['job_id']}/artifacts/a.txt").content == b"newer"
    assert names(ada, item) == ["a.txt"]
    eventually(lambda: len(blobs(server) - before) == 1 and before - blobs(server), 10, "the old bytes gone")


def test_a_body_without_a_length_is_taken_too(running: Running, anyone: httpx.Client) -> None:
    def pieces() -> Iterator[bytes]:
        yield from (BODY[:100], BODY[100:])

    saved = put(anyone, running[1], "a.bin", pieces())

    assert saved.json()["sha256"] == DIGEST


def test_the_media_type_that_is_given_is_kept(running: Running, anyone: httpx.Client) -> None:
    saved = put(anyone, running[1], "figure", b"{}", **{"content-type": "application/vnd.plotly.v1+json"})

    assert (saved.json()["kind"], saved.json()["media_type"]) == ("plot", "application/vnd.plotly.v1+json")
    refused = put(anyone, running[1], "figure", b"{}", **{"content-type": "nonsense"})
    the_problem(refused, 422, "invalid_request")


GOOD_DIGEST = base64.b64encode(bytes.fromhex(DIGEST)).decode()
BAD_DIGEST = base64.b64encode(b"x" * 32).decode()


@pytest.mark.parametrize(
    "headers",
    [
        {"repr-digest": f"sha-256=:{GOOD_DIGEST}:"},
        {"repr-digest": f"md5=:abcd:, sha-256=:{GOOD_DIGEST}:"},
        {"x-content-sha256": DIGEST.upper()},
    ],
)
def test_a_digest_that_fits_is_accepted(
    running: Running, anyone: httpx.Client, headers: dict[str, str]
) -> None:
    assert put(anyone, running[1], "a.bin", BODY, **headers).status_code == 200


@pytest.mark.parametrize(
    ("headers", "code"),
    [
        ({"repr-digest": f"sha-256=:{BAD_DIGEST}:"}, "digest_mismatch"),
        ({"x-content-sha256": "00" * 32}, "digest_mismatch"),
        ({"x-content-sha256": "nonsense"}, "invalid_request"),
        ({"repr-digest": "sha-256=:nonsense:"}, "invalid_request"),
    ],
)
def test_a_digest_that_does_not_fit_leaves_nothing(
    running: Running,
    anyone: httpx.Client,
    ada: Person,
    server: ServerProcess,
    headers: dict[str, str],
    code: str,
) -> None:
    before = blobs(server)

    the_problem(put(anyone, running[1], "a.bin", BODY, **headers), 422, code)

    assert names(ada, running[1]) == []
    eventually(lambda: blobs(server) <= before, 10, "the bytes gone")


@pytest.mark.parametrize("name", ["%2e%2e", "%2e", "a%5Cb", "a%0Ab", "a%00b", "%E2%80%AEgnp", "x" * 201])
def test_a_name_that_leads_elsewhere_is_refused(running: Running, anyone: httpx.Client, name: str) -> None:
    the_problem(put(anyone, running[1], name, b"x"), 422, "invalid_name")


@pytest.mark.parametrize("path", ["..%2F..%2Fsigning.key", "a%2Fb", "%2Fetc%2Fpasswd"])
def test_a_path_is_no_name(running: Running, anyone: httpx.Client, ada: Person, path: str) -> None:
    assert put(anyone, running[1], path, b"x").status_code in (404, 405, 413)
    assert ada.get(f"/api/jobs/{running[1]['job_id']}/artifacts/{path}").status_code == 404


def test_two_spellings_of_a_name_are_one(running: Running, anyone: httpx.Client, ada: Person) -> None:
    put(anyone, running[1], "Gru%CC%88sse.txt", b"one").raise_for_status()
    put(anyone, running[1], "Gr%C3%BCsse.txt", b"two").raise_for_status()

    assert names(ada, running[1]) == ["Grüsse.txt"]


@pytest.mark.parametrize(
    ("asked", "status", "part"),
    [
        ("bytes=0-9", 206, slice(0, 10)),
        ("bytes=10-", 206, slice(10, None)),
        ("bytes=-10", 206, slice(-10, None)),
        ("bytes=100-999999", 206, slice(100, None)),
        ("bytes=-999999", 206, slice(0, None)),
        ("bytes=0-1,5-6", 200, slice(0, None)),
        ("bytes=9-1", 200, slice(0, None)),
        ("lines=0-9", 200, slice(0, None)),
        ("bytes=-", 200, slice(0, None)),
    ],
)
def test_a_part_can_be_read(
    running: Running, anyone: httpx.Client, ada: Person, asked: str, status: int, part: slice
) -> None:
    put(anyone, running[1], "a.bin", BODY).raise_for_status()

    read = ada.get(f"/api/jobs/{running[1]['job_id']}/artifacts/a.bin", headers={"Range": asked})

    assert (read.status_code, read.content) == (status, BODY[part])
    assert read.headers["content-length"] == str(len(BODY[part]))
    if status == 206:
        start = part.indices(len(BODY))[0]
        assert read.headers["content-range"] == f"bytes {start}-{start + len(read.content) - 1}/{len(BODY)}"


@pytest.mark.parametrize("asked", [f"bytes={len(BODY)}-", "bytes=999999-9999999", "bytes=-0"])
def test_a_part_that_is_not_there_is_refused(
    running: Running, anyone: httpx.Client, ada: Person, asked: str
) -> None:
    put(anyone, running[1], "a.bin", BODY).raise_for_status()

    read = ada.get(f"/api/jobs/{running[1]['job_id']}/artifacts/a.bin", headers={"Range": asked})

    the_problem(read, 416, "range_not_satisfiable")
    assert read.headers["content-range"] == f"bytes */{len(BODY)}"


def test_a_part_of_what_has_changed_is_the_whole(running: Running, anyone: httpx.Client, ada: Person) -> None:
    put(anyone, running[1], "a.bin", BODY).raise_for_status()
    path = f"/api/jobs/{running[1]['job_id']}/artifacts/a.bin"

    assert ada.get(path, headers={"Range": "bytes=0-9", "If-Range": f'"{DIGEST}"'}).status_code == 206
    assert ada.get(path, headers={"Range": "bytes=0-9", "If-Range": '"other"'}).content == BODY


def test_what_the_reader_has_is_not_sent_again(running: Running, anyone: httpx.Client, ada: Person) -> None:
    put(anyone, running[1], "a.bin", BODY).raise_for_status()
    path = f"/api/jobs/{running[1]['job_id']}/artifacts/a.bin"
    tag = ada.get(path).headers["etag"]

    assert tag == f'"{DIGEST}"'
    for known in (tag, f"W/{tag}", f'"x", {tag}', "*"):
        again = ada.get(path, headers={"If-None-Match": known})
        assert (again.status_code, again.content, again.headers["etag"]) == (304, b"", tag)
    assert ada.get(path, headers={"If-None-Match": '"x"'}).status_code == 200


def test_head_has_all_headers_and_no_body(running: Running, anyone: httpx.Client, ada: Person) -> None:
    put(anyone, running[1], "a.bin", BODY).raise_for_status()

    head = ada.request("HEAD", f"/api/jobs/{running[1]['job_id']}/artifacts/a.bin")

    assert (head.status_code, head.content) == (200, b"")
    assert head.headers["content-length"] == str(len(BODY))
    assert head.headers["etag"] == f'"{DIGEST}"'
    assert head.headers["accept-ranges"] == "bytes"
    assert head.headers["repr-digest"] == f"sha-256=:{GOOD_DIGEST}:"


@pytest.mark.parametrize(
    ("name", "served", "is_inline"),
    [
        ("a.png", "image/png", True),
        ("a.mp4", "video/mp4", True),
        ("a.txt", "text/plain; charset=utf-8", True),
        ("a.svg", "application/octet-stream", False),
        ("a.html", "application/octet-stream", False),
        ("a.xhtml", "application/octet-stream", False),
        ("a.xml", "application/octet-stream", False),
        ("a.js", "application/octet-stream", False),
        ("a.css", "application/octet-stream", False),
        ("a.json", "application/json", False),
        ("a.pdf", "application/pdf", False),
    ],
)
def test_nothing_that_is_active_is_shown(
    running: Running, anyone: httpx.Client, ada: Person, name: str, served: str, is_inline: bool
) -> None:
    put(anyone, running[1], name, b"<script>").raise_for_status()
    path = f"/api/jobs/{running[1]['job_id']}/artifacts/{name}"

    plain, inline = ada.get(path), ada.get(path, params={"inline": "1"})

    assert plain.headers["content-disposition"].startswith("attachment;")
    assert inline.headers["content-disposition"].startswith("inline;" if is_inline else "attachment;")
    for read in (plain, inline):
        assert read.headers["content-type"] == served
        assert read.headers["x-content-type-options"] == "nosniff"
        assert re.match("sandbox; default-src 'none'", read.headers["content-security-policy"])


def test_a_name_is_safe_in_a_header(running: Running, anyone: httpx.Client, ada: Person) -> None:
    name = 'Grüße ";x=.txt'
    put(anyone, running[1], name, b"x").raise_for_status()

    read = ada.get(f"/api/jobs/{running[1]['job_id']}/artifacts/{name}")

    assert read.headers["content-disposition"] == (
        "attachment; filename=\"Gr__e __x=.txt\"; filename*=UTF-8''Gr%C3%BC%C3%9Fe%20%22%3Bx%3D.txt"
    )


def test_an_attempt_that_is_over_saves_nothing(running: Running, anyone: httpx.Client, ada: Person) -> None:
    worker, item = running
    worker.finish(item)

    the_problem(put(anyone, item, "a.txt", b"late"), 409, "stale_attempt")
    the_problem(worker.save(item, "a.txt", b"late"), 409, "stale_attempt")
    the_problem(worker.show(item, "text", b"late"), 409, "stale_attempt")
    assert names(ada, item) == []
    the_problem(ada.get(f"/api/jobs/{item['job_id']}/preview"), 404, "preview_not_found")


def test_an_attempt_that_ends_during_its_upload_saves_nothing(
    running: Running, anyone: httpx.Client, ada: Person, server: ServerProcess
) -> None:
    _, item = running
    before = blobs(server)

    def pieces() -> Iterator[bytes]:
        yield BODY
        eventually(lambda: blobs(server) - before, 10, "the upload having begun")
        ada.delete(f"/api/jobs/{item['job_id']}").raise_for_status()
        yield BODY

    the_problem(put(anyone, item, "a.bin", pieces()), 409, "stale_attempt")

    assert names(ada, item) == []
    eventually(lambda: blobs(server) <= before, 10, "the bytes gone")


def test_an_aborted_upload_leaves_nothing(running: Running, ada: Person, server: ServerProcess) -> None:
    _, item = running
    before = blobs(server)
    address = httpx.URL(server.url)
    with socket.create_connection((address.host, address.port or 80)) as wire:
        lines = [
            f"PUT /api/jobs/{item['job_id']}/artifacts/cut.bin HTTP/1.1",
            f"Host: {address.host}",
            f"Authorization: {job_token(item)['Authorization']}",
            "Content-Length: 50000000",
            "",
            "",
        ]
        wire.sendall("\r\n".join(lines).encode() + b"x" * 2_000_000)
        eventually(lambda: blobs(server) - before, 10, "the upload having begun")
        assert names(ada, item) == []

    eventually(lambda: blobs(server) <= before, 10, "the bytes gone")
    assert names(ada, item) == []
    the_problem(ada.get(f"/api/jobs/{item['job_id']}/artifacts/cut.bin"), 404, "artifact_not_found")


def test_only_the_attempt_itself_or_its_workers_keeper_may_save(
    running: Running, anyone: httpx.Client, ada: Person, bob: Person, meet: Meet, room: str, root: Person
) -> None:
    worker, item = running
    path = f"/api/jobs/{item['job_id']}/artifacts/a.txt"
    fence = worker.speaks_for(item)

    assert ada.put(path, params=fence, content=b"x").status_code == 200
    assert root.put(path, params=fence, content=b"x").status_code == 200
    the_problem(bob.put(path, params=fence, content=b"x"), 403, "forbidden")
    for person in (ada, bob, root):
        the_problem(person.put(path, content=b"x"), 403, "forbidden")
    the_problem(anyone.put(path, content=b"x"), 401, "unauthenticated")
    wrong = anyone.put(path, content=b"x", headers=job_token({**item, "token": "guess"}))
    the_problem(wrong, 409, "stale_attempt")
    the_problem(ada.put(path, params={**fence, "token": "guess"}, content=b"x"), 409, "stale_attempt")


def test_the_token_of_one_job_saves_nothing_in_another(
    running: Running, anyone: httpx.Client, ada: Person, room: str
) -> None:
    _, item = running
    other = ada.order(room)

    refused = anyone.put(f"/api/jobs/{other['id']}/artifacts/a.txt", content=b"x", headers=job_token(item))

    the_problem(refused, 403, "forbidden")


def test_what_a_job_in_a_private_room_saved_is_not_there_for_others(
    ada: Person, bob: Person, anyone: httpx.Client, room: str
) -> None:
    ada.request("PATCH", f"/api/rooms/{room}", json={"private": True}).raise_for_status()
    worker = ada.work(extension(room))
    ada.order(room)
    item = worker.take()
    worker.start(item)
    worker.save(item, "a.txt", b"x").raise_for_status()
    worker.show(item, "text", b"x").raise_for_status()
    job = f"/api/jobs/{item['job_id']}"

    for path in ("artifacts", "artifacts/a.txt", "artifacts/b.txt", "preview"):
        the_problem(bob.get(f"{job}/{path}"), 404, "job_not_found")
    the_problem(bob.put(f"{job}/artifacts/a.txt", content=b"x"), 404, "job_not_found")


def test_a_preview_is_replaced_and_its_watchers_are_notified(
    running: Running, anyone: httpx.Client, bob: Person
) -> None:
    worker, item = running
    path = f"/api/jobs/{item['job_id']}/preview"
    ear = bob.listen()
    ear.call("job:watch", {"job_id": item["job_id"]})

    worker.show(item, "png", b"first").raise_for_status()
    by_token = anyone.put(path, params={"kind": "markdown"}, content=b"# two", headers=job_token(item))

    assert (by_token.json()["kind"], by_token.json()["version"]) == ("markdown", 2)
    assert ear.expect("job:preview", version=1)["kind"] == "png"
    assert ear.expect("job:preview", version=2) == {
        "job_id": item["job_id"],
        "kind": "markdown",
        "version": 2,
    }
    read = bob.get(path)
    assert read.content == b"# two"
    assert (read.headers["x-preview-kind"], read.headers["x-preview-version"]) == ("markdown", "2")
    assert read.headers["content-type"] == "text/markdown; charset=utf-8"


def test_a_preview_of_no_known_kind_or_of_too_many_bytes_is_refused(running: Running) -> None:
    worker, item = running

    the_problem(worker.show(item, "exe", b"x"), 422, "invalid_request")
    the_problem(worker.show(item, "png", b"x" * 5_000_001), 413, "body_too_large")


def test_a_job_saves_so_many_files_and_bytes_and_no_more(
    start_server: StartServer, loop_thread: LoopThread
) -> None:
    server = start_server(max_artifacts=3, max_artifacts_bytes=1000)
    ada = Person(loop_thread, server.url, "ada")
    ada.create_room("lab")
    worker = ada.work(extension("lab"))
    ada.order("lab")
    item = worker.take()
    worker.start(item)

    def pieces() -> Iterator[bytes]:
        yield from [b"x" * 100] * 7

    with plain_http(server.url) as anyone:
        assert put(anyone, item, "a", b"x" * 400).status_code == 200
        the_problem(put(anyone, item, "b", b"x" * 601), 413, "body_too_large")
        the_problem(put(anyone, item, "b", pieces()), 413, "body_too_large")
        assert put(anyone, item, "a", b"x" * 900).status_code == 200, "it replaces what was there"
        for name in ("b", "c"):
            assert put(anyone, item, name, b"x").status_code == 200
        refused = the_problem(put(anyone, item, "d", b"x"), 422, "invalid_request")

    assert refused["max_files"] == 3
    assert names(ada, item) == ["a", "b", "c"]
    eventually(lambda: len(blobs(server)) == 3, 10, "the bytes of what was refused gone")
    ada.close()
