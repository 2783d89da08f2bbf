"""A stranger who wants the server to store more and more: each thing has a quota, and nobody gets past it."""

from __future__ import annotations

import hashlib
import socket
from collections.abc import Callable, Iterator
from concurrent.futures import ThreadPoolExecutor
from contextlib import ExitStack
from itertools import count

import httpx
import pytest

from support.readiness import readiness
from support.users import Document, LoopThread, Person, extension, the_problem
from workroom.testing.fixtures import StartServer
from workroom.testing.processes import ADMIN_PASSWORD, ServerProcess, eventually
from workroom.testing.valkey import Valkey

_numbers = count(1)
_SMALL = {
    "quota_rooms_guest": 5,
    "quota_rooms": 7,
    "quota_extensions_guest": 4,
    "quota_extensions_room": 6,
    "quota_workers_guest": 3,
    "quota_workers_room": 4,
    "quota_slots_guest": 8,
    "quota_slots_room": 12,
    "quota_jobs_guest": 5,
    "quota_jobs_room": 8,
    "quota_files_guest": 4,
    "quota_files_room": 6,
    "quota_bytes_guest": 100_000,
    "quota_bytes_room": 150_000,
    "quota_invites_guest": 3,
    "quota_invites_room": 4,
    "quota_pairings_guest": 3,
    "quota_forms_guest": 2,
    "quota_presets_guest": 3,
    "quota_presets_room": 2,
    "quota_members_room": 3,
    "max_invite_days": 2,
    "chat_rate": "5/minute",
    "preset_rate": "9/day",
    "room_rate": "40/minute",
}

Somebody = Callable[..., Person]


@pytest.fixture(scope="module", params=["sqlite", "valkey"])
def server(
    request: pytest.FixtureRequest, tmp_path_factory: pytest.TempPathFactory
) -> Iterator[ServerProcess]:
    """A server with small quotas."""
    folder = tmp_path_factory.mktemp("quotas")
    with ExitStack() as stack:
        settings = dict(_SMALL)
        if request.param == "valkey":
            valkey = Valkey(folder / "valkey")
            valkey.start()
            stack.callback(valkey.stop)
            settings["store"] = valkey.url
        yield stack.enter_context(
            ServerProcess(folder / "data", "support.extensions.samples:Theme", **settings)
        )


@pytest.fixture
def somebody(server: ServerProcess, loop_thread: LoopThread) -> Iterator[Somebody]:
    """A new guest; with `role` a new user, or the admin."""
    with ExitStack() as stack:

        def enter(name: str, password: str | None = None) -> Person:
            person = Person(loop_thread, server.url, name, password)
            stack.callback(person.close)
            return person

        def somebody(role: str = "guest") -> Person:
            if role == "admin":
                return enter("admin", ADMIN_PASSWORD)
            name = f"{role}-{next(_numbers)}"
            if role == "user":
                account = {"name": name, "password": "correct horse", "role": "user"}
                assert enter("admin", ADMIN_PASSWORD).post("/api/users", json=account).status_code == 201
                return enter(name, "correct horse")
            return enter(name)

        yield somebody


@pytest.fixture
def guest(somebody: Somebody) -> Person:
    return somebody()


def create(person: Person, name: str | None = None) -> httpx.Response:
    return person.post("/api/rooms", json={"name": name or f"room-{next(_numbers)}"})


def new_room(person: Person) -> str:
    response = create(person)
    assert response.status_code == 201, response.text
    return str(response.json()["name"])


def refused(response: httpx.Response, quota: str, limit: int, used: int) -> None:
    problem = the_problem(response, 403, "quota_exceeded")
    assert (problem["quota"], problem["limit"], problem["used"]) == (quota, limit, used)
    assert problem["retryable"] is False
    assert f"{limit:,}" in problem["detail"]
    assert "ask an admin" in problem["detail"]
    assert "retry-after" not in response.headers


def usage(person: Person, kind: str) -> tuple[int, int | None]:
    entry = person.get("/api/users/me").json()["usage"][kind]
    return entry["used"], entry["limit"]


def at_once(times: int, act: Callable[[int], httpx.Response]) -> list[int]:
    """The statuses, sorted."""
    with ThreadPoolExecutor(25) as threads:
        return sorted(each.status_code for each in threads.map(act, range(times)))


def upload(person: Person, room: str, body: bytes | Iterator[bytes] = b"hello") -> httpx.Response:
    name = f"{next(_numbers)}.txt"
    return person.post(f"/api/rooms/{room}/files", params={"name": name}, content=body)


# rooms


def test_a_guest_has_no_more_rooms_than_the_quota(guest: Person) -> None:
    names = [new_room(guest) for _ in range(5)]

    refused(create(guest), "rooms_per_guest", 5, 5)
    assert usage(guest, "rooms") == (5, 5)
    the_problem(create(guest, names[0]), 409, "name_taken")  # of a room that is there, so is the answer


def test_deleting_a_room_makes_room_for_another(guest: Person) -> None:
    names = [new_room(guest) for _ in range(5)]
    for name in names[:2]:
        guest.delete(f"/api/rooms/{name}").raise_for_status()

    assert usage(guest, "rooms") == (3, 5)
    assert [create(guest).status_code for _ in range(3)] == [201, 201, 403]


def test_fifty_creations_at_once_make_exactly_as_many_rooms_as_allowed(guest: Person) -> None:
    assert at_once(50, lambda _: create(guest)) == [201] * 5 + [403] * 45
    assert usage(guest, "rooms") == (5, 5)


def test_what_failed_does_not_count(guest: Person, somebody: Somebody) -> None:
    taken = new_room(somebody())
    assert at_once(20, lambda _: create(guest, taken)) == [409] * 20

    assert [create(guest).status_code for _ in range(6)] == [201] * 5 + [403]


def test_a_user_has_more_rooms_than_a_guest_and_an_admin_as_many_as_they_like(somebody: Somebody) -> None:
    user, admin = somebody("user"), somebody("admin")

    assert [create(user).status_code for _ in range(8)] == [201] * 7 + [403]
    refused(create(user), "rooms_per_user", 7, 7)
    assert [create(admin).status_code for _ in range(9)] == [201] * 9
    assert usage(admin, "rooms")[1] is None


def test_the_rooms_of_all_together_are_bounded(start_server: StartServer, loop_thread: LoopThread) -> None:
    server = start_server(quota_rooms_total=2, rooms="")
    ada, bob = Person(loop_thread, server.url, "ada"), Person(loop_thread, server.url, "bob")
    for person in (ada, bob):
        assert create(person).status_code == 201

    refused(create(bob), "rooms_in_total", 2, 2)
    ada.close()
    bob.close()


def test_rooms_that_are_created_and_deleted_over_and_over_are_throttled(guest: Person) -> None:
    for _ in range(20):
        guest.delete(f"/api/rooms/{new_room(guest)}").raise_for_status()

    the_problem(create(guest), 429, "too_many_requests")


# extensions and workers


def test_a_guest_has_no_more_extensions_than_the_quota(guest: Person) -> None:
    room = new_room(guest)
    offered = [extension(room, f"E{number}") for number in range(5)]

    refused(guest.register(*offered), "extensions_per_guest", 4, 0)
    assert guest.items(f"/api/rooms/{room}/extensions")[1:] == []  # but for that of the server
    assert guest.register(*offered[:4], worker_id="worker-1").status_code == 201
    assert guest.register(*offered[:4], worker_id="worker-1").status_code == 200
    refused(guest.register(*offered, worker_id="worker-1"), "extensions_per_guest", 4, 4)
    assert usage(guest, "extensions") == (4, 4)


def test_extensions_that_come_and_go_under_new_names_still_count(guest: Person) -> None:
    """What has left is still stored."""
    room = new_room(guest)
    worker = f"worker-{next(_numbers)}"
    statuses = [
        guest.register(extension(room, f"E{number}"), worker_id=worker).status_code for number in range(6)
    ]

    assert statuses == [201, 200, 200, 200, 403, 403]
    guest.delete(f"/api/rooms/{room}").raise_for_status()
    assert usage(guest, "extensions") == (0, 4)
    assert guest.register(extension(new_room(guest)), worker_id=worker).status_code == 200


def test_the_extensions_of_a_room_are_bounded(somebody: Somebody) -> None:
    one, other = somebody(), somebody()
    room = new_room(one)
    assert one.register(*(extension(room, f"A{number}") for number in range(4))).status_code == 201
    assert other.register(*(extension(room, f"B{number}") for number in range(2))).status_code == 201

    refused(other.register(extension(room, "C")), "extensions_per_room", 6, 6)


def test_a_guest_has_no_more_workers_than_the_quota(guest: Person) -> None:
    room = new_room(guest)
    workers = [guest.register(extension(room)).json()["worker_id"] for _ in range(3)]

    refused(guest.register(extension(room)), "workers_per_guest", 3, 3)
    assert guest.register(extension(room), worker_id=workers[0]).status_code == 200
    guest.post(f"/api/workers/{workers[0]}/shutdown").raise_for_status()
    assert guest.register(extension(room)).status_code == 201
    assert usage(guest, "workers") == (3, 3)


def test_registrations_at_once_make_exactly_as_many_workers_as_allowed(guest: Person) -> None:
    room = new_room(guest)

    assert at_once(30, lambda _: guest.register(extension(room))) == [201] * 3 + [403] * 27


def test_the_slots_of_a_guests_workers_are_bounded_together(guest: Person) -> None:
    room = new_room(guest)
    first = guest.register(extension(room), slots=5).json()["worker_id"]

    refused(guest.register(extension(room), slots=4), "slots_per_guest", 8, 5)
    assert guest.register(extension(room), slots=3).status_code == 201
    refused(guest.register(extension(room), slots=6, worker_id=first), "slots_per_guest", 8, 8)
    assert guest.register(extension(room), slots=2, worker_id=first).status_code == 200
    assert usage(guest, "slots") == (5, 8)


# jobs


def test_a_guest_has_no_more_unfinished_jobs_than_the_quota(guest: Person) -> None:
    room = new_room(guest)
    worker = guest.work(extension(room))
    jobs = [guest.order(room) for _ in range(5)]

    refused(guest.submit(room), "jobs_per_guest", 5, 5)
    worker.run(worker.take())
    assert guest.submit(room).status_code == 202
    refused(guest.submit(room), "jobs_per_guest", 5, 5)
    guest.delete(f"/api/jobs/{jobs[-1]['id']}").raise_for_status()
    assert guest.submit(room).status_code == 202
    assert usage(guest, "jobs") == (5, 5)


def test_submits_at_once_make_exactly_as_many_jobs_as_allowed(guest: Person) -> None:
    room = new_room(guest)
    guest.register(extension(room))

    assert at_once(50, lambda _: guest.submit(room)) == [202] * 5 + [403] * 45
    assert len(guest.items(f"/api/rooms/{room}/jobs")) == 5


def test_submits_by_socket_count_too(guest: Person) -> None:
    room = new_room(guest)
    guest.register(extension(room))
    ear = guest.listen()
    order = {"room": room, "category": "analysis", "name": "Echo", "data": {}}
    answers = [ear.call("job:submit", {**order, "key": f"key {number}"}) for number in range(6)]

    assert [answer.get("error", {}).get("code") for answer in answers[4:]] == [None, "quota_exceeded"]


def test_a_batch_is_taken_whole_or_not_at_all(guest: Person) -> None:
    room = new_room(guest)
    guest.register(extension(room))
    job = {"category": "analysis", "name": "Echo"}

    def batch(*jobs: Document) -> httpx.Response:
        return guest.post(f"/api/rooms/{room}/jobs/batch", json={"jobs": list(jobs)})

    refused(batch(*[job] * 6), "jobs_per_guest", 5, 0)
    assert guest.items(f"/api/rooms/{room}/jobs") == []
    assert batch(*[job] * 3, {**job, "name": "Unknown"}).status_code == 202
    refused(batch(*[job] * 3), "jobs_per_guest", 5, 3)
    assert batch(*[job] * 2).status_code == 202


def test_a_group_for_whose_jobs_there_is_no_room_does_not_come_to_be(guest: Person) -> None:
    room = new_room(guest)
    guest.register(extension(room))
    path, job = f"/api/rooms/{room}/groups", {"category": "analysis", "name": "Echo"}

    refused(guest.post(path, json={"jobs": [job] * 6}), "jobs_per_guest", 5, 0)
    assert guest.items(path) == []


def test_a_submit_that_is_sent_again_at_the_limit_is_the_same_job(guest: Person) -> None:
    room = new_room(guest)
    guest.register(extension(room))
    path = f"/api/rooms/{room}/extensions/analysis/Echo/submit"

    def submit(number: int) -> httpx.Response:
        return guest.post(path, json={"data": {}}, headers={"Idempotency-Key": f"key {number}"})

    jobs = [submit(number).json()["id"] for number in range(5)]
    assert [submit(number).json()["id"] for number in range(5)] == jobs
    refused(submit(6), "jobs_per_guest", 5, 5)


def test_the_unfinished_jobs_of_a_room_are_bounded(somebody: Somebody) -> None:
    one, other = somebody(), somebody()
    room = new_room(one)
    one.register(extension(room))
    for person, times in ((one, 5), (other, 3)):
        for _ in range(times):
            person.order(room)

    refused(other.submit(room), "jobs_per_room", 8, 8)
    one.delete(f"/api/rooms/{room}").raise_for_status()
    assert usage(one, "jobs") == usage(other, "jobs") == (0, 5)


# files


def test_a_guest_has_no_more_files_than_the_quota(guest: Person) -> None:
    room = new_room(guest)
    files = [upload(guest, room).json()["id"] for _ in range(4)]

    refused(upload(guest, room), "files_per_guest", 4, 4)
    guest.delete(f"/api/rooms/{room}/files/{files[0]}").raise_for_status()
    assert upload(guest, room).status_code == 201
    guest.delete(f"/api/rooms/{room}").raise_for_status()
    assert usage(guest, "files") == (0, 4)
    assert usage(guest, "bytes") == (0, 100_000)


def test_a_guest_has_no_more_bytes_than_the_quota(guest: Person) -> None:
    room = new_room(guest)
    assert upload(guest, room, b"x" * 60_000).status_code == 201

    refused(upload(guest, room, b"x" * 40_001), "bytes_per_guest", 100_000, 60_000)
    assert upload(guest, room, b"x" * 40_000).status_code == 201
    refused(upload(guest, room, b"x"), "bytes_per_guest", 100_000, 100_000)
    assert usage(guest, "bytes") == (100_000, 100_000)


def announce(person: Person, method: str, path: str) -> bytes:
    """Say that a gigabyte will come, send nothing of it, and see what comes back."""
    host, port = person.url.removeprefix("http://").split(":")
    head = [
        f"{method} {path} HTTP/1.1",
        f"Host: {host}:{port}",
        f"Authorization: Bearer {person.token}",
        "Content-Length: 1000000000",
    ]
    with socket.create_connection((host, int(port)), 20) as wire:
        wire.sendall("\r\n".join([*head, "", ""]).encode())
        return wire.recv(65536)


def test_an_upload_with_a_length_is_refused_before_its_first_byte(guest: Person) -> None:
    answer = announce(guest, "POST", f"/api/rooms/{new_room(guest)}/files?name=large.bin")

    assert answer.startswith(b"HTTP/1.1 403")
    assert usage(guest, "bytes") == (0, 100_000)


def test_an_upload_without_a_length_is_stopped_at_the_quota(guest: Person) -> None:
    room = new_room(guest)

    problem = the_problem(upload(guest, room, iter([b"x" * 10_000] * 100)), 403, "quota_exceeded")
    assert (problem["quota"], problem["limit"]) == ("bytes_per_guest", 100_000)
    assert upload(guest, room, iter([b"x" * 50_000, b"x" * 50_000])).status_code == 201
    the_problem(upload(guest, room, iter([b"x"])), 403, "quota_exceeded")


def test_an_aborted_or_wrong_upload_releases_its_reservation(server: ServerProcess, guest: Person) -> None:
    room = new_room(guest)
    path = f"/api/rooms/{room}/files"
    wrong = {"X-Content-SHA256": hashlib.sha256(b"other").hexdigest()}
    for _ in range(3):
        response = guest.post(path, params={"name": "a.txt"}, content=b"x" * 90_000, headers=wrong)
        the_problem(response, 422, "digest_mismatch")

    def broken() -> Iterator[bytes]:
        yield b"x" * 90_000
        raise ConnectionError

    for _ in range(3):
        with pytest.raises(ConnectionError):
            upload(guest, room, broken())
    whole = eventually(lambda: upload(guest, room, b"x" * 100_000).status_code == 201, what="room for it")
    assert whole


def test_uploads_at_once_never_get_past_the_quota(guest: Person) -> None:
    room = new_room(guest)

    assert at_once(10, lambda _: upload(guest, room, b"x" * 40_000)) == [201] * 2 + [403] * 8
    assert usage(guest, "bytes") == (80_000, 100_000)


def test_what_a_job_saves_and_shows_counts_for_who_submitted_it(somebody: Somebody) -> None:
    owner, guest = somebody("admin"), somebody()
    room = new_room(owner)
    worker = owner.work(extension(room))
    guest.order(room)
    item = worker.take()
    worker.start(item)

    assert worker.save(item, "a.bin", b"x" * 60_000).status_code == 200
    assert worker.show(item, "text", b"x" * 30_000).status_code == 200
    refused(worker.save(item, "b.bin", b"x" * 10_001), "bytes_per_guest", 100_000, 90_000)
    assert worker.save(item, "a.bin", b"x" * 70_000).status_code == 200  # replaces the first
    assert worker.show(item, "text", b"x" * 20_000).status_code == 200
    assert worker.show(item, "text", b"x" * 30_000).status_code == 200
    assert (usage(guest, "files"), usage(guest, "bytes")) == ((1, 4), (100_000, 100_000))
    refused(upload(guest, room), "bytes_per_guest", 100_000, 100_000)
    assert usage(owner, "bytes")[0] == 0


def test_a_worker_of_an_attempt_that_is_over_cannot_fill_the_disk(guest: Person) -> None:
    room = new_room(guest)
    worker = guest.work(extension(room))
    guest.order(room)
    item = worker.take()
    worker.run(item)

    params = httpx.QueryParams(worker.speaks_for(item))
    answer = announce(guest, "PUT", f"/api/jobs/{item['job_id']}/artifacts/a.bin?{params}")
    assert answer.startswith(b"HTTP/1.1 409")


def test_the_files_of_a_room_are_bounded(somebody: Somebody) -> None:
    one, other = somebody(), somebody()
    room = new_room(one)
    assert upload(one, room, b"x" * 100_000).status_code == 201

    refused(upload(other, room, b"x" * 50_001), "bytes_per_room", 150_000, 100_000)
    for _ in range(3):
        assert upload(one, room, b"").status_code == 201
    for _ in range(2):
        assert upload(other, room).status_code == 201
    refused(upload(other, room), "files_per_room", 6, 6)


# codes, members, forms, chat, guests


def test_a_guest_has_no_more_open_invites_than_the_quota(guest: Person) -> None:
    room = new_room(guest)
    path = f"/api/rooms/{room}/invite"
    for _ in range(3):
        assert guest.post(path, json={}).status_code == 201

    refused(guest.post(path, json={}), "invites_per_guest", 3, 3)
    guest.delete(path).raise_for_status()
    assert guest.post(path, json={}).status_code == 201
    assert usage(guest, "invites") == (1, 3)


def test_an_invite_is_not_good_for_a_year(guest: Person) -> None:
    path = f"/api/rooms/{new_room(guest)}/invite"

    assert guest.post(path, json={"seconds": 2 * 86_400}).status_code == 201
    problem = the_problem(guest.post(path, json={"seconds": 2 * 86_400 + 1}), 422, "invalid_request")
    assert problem["max_seconds"] == 2 * 86_400


def test_a_guest_has_no_more_open_pairing_codes_than_the_quota(guest: Person) -> None:
    path = f"/api/rooms/{new_room(guest)}/pair"
    codes = [guest.post(path, json={}).json()["code"] for _ in range(3)]

    refused(guest.post(path, json={}), "pairings_per_guest", 3, 3)
    assert guest.post("/api/login", json={"code": codes[0]}).status_code == 200
    assert guest.post(path, json={}).status_code == 201


def test_a_paired_machine_has_the_quotas_of_who_made_the_code(guest: Person) -> None:
    room = new_room(guest)
    code = guest.post(f"/api/rooms/{room}/pair", json={}).json()["code"]
    token = guest.post("/api/login", json={"code": code}).json()["token"]
    machine = {"Authorization": f"Bearer {token}"}

    def register() -> httpx.Response:
        body = {"extensions": [extension(room)]}
        return guest.post("/api/workers/register", json=body, headers=machine)

    assert [register().status_code for _ in range(3)] == [201] * 3
    refused(register(), "workers_per_guest", 3, 3)


def test_the_members_of_a_room_are_bounded(guest: Person, somebody: Somebody) -> None:
    room = new_room(guest)
    path = f"/api/rooms/{room}/members"
    names = [somebody().user for _ in range(4)]
    for name in [*names[:3], names[0]]:
        assert guest.post(path, json={"user": name}).status_code == 201

    refused(guest.post(path, json={"user": names[3]}), "members_per_room", 3, 3)
    invite = guest.post(f"/api/rooms/{room}/invite", json={}).json()["code"]
    refused(somebody().post(path, json={"code": invite}), "members_per_room", 3, 3)


def test_a_guest_saves_no_more_settings_than_the_quota(guest: Person) -> None:
    def save(room: str) -> httpx.Response:
        return guest.submit(room, "Theme", category="settings")

    rooms = [new_room(guest) for _ in range(3)]
    assert [save(room).status_code for room in [*rooms[:2], rooms[0]]] == [200] * 3
    refused(save(rooms[2]), "forms_per_guest", 2, 2)


def test_presets_are_bounded_for_a_guest_and_for_a_room_and_throttled(guest: Person) -> None:
    path = f"/api/rooms/{new_room(guest)}/presets/settings/Theme"

    def save(name: str, **options: bool) -> httpx.Response:
        return guest.put(f"{path}/{name}", json={"data": {"options": len(options)}, **options})

    assert [save(name).status_code for name in ("room/a", "room/b")] == [200, 200]
    refused(save("room/c"), "presets_per_room", 2, 2)
    assert save("mine/c").status_code == 200
    refused(save("mine/d"), "presets_per_guest", 3, 3)
    assert save("mine/c", replace=True).status_code == 200
    assert guest.delete(f"{path}/room/a").status_code == 200
    assert [save("mine/d").status_code for _ in range(2)] == [200, 200]
    the_problem(save("mine/d"), 429, "too_many_requests")


def test_chat_is_throttled(guest: Person, somebody: Somebody) -> None:
    room = new_room(guest)
    path = f"/api/rooms/{room}/chat"
    for number in range(5):
        assert guest.post(path, json={"text": f"line {number}"}).status_code == 201

    problem = guest.post(path, json={"text": "one more"})
    the_problem(problem, 429, "too_many_requests")
    assert int(problem.headers["retry-after"]) > 0
    assert somebody().post(path, json={"text": "hello"}).status_code == 201


def test_the_guests_of_a_server_are_bounded(start_server: StartServer) -> None:
    server = start_server(quota_guests_total=3)

    def enter(number: int) -> httpx.Response:
        return httpx.post(f"{server.url}/api/login", json={"name": f"guest-{number}"})

    assert at_once(10, enter) == [200] * 3 + [403] * 7
    refused(enter(11), "guests_in_total", 3, 3)
    admin = {"name": "admin", "password": ADMIN_PASSWORD}
    assert httpx.post(f"{server.url}/api/login", json=admin).status_code == 200


def test_new_guests_from_one_address_are_throttled(start_server: StartServer) -> None:
    server = start_server(guest_rate="3/hour")

    def enter(name: str) -> httpx.Response:
        return httpx.post(f"{server.url}/api/login", json={"name": name})

    assert [enter(f"guest-{number}").status_code for number in range(4)] == [200] * 3 + [429]


# the disk


def test_nothing_new_is_stored_on_a_disk_that_is_almost_full(
    start_server: StartServer, loop_thread: LoopThread
) -> None:
    server = start_server()
    ada = Person(loop_thread, server.url, "ada")
    room = new_room(ada)
    worker = ada.work(extension(room))
    ada.order(room)
    item = worker.take()
    worker.start(item)
    ada.close()
    server.close()

    server = start_server(data_dir=server.data_dir, min_free_bytes=2**62 - 1)
    admin = Person(loop_thread, server.url, "admin", ADMIN_PASSWORD)
    for response in (
        create(admin),
        admin.submit(room),
        upload(admin, room),
        admin.post(f"/api/rooms/{room}/chat", json={"text": "hello"}),
        admin.post(f"/api/rooms/{room}/invite", json={}),
        admin.register(extension(room)),
    ):
        problem = the_problem(response, 507, "storage_full")
        assert problem["min_free_bytes"] == 2**62 - 1
        assert 0 < problem["free_bytes"] < 2**62 - 1
    assert readiness(server) == (503, "storage_full")
    assert admin.get(f"/api/rooms/{room}").status_code == 200
    assert admin.delete(f"/api/jobs/{item['job_id']}").status_code == 200
    admin.close()


def test_usage_names_every_quota_of_a_user(guest: Person) -> None:
    shown = guest.get("/api/users/me").json()["usage"]

    assert shown == {
        "rooms": {"used": 0, "limit": 5},
        "extensions": {"used": 0, "limit": 4},
        "workers": {"used": 0, "limit": 3},
        "slots": {"used": 0, "limit": 8},
        "jobs": {"used": 0, "limit": 5},
        "files": {"used": 0, "limit": 4},
        "bytes": {"used": 0, "limit": 100_000},
        "invites": {"used": 0, "limit": 3},
        "pairings": {"used": 0, "limit": 3},
        "forms": {"used": 0, "limit": 2},
        "presets": {"used": 0, "limit": 3},
    }
