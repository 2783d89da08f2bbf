"""What is secret stays so: in the log, in problems, in what others see; what works once works once."""

from __future__ import annotations

import asyncio
from collections.abc import Iterator
from contextlib import ExitStack
from pathlib import Path

import httpx
import pytest

from support.access_scenario import PASSWORD, Bearer, signed
from support.users import LoopThread, extension, plain_http, the_problem
from workroom.clock import SystemClock
from workroom.domain.identity import Account, Principal, Role
from workroom.errors import Unauthenticated
from workroom.server.http.bodies.account import AccountBody, AccountChange, LoginBody
from workroom.server.http.bodies.room import MemberBody
from workroom.services.identity.accounts import Accounts
from workroom.services.identity.passwords import Passwords
from workroom.services.identity.tokens import Tokens
from workroom.stores.sqlite.store import SqliteStore
from workroom.testing.conformance import LIVENESS
from workroom.testing.processes import ADMIN_PASSWORD, ServerProcess


class House:
    """A server whose admin has a link and no password, and all that it ever answered with a problem."""

    def __init__(self, data_dir: Path, loop: LoopThread, stack: ExitStack, **settings: object) -> None:
        given = {"admin_password": "", "log_level": "debug", **settings}
        self.server = stack.enter_context(ServerProcess(data_dir, "support.extensions.samples:Nap", **given))
        self.problems: list[str] = []
        self._loop, self._stack = loop, stack

    def login(self, **body: object) -> httpx.Response:
        with plain_http(self.server.url) as http:
            return self.noted(http.post("/api/login", json=body))

    def noted(self, answer: httpx.Response) -> httpx.Response:
        if answer.status_code >= 400:
            self.problems.append(answer.text)
        return answer

    def bearer(self, token: str) -> Bearer:
        bearer = Bearer(self._loop, self.server.url, "bearer", token)
        self._stack.callback(bearer.close)
        return bearer


@pytest.fixture
def stack() -> Iterator[ExitStack]:
    with ExitStack() as stack:
        yield stack


def test_the_admin_link_works_once_and_reveals_no_secret(
    tmp_path: Path, loop_thread: LoopThread, stack: ExitStack
) -> None:
    house = House(tmp_path, loop_thread, stack)
    the_problem(house.login(name="admin"), 409, "name_taken")
    the_problem(house.login(name="admin", password=""), 401, "unauthenticated")

    link = house.server.admin_code
    admin = house.bearer(house.login(code=link).json()["token"])
    the_problem(house.login(code=link), 401, "unauthenticated")
    assert admin.get("/api/users/me").json()["role"] == "admin"

    account = {"name": "ada", "password": PASSWORD}
    assert admin.post("/api/users", json=account).status_code == 201
    house.noted(admin.post("/api/users", json=account))
    house.noted(admin.post("/api/users", json={**account, "password": PASSWORD * 100}))
    house.noted(admin.post("/api/users", json={**account, "name": PASSWORD, "extra": PASSWORD[::-1]}))
    the_problem(house.login(name="ada", password=f"{PASSWORD}!"), 401, "unauthenticated")
    ada = house.bearer(house.login(**account).json()["token"])
    machine = house.bearer(admin.post("/api/tokens", json={"name": "box"}).json()["token"])
    ada.post("/api/rooms", json={"name": "lab", "private": True})
    invite = ada.post("/api/rooms/lab/invite", json={}).json()["code"]
    pair = ada.post("/api/rooms/lab/pair", json={}).json()["code"]
    house.noted(ada.post("/api/rooms/elsewhere/members", json={"code": invite}))
    paired = house.bearer(house.login(code=pair).json()["token"])
    house.login(code=pair)
    ticket = ada.post("/api/stream-ticket").json()["ticket"]
    hand = paired.work(extension("lab"))
    ada.order("lab")
    item = hand.take()
    hand.start(item)
    house.noted(paired.get("/api/rooms/lab"))
    hand.call("token:renew", {"token": ada.token})
    hand.call(
        "job:finish", [{"job_id": item["job_id"], "attempt": 9, "token": item["token"], "status": "failed"}]
    )
    renewed = ada.post("/api/token/renew").json()["token"]
    ada.post("/api/token/revoke", json={})
    house.noted(ada.get("/api/users/me"))
    forged = signed(house.server, sub="ada", aud="elsewhere")
    house.noted(house.bearer(forged).get("/api/users/me"))
    tokens = [admin.token, ada.token, machine.token, paired.token, renewed, ticket, forged]
    secrets = [PASSWORD, link, invite, pair, item["token"], *tokens]
    key = (tmp_path / "signing.key").read_text()
    house.server.close()

    log = (tmp_path / "server.log").read_text()
    said = log + "\n".join(house.problems).replace(f'"name":"{PASSWORD}"', "")
    assert house.problems
    assert [secret for secret in [*secrets, key] if secret in said] == []
    assert "Traceback" not in log
    assert oct((tmp_path / "signing.key").stat().st_mode & 0o777) == "0o600"


def test_a_link_of_an_earlier_start_and_guests_of_an_opener_one_are_not_let_in(
    tmp_path: Path, loop_thread: LoopThread, stack: ExitStack
) -> None:
    first = House(tmp_path, loop_thread, stack)
    unused, guest = first.server.admin_code, first.login(name="gus").json()["token"]
    first.server.close()
    house = House(tmp_path, loop_thread, stack, guests=False, admin_password=ADMIN_PASSWORD)

    the_problem(house.login(code=unused), 401, "unauthenticated")
    the_problem(house.bearer(guest).get("/api/users/me"), 401, "unauthenticated")
    the_problem(house.login(name="gus"), 403, "forbidden")
    assert house.login(name="admin", password=ADMIN_PASSWORD).status_code == 200


async def test_a_ticket_opens_once_and_only_while_its_token_counts(tmp_path: Path) -> None:
    clock = SystemClock()
    store = SqliteStore(tmp_path / "workroom.db", LIVENESS, clock=clock)
    tokens = Tokens(b"k" * 32, 1.0)
    accounts = Accounts(store, tokens, clock, lambda: None, Passwords(), guests=True)
    await store.add_account(Account("ada", Role.USER))
    who = tokens.read(tokens.issue(Principal("ada", Role.USER)))
    used, unused = accounts.ticket(who), accounts.ticket(who)

    tried = await asyncio.gather(*(accounts.read_ticket(used) for _ in range(5)), return_exceptions=True)
    assert [type(each) for each in tried].count(Principal) == 1
    assert {type(each) for each in tried} == {Principal, Unauthenticated}
    await accounts.end_session(who)
    with pytest.raises(Unauthenticated):
        await accounts.read_ticket(unused)
    with pytest.raises(Unauthenticated):
        await accounts.read_ticket(tokens.issue(who))
    await store.aclose()


def test_no_secret_is_in_what_a_log_would_show_of_a_request() -> None:
    login = LoginBody(name="ada", password=PASSWORD, code="KX4P-9TQM")
    shown = [login, MemberBody(code="KX4P-9TQM"), AccountChange(password=PASSWORD)]
    shown.append(AccountBody(name="ada", password=PASSWORD))

    assert not [each for each in map(repr, shown) if PASSWORD in each or "KX4P" in each]
