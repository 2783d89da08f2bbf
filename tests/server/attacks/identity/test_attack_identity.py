"""Guessing at passwords and codes, asking for more checks than a server can do, and staying after logout."""

from __future__ import annotations

import asyncio
import time
from collections.abc import Iterator
from itertools import count

import httpx
import pytest
import socketio

from support.access_scenario import PASSWORD, AccessScenario, Bearer
from support.users import Person, the_problem
from workroom.errors import TooManyRequests
from workroom.server.protocols.admission import network_of
from workroom.services.limits.throttles import MAX_KEYS, Throttle
from workroom.testing.processes import ADMIN_PASSWORD, ServerProcess, eventually

WRONG = "battery horse correct"
ADDRESS_GUESSES, ACCOUNT_GUESSES, CODE_GUESSES = 4, 6, 3
_numbers = count(1)


class Street:
    """A server behind a proxy, so that callers may come from any address."""

    def __init__(self, server: ServerProcess, http: httpx.Client) -> None:
        self.server = server
        self.http = http
        self.root = self.token("192.0.2.1", name="admin", password=ADMIN_PASSWORD)

    def login(self, address: str, **body: object) -> httpx.Response:
        return self.http.post("/api/login", json=body, headers={"X-Forwarded-For": address})

    def token(self, address: str, **body: object) -> str:
        answer = self.login(address, **body)
        assert answer.status_code == 200, answer.text
        return str(answer.json()["token"])

    def call(self, token: str, method: str, path: str, address: str, body: object = None) -> httpx.Response:
        headers = {"X-Forwarded-For": address, "Authorization": f"Bearer {token}"}
        return self.http.request(method, path, json=body, headers=headers)

    def account(self) -> str:
        """Somebody new, with a password."""
        name = f"somebody-{next(_numbers)}"
        body = {"name": name, "password": PASSWORD}
        assert self.call(self.root, "POST", "/api/users", "192.0.2.1", body).status_code == 201
        return name

    def exhaust(self, account: str, subnet: int) -> None:
        """Guess at an account from ever other addresses, until no more guesses are heard."""
        for number in range(ACCOUNT_GUESSES):
            guess = self.login(f"203.0.{subnet}.{number}", name=account, password=WRONG)
            the_problem(guess, 401, "unauthenticated")
        refused(self.login(f"203.0.{subnet}.99", name=account, password=WRONG))


@pytest.fixture(scope="module")
def street(tmp_path_factory: pytest.TempPathFactory) -> Iterator[Street]:
    rates = {
        "proxies": "127.0.0.1",
        "guess_rate": f"{ADDRESS_GUESSES}/day",
        "account_guess_rate": f"{ACCOUNT_GUESSES}/day",
        "invite_guess_rate": f"{CODE_GUESSES}/day",
        "code_guess_rate": f"{CODE_GUESSES}/day",
    }
    with (
        ServerProcess(tmp_path_factory.mktemp("street"), **rates) as server,
        httpx.Client(base_url=server.url, timeout=60) as http,
    ):
        yield Street(server, http)


def refused(answer: httpx.Response) -> None:
    problem = the_problem(answer, 429, "too_many_requests")
    assert int(answer.headers["retry-after"]) >= 1
    assert "/day" in problem["detail"]


def test_wrong_passwords_from_one_address_are_refused_and_other_addresses_are_not(street: Street) -> None:
    for _ in range(ADDRESS_GUESSES):
        guess = street.login("198.51.100.7", name=street.account(), password=WRONG)
        the_problem(guess, 401, "unauthenticated")

    owner = street.account()
    refused(street.login("198.51.100.7", name=owner, password=PASSWORD))
    assert street.login("198.51.100.8", name=owner, password=PASSWORD).status_code == 200


def test_all_addresses_of_an_ipv6_network_count_as_one(street: Street) -> None:
    for number in range(ADDRESS_GUESSES):
        guess = street.login(f"2001:db8:0:1::{number:x}", name=street.account(), password=WRONG)
        the_problem(guess, 401, "unauthenticated")

    owner = street.account()
    refused(street.login("2001:db8:0:1:ffff:ffff:ffff:ffff", name=owner, password=PASSWORD))
    assert street.login("2001:db8:0:2::1", name=owner, password=PASSWORD).status_code == 200


@pytest.mark.parametrize(
    ("host", "network"),
    [
        ("192.0.2.7", "192.0.2.7"),
        ("::ffff:192.0.2.7", "192.0.2.7"),
        ("2001:db8:0:1:2:3:4:5", "2001:db8:0:1::/64"),
        ("fe80::1%eth0", "fe80::/64"),
        ("", ""),
        ("testclient", "testclient"),
    ],
)
def test_an_address_belongs_to_one_network(host: str, network: str) -> None:
    assert network_of(host) == network


def test_guesses_at_one_account_from_many_addresses_are_slowed_down(street: Street) -> None:
    victim = street.account()
    street.exhaust(victim, 10)

    refused(street.login("203.0.10.200", name=victim.upper(), password=PASSWORD))


def test_an_account_that_is_not_there_is_slowed_down_alike(street: Street) -> None:
    street.exhaust("not-there", 11)


def test_strangers_who_guess_do_not_shut_the_owner_out(street: Street) -> None:
    owner = street.account()
    street.token("192.0.2.20", name=owner, password=PASSWORD)
    street.exhaust(owner, 12)

    assert street.login("192.0.2.20", name=owner, password=PASSWORD).status_code == 200
    the_problem(street.login("192.0.2.20", name=owner, password=WRONG), 401, "unauthenticated")


def test_right_passwords_are_no_guesses(street: Street) -> None:
    owner = street.account()
    for _ in range(ADDRESS_GUESSES + ACCOUNT_GUESSES):
        assert street.login("192.0.2.30", name=owner, password=PASSWORD).status_code == 200


def test_wrong_codes_do_not_use_up_the_passwords_and_the_other_way_round(street: Street) -> None:
    owner = street.account()
    for _ in range(CODE_GUESSES):
        the_problem(street.login("192.0.2.40", code="AAAA-BBBB"), 401, "unauthenticated")
    refused(street.login("192.0.2.40", code=street.server.admin_code))
    for _ in range(ADDRESS_GUESSES):
        the_problem(street.login("192.0.2.40", name=owner, password=WRONG), 401, "unauthenticated")
    refused(street.login("192.0.2.40", name=owner, password=PASSWORD))

    guest = street.token("192.0.2.40", name="still-a-guest")
    invite = "/api/rooms/nowhere/members"
    the_problem(street.call(guest, "POST", invite, "192.0.2.40", {"code": "AAAA"}), 403, "forbidden")


def test_wrong_invites_are_counted_by_address_and_by_account(street: Street) -> None:
    guest, other = street.token("192.0.2.50", name="one"), street.token("192.0.2.50", name="another")
    room = f"invited-{next(_numbers)}"
    created = street.call(street.root, "POST", "/api/rooms", "192.0.2.1", {"name": room, "private": True})
    assert created.status_code == 201
    invite = street.call(street.root, "POST", f"/api/rooms/{room}/invite", "192.0.2.1", {}).json()["code"]

    def join(token: str, address: str, code: str) -> httpx.Response:
        return street.call(token, "POST", f"/api/rooms/{room}/members", address, {"code": code})

    for _ in range(CODE_GUESSES):
        the_problem(join(guest, "192.0.2.50", "AAAA"), 403, "forbidden")
    refused(join(guest, "192.0.2.51", invite))
    refused(join(other, "192.0.2.50", invite))
    assert join(other, "192.0.2.52", invite).status_code == 201


def test_the_memory_of_a_throttle_is_bounded() -> None:
    throttle = Throttle("guesses", "1/day")
    for number in range(MAX_KEYS + 500):
        throttle.take(f"address {number}")

    assert len(throttle) == MAX_KEYS
    throttle.take("address 0")  # long forgotten
    with pytest.raises(TooManyRequests):
        throttle.take(f"address {MAX_KEYS + 499}")


@pytest.fixture(scope="module")
def busy_server(tmp_path_factory: pytest.TempPathFactory) -> Iterator[ServerProcess]:
    limits = {"proxies": "127.0.0.1", "max_password_queue": 10, "max_password_queue_per_address": 3}
    with ServerProcess(tmp_path_factory.mktemp("busy"), **limits) as server:
        yield server


async def guesses(url: str, addresses: list[str]) -> tuple[list[httpx.Response], httpx.Response, float]:
    """Wrong passwords from these addresses at once; meanwhile the admin logs in from another."""
    limits = httpx.Limits(max_connections=None)
    async with httpx.AsyncClient(base_url=url, timeout=120, limits=limits) as http:

        async def login(address: str, password: str) -> httpx.Response:
            body = {"name": "admin", "password": password}
            return await http.post("/api/login", json=body, headers={"X-Forwarded-For": address})

        async def admin() -> tuple[httpx.Response, float]:
            begun = time.monotonic()
            while True:
                answer = await login("192.0.2.1", ADMIN_PASSWORD)
                if answer.status_code != 503:
                    return answer, time.monotonic() - begun
                await asyncio.sleep(0.2)

        wrong = [asyncio.ensure_future(login(address, WRONG)) for address in addresses]
        await asyncio.wait(wrong, return_when=asyncio.FIRST_COMPLETED)  # the queue is full
        answer, seconds = await admin()
        return list(await asyncio.gather(*wrong)), answer, seconds


async def test_four_hundred_wrong_passwords_do_not_make_the_admin_wait(busy_server: ServerProcess) -> None:
    answers, admin, seconds = await guesses(busy_server.url, ["198.51.100.9"] * 400)

    assert admin.status_code == 200
    assert seconds < 30  # on a machine with nothing else to do it was 43 s, now it is below one
    assert {answer.status_code for answer in answers} == {401, 503}
    assert [answer.status_code for answer in answers].count(401) < 200
    for answer in answers:
        if answer.status_code == 503:
            assert the_problem(answer, 503, "busy")["retryable"] is True
            assert int(answer.headers["retry-after"]) >= 1


async def test_a_full_queue_of_password_checks_is_refused_as_full(busy_server: ServerProcess) -> None:
    addresses = [f"203.0.113.{number}" for number in range(100)]
    answers, admin, seconds = await guesses(busy_server.url, addresses)

    assert admin.status_code == 200
    assert seconds < 30
    assert {answer.status_code for answer in answers} == {401, 503}


async def test_a_name_that_is_not_there_takes_as_long_as_a_wrong_password(
    busy_server: ServerProcess,
) -> None:
    def fastest(name: str) -> float:
        times = []
        for _ in range(5):
            begun = time.monotonic()
            answer = httpx.post(f"{busy_server.url}/api/login", json={"name": name, "password": WRONG})
            times.append(time.monotonic() - begun)
            the_problem(answer, 401, "unauthenticated")
        return min(times)

    there, not_there = fastest("admin"), fastest("nobody-by-this-name")
    assert not_there > there / 4  # a hash that is not computed would take a hundredth


def account(scenario: AccessScenario) -> Person:
    """Somebody new with a password, logged in."""
    name = f"session-{next(_numbers)}"
    answer = scenario.admin.post("/api/users", json={"name": name, "password": PASSWORD})
    assert answer.status_code == 201, answer.text
    return scenario.login(name, PASSWORD)


def renewed(scenario: AccessScenario, person: Person) -> Bearer:
    return scenario.bearer(person.user, person.post("/api/token/renew").json()["token"])


def counts(person: Person) -> bool:
    return person.get("/api/users/me").status_code == 200


def test_tokens_that_were_renewed_end_at_logout_with_all_that_they_opened(scenario: AccessScenario) -> None:
    first = account(scenario)
    second = renewed(scenario, first)
    third = renewed(scenario, second)
    elsewhere, stranger = scenario.login(first.user, PASSWORD), scenario.guest.listen()
    sockets = [person.listen() for person in (first, second, third)]
    other = elsewhere.listen()
    ticket = third.post("/api/stream-ticket").json()["ticket"]
    assert second.post("/api/token/revoke", json={}).status_code == 200

    for socket in sockets:
        socket.wait_closed()
    for person in (first, second, third):
        the_problem(person.get("/api/users/me"), 401, "unauthenticated")
        the_problem(person.post("/api/token/renew"), 401, "unauthenticated")
        with pytest.raises(socketio.exceptions.ConnectionError):
            person.listen()
    the_problem(
        scenario.nobody.get(f"/api/rooms/{scenario.open}/stream", params={"ticket": ticket}),
        401,
        "unauthenticated",
    )
    for ear in (other, stranger):
        ear.flush()
    assert counts(elsewhere)


def test_a_stream_ends_at_logout_with_a_renewed_token(scenario: AccessScenario) -> None:
    first = account(scenario)
    second = renewed(scenario, first)
    with first.stream("GET", f"/api/rooms/{scenario.open}/stream") as stream:
        lines = stream.iter_lines()
        next(lines)
        assert second.post("/api/token/revoke", json={}).status_code == 200
        for _ in lines:  # until the server ends it
            pass


def test_a_user_ends_all_sessions(scenario: AccessScenario) -> None:
    here = account(scenario)
    there, renewed_there = scenario.login(here.user, PASSWORD), renewed(scenario, here)
    socket, stranger = there.listen(), scenario.guest.listen()
    assert here.post("/api/token/revoke", json={"all": True}).status_code == 200

    eventually(lambda: not socket.is_connected, what="the socket being closed")
    assert [counts(person) for person in (here, there, renewed_there)] == [False, False, False]
    stranger.flush()
    assert counts(scenario.login(here.user, PASSWORD))


def test_another_password_of_my_own_ends_my_other_sessions(scenario: AccessScenario) -> None:
    here = account(scenario)
    there = scenario.login(here.user, PASSWORD)
    body = {"current_password": PASSWORD, "password": "another password"}
    fresh = scenario.bearer(here.user, here.post("/api/users/me/password", json=body).json()["token"])

    assert [counts(person) for person in (here, there, fresh)] == [False, False, True]
    again = scenario.nobody.post("/api/login", json={"name": here.user, "password": PASSWORD})
    the_problem(again, 401, "unauthenticated")
    assert counts(scenario.login(here.user, "another password"))


def test_who_has_a_token_but_not_the_password_cannot_change_it(scenario: AccessScenario) -> None:
    thief = account(scenario)

    def change(person: Person, current: str, new: str = "another password") -> httpx.Response:
        body = {"current_password": current, "password": new}
        return person.post("/api/users/me/password", json=body)

    the_problem(change(thief, WRONG), 401, "unauthenticated")
    the_problem(change(thief, PASSWORD, "short"), 422, "invalid_request")
    the_problem(change(scenario.guest, ""), 403, "forbidden")
    the_problem(change(scenario.job, ""), 403, "forbidden")
    assert counts(thief)


def test_guesses_at_the_own_password_are_counted_too(street: Street) -> None:
    owner = street.account()
    token = street.token("192.0.2.60", name=owner, password=PASSWORD)
    body = {"current_password": WRONG, "password": "another password"}
    path = "/api/users/me/password"
    for _ in range(ADDRESS_GUESSES):
        the_problem(street.call(token, "POST", path, "192.0.2.60", body), 401, "unauthenticated")

    refused(street.call(token, "POST", path, "192.0.2.60", {**body, "current_password": PASSWORD}))


def test_a_paired_machine_cannot_end_the_sessions_of_who_paired_it(scenario: AccessScenario) -> None:
    code = scenario.member.post(f"/api/rooms/{scenario.room}/pair", json={}).json()["code"]
    answer = scenario.nobody.post("/api/login", json={"code": code}).json()
    machine = scenario.bearer(answer["user"], answer["token"])

    the_problem(machine.post("/api/token/revoke", json={"all": True}), 403, "forbidden")
    the_problem(scenario.job.post("/api/token/revoke", json={"all": True}), 403, "forbidden")
    assert counts(scenario.member)
    assert machine.post("/api/token/revoke", json={}).status_code == 200
    assert not counts(machine)
