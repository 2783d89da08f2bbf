"""Pages of other sites, other names, and more than one's share."""

from __future__ import annotations

import asyncio
from collections.abc import Iterator
from contextlib import ExitStack
from pathlib import Path
from typing import Any

import aiohttp
import httpx
import pytest
import socketio

from support.access_scenario import AccessScenario, Bearer
from support.users import LoopThread, Person, extension, plain_http, the_problem
from workroom.testing.processes import ADMIN_PASSWORD, ServerProcess, eventually

FOREIGN = [
    "https://evil.example",
    "http://127.0.0.1:1",
    "null",
    "http://localhost",
    "http://127.0.0.1.evil.example",
]


@pytest.mark.parametrize("origin", FOREIGN)
def test_a_page_of_another_site_cannot_write(scenario: AccessScenario, origin: str) -> None:
    headers = {"Origin": origin}
    login = scenario.nobody.post("/api/login", json={"name": "x"}, headers=headers)
    the_problem(login, 403, "foreign_origin")
    the_problem(scenario.owner.delete(f"/api/rooms/{scenario.room}", headers=headers), 403, "foreign_origin")
    read = scenario.owner.get("/api/rooms", headers=headers)
    assert "access-control-allow-origin" not in read.headers


def test_our_own_page_can(scenario: AccessScenario) -> None:
    answer = scenario.guest.post("/api/stream-ticket", headers={"Origin": scenario.server.url})

    assert answer.status_code == 200


def websocket(scenario: AccessScenario, loop: LoopThread, headers: dict[str, str]) -> int:
    async def shake() -> int:
        url = f"{scenario.server.url}/socket.io/?EIO=4&transport=websocket"
        async with aiohttp.ClientSession() as session:
            try:
                async with session.ws_connect(url, headers=headers):
                    return 101
            except aiohttp.WSServerHandshakeError as error:
                return error.status

    return loop.run(shake())


def test_a_page_of_another_site_cannot_open_a_socket(
    scenario: AccessScenario, loop_thread: LoopThread
) -> None:
    for origin in FOREIGN:
        assert websocket(scenario, loop_thread, {"Origin": origin}) == 403
    assert websocket(scenario, loop_thread, {"Host": "evil.example"}) == 403
    assert websocket(scenario, loop_thread, {"Origin": scenario.server.url}) == 101


@pytest.mark.parametrize(
    "host", ["evil.example", "evil.example:8000", "127.0.0.1.evil.example", "localhost.evil", "[::2]"]
)
def test_a_server_on_the_loopback_goes_by_no_other_name(scenario: AccessScenario, host: str) -> None:
    the_problem(scenario.nobody.get("/healthz", headers={"Host": host}), 421, "unknown_host")
    the_problem(
        scenario.nobody.post("/api/login", json={"name": "x"}, headers={"Host": host}), 421, "unknown_host"
    )


@pytest.mark.parametrize("path", ["/", "/healthz", "/api/rooms", "/nothing"])
def test_no_response_names_the_server_software(scenario: AccessScenario, path: str) -> None:
    assert "server" not in scenario.nobody.get(path).headers


def test_a_cookie_is_of_no_use_to_scripts_and_other_sites(scenario: AccessScenario) -> None:
    with plain_http(scenario.server.url) as page:
        entered = page.post("/api/login", json={"name": "page", "cookie": True})
        cookies = [each.lower() for each in entered.headers.get_list("set-cookie")]
        assert page.get("/api/users/me").status_code == 200
        assert all("samesite=strict" in each for each in cookies)
        (readable,) = [each for each in cookies if "httponly" not in each]
        assert readable.partition(";")[0].endswith("-session=1")
        assert page.post("/api/token/revoke", json={}).status_code == 200
        assert page.get("/api/users/me").status_code == 401


async def _garbage(url: str, token: str, frames: list[Any]) -> None:
    async with (
        aiohttp.ClientSession() as session,
        session.ws_connect(f"{url}/socket.io/?EIO=4&transport=websocket") as wire,
    ):
        await wire.receive(10)
        await wire.send_str('40{"token":"' + token + '"}')
        await wire.receive(10)
        for frame in frames:
            await (wire.send_bytes(frame) if isinstance(frame, bytes) else wire.send_str(frame))
        await asyncio.sleep(0)


@pytest.mark.parametrize(
    "frame",
    [
        "42" + "[" * 100_000,
        '42["room:join",' + "[" * 900 + "]" * 900 + "]",
        "42[]",
        "42[5]",
        '42{"a":1}',
        '421["connect",{}]',
        '421["disconnect"]',
        '42["room:join"]',
        '42["room:join",null,null,null]',
        "4599999-[]",
        '451-["room:join",{"_placeholder":true,"num":7}]',
        b"\x00\xff",
        "9",
        "",
        "40/elsewhere,{}",
        "43999[]",
        '42["worker:hello",{"boot_id":"xxxxxxxx","worker_id":{"a":1}}]',
        '42["room:join",{"room":NaN}]',
    ],
)
def test_garbage_on_a_socket_hurts_nobody_else(
    scenario: AccessScenario, loop_thread: LoopThread, frame: Any
) -> None:
    ear = scenario.owner.listen(scenario.room)
    loop_thread.run(_garbage(scenario.server.url, scenario.guest.token, [frame]))

    ear.flush()
    assert scenario.guest.listen(scenario.open).is_connected


class Strict:
    """A server with little patience, and its people."""

    def __init__(self, server: ServerProcess, loop: LoopThread, stack: ExitStack) -> None:
        self.server, self._loop, self._stack = server, loop, stack
        self.root = self.person("admin", ADMIN_PASSWORD)

    def person(self, name: str, password: str | None = None) -> Person:
        person = Person(self._loop, self.server.url, name, password)
        self._stack.callback(person.close)
        return person

    def bearer(self, token: str) -> Bearer:
        bearer = Bearer(self._loop, self.server.url, "bearer", token)
        self._stack.callback(bearer.close)
        return bearer


@pytest.fixture(scope="module")
def strict(tmp_path_factory: pytest.TempPathFactory, loop_thread: LoopThread) -> Iterator[Strict]:
    rates = {
        "register_rate": "3/hour",
        "submit_rate": "5/hour",
        "annotate_rate": "4/day",
        "data_rate": "3/day",
        "max_sockets": 3,
    }
    data_dir = tmp_path_factory.mktemp("strict")
    with ServerProcess(data_dir, "support.extensions.samples:Nap", **rates) as server, ExitStack() as stack:
        yield Strict(server, loop_thread, stack)


def refused(answer: httpx.Response) -> None:
    problem = the_problem(answer, 429, "too_many_requests")
    assert int(answer.headers["retry-after"]) >= 1
    assert problem["retry_after_ms"] >= 1000


def test_registering_again_and_again_is_refused_for_that_user_only(strict: Strict) -> None:
    spammer, other = strict.person("spammer"), strict.person("other")
    spammer.create_room("spam")
    for _ in range(3):
        assert spammer.register(extension("spam")).status_code == 201

    refused(spammer.register(extension("spam")))
    assert other.register(extension("spam")).status_code == 201


def test_annotating_again_and_again_is_refused_for_that_user_only(strict: Strict) -> None:
    spammer, other = strict.person("annotator"), strict.person("reader")
    spammer.create_room("notes")
    job = spammer.order("notes", "Nap")["id"]
    for _ in range(2):
        spammer.request("PATCH", f"/api/jobs/{job}", json={"starred": True}).raise_for_status()

    refused(star(spammer, "notes", "unknown-1", "unknown-2", "unknown-3"))
    assert star(spammer, "notes", job, "unknown").status_code == 200
    refused(star(spammer, "notes", job))
    refused(spammer.request("PATCH", f"/api/jobs/{job}", json={"starred": False}))
    assert star(other, "notes", job).status_code == 200


def star(person: Person, room: str, *jobs: str) -> httpx.Response:
    return person.post(f"/api/rooms/{room}/jobs/actions", json={"action": "star", "jobs": list(jobs)})


def test_changing_documents_again_and_again_is_refused_for_that_user_only(strict: Strict) -> None:
    spammer, other = strict.person("writer"), strict.person("reader")
    spammer.create_room("documents")

    def write(person: Person, value: int) -> httpx.Response:
        return person.put("/api/rooms/documents/state/notes", json={"value": value})

    for value in range(3):
        write(spammer, value).raise_for_status()
    refused(write(spammer, 3))
    assert write(other, 4).is_success


def test_logging_in_again_and_again_is_refused(tmp_path: Path) -> None:
    with ServerProcess(tmp_path, login_rate="3/day") as server:
        answers = [httpx.post(f"{server.url}/api/login", json={"name": f"guest-{n}"}) for n in range(4)]
    assert [answer.status_code for answer in answers[:3]] == [200] * 3
    refused(answers[3])


def test_submitting_again_and_again_is_refused_for_that_user_only(strict: Strict) -> None:
    spammer, other = strict.person("submitter"), strict.person("other")
    spammer.create_room("jobs")
    for _ in range(5):
        spammer.order("jobs", "Nap")

    refused(spammer.submit("jobs", "Nap"))
    batch = {"jobs": [{"category": "analysis", "name": "Nap"}]}
    refused(spammer.post("/api/rooms/jobs/jobs/batch", json=batch))
    refused(spammer.post("/api/rooms/jobs/jobs/retry"))
    other.order("jobs", "Nap")


def test_a_user_has_so_many_sockets_and_others_have_theirs(strict: Strict) -> None:
    hoarder, other = strict.person("hoarder"), strict.person("other")
    ears = [hoarder.listen() for _ in range(3)]
    with pytest.raises(socketio.exceptions.ConnectionError):
        hoarder.listen()

    other.listen()
    ears[0].close()
    eventually(lambda: _connects(hoarder), what="a free place")


def test_who_runs_a_job_cannot_use_up_the_sockets_of_its_submitter(strict: Strict) -> None:
    submitter = strict.person("victim")
    strict.root.create_room("shared")
    hand = strict.root.work(extension("shared", "Trap"))
    submitter.order("shared", "Trap")
    item = hand.take()
    hand.start(item)
    job = strict.bearer(f"job.{item['job_id']}.{item['attempt']}.{item['token']}")
    for _ in range(3):
        job.listen()

    assert submitter.listen().is_connected


def _connects(person: Person) -> bool:
    try:
        person.listen()
    except socketio.exceptions.ConnectionError:
        return False
    return True
