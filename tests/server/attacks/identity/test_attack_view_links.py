"""A view link shows one room to whoever has it, once and for a short time, and grants nothing else."""

from __future__ import annotations

import time
from datetime import datetime
from pathlib import Path

import httpx
import pytest

from support.access_scenario import AccessScenario, signed
from support.users import Person, the_problem
from workroom.clock import SystemClock
from workroom.domain.identity import Account, Principal, Role
from workroom.errors import Forbidden
from workroom.services.identity.accounts import Accounts
from workroom.services.identity.passwords import Passwords
from workroom.services.identity.tokens import Tokens
from workroom.stores.sqlite.store import SqliteStore
from workroom.testing.conformance import LIVENESS

pytestmark = pytest.mark.either_mode


def ticket_of(maker: Person, room: str) -> str:
    response = maker.post(f"/api/rooms/{room}/view-link")
    assert response.status_code == 201, response.text
    return str(response.json()["ticket"])


def log_in(scenario: AccessScenario, ticket: str, **more: object) -> httpx.Response:
    return scenario.nobody.post("/api/login", json={"ticket": ticket, **more})


def test_it_is_valid_once(scenario: AccessScenario) -> None:
    ticket = ticket_of(scenario.member, scenario.room)

    assert log_in(scenario, ticket).status_code == 200
    the_problem(log_in(scenario, ticket), 401, "unauthenticated")


def test_it_is_valid_for_minutes_alone(scenario: AccessScenario) -> None:
    made = {"aud": "workroom:view", "role": "viewer", "room": scenario.room, "sub": scenario.owner.user}
    late = signed(scenario.server, **made, epoch=0, exp=int(time.time()) - 61)

    the_problem(log_in(scenario, late), 401, "unauthenticated")


def test_it_is_no_token_and_no_ticket_for_a_stream(scenario: AccessScenario) -> None:
    ticket = ticket_of(scenario.member, scenario.room)
    stream = f"/api/rooms/{scenario.room}/stream"

    the_problem(scenario.bearer("guest", ticket).get("/api/users/me"), 401, "unauthenticated")
    the_problem(scenario.nobody.get(stream, params={"ticket": ticket}), 401, "unauthenticated")


def test_a_ticket_for_a_stream_and_a_token_do_not_log_in(scenario: AccessScenario) -> None:
    stream = scenario.member.post("/api/stream-ticket").json()["ticket"]

    for wrong in (stream, scenario.member.token, "guessed"):
        the_problem(log_in(scenario, str(wrong)), 401, "unauthenticated")


def test_it_replaces_no_login(scenario: AccessScenario) -> None:
    """A cookie would make the page of somebody else who follows the link a viewer's."""
    ticket = ticket_of(scenario.member, scenario.room)

    the_problem(log_in(scenario, ticket, cookie=True), 422, "invalid_request")
    assert log_in(scenario, ticket).status_code == 200


def test_its_token_sees_one_room_alone(scenario: AccessScenario) -> None:
    linked = scenario.linked(scenario.owner, scenario.room)

    assert linked.get(f"/api/rooms/{scenario.room}").json()["role"] == "viewer"
    assert linked.get(f"/api/rooms/{scenario.room}/frames").status_code == 200
    assert linked.get(f"/api/jobs/{scenario.item['job_id']}").status_code == 200
    the_problem(linked.get(f"/api/rooms/{scenario.open}"), 404, "room_not_found")
    the_problem(linked.get("/api/rooms"), 403, "forbidden")
    the_problem(linked.post("/api/rooms", json={"name": "mine"}), 403, "forbidden")
    the_problem(linked.get(f"/api/users/{scenario.owner.user}/jobs"), 404, "job_not_found")
    the_problem(linked.post(f"/api/rooms/{scenario.room}/view-link"), 403, "forbidden")


def test_the_token_of_an_admins_link_is_not_an_admins(scenario: AccessScenario) -> None:
    linked = scenario.linked(scenario.admin, scenario.open)

    assert linked.get(f"/api/rooms/{scenario.open}").json()["role"] == "viewer"
    for path in ("/api/users", "/api/jobs", "/api/workers"):
        the_problem(linked.get(path), 403, "forbidden")
    the_problem(scenario.admin.post(f"/api/rooms/{scenario.room}/view-link"), 403, "forbidden")


def test_it_does_not_show_what_its_maker_typed_and_uses(scenario: AccessScenario) -> None:
    values = f"/api/rooms/{scenario.room}/extensions/analysis/Echo/data"
    linked = scenario.linked(scenario.member, scenario.room)

    assert scenario.member.get(values).json()["data"] is not None
    assert linked.get(values).json()["data"] is None
    assert linked.get("/api/users/me").json()["usage"] == {}


def test_its_token_cannot_end_the_session_of_who_made_it(scenario: AccessScenario) -> None:
    maker = scenario.person("maker")
    linked = scenario.linked(maker, scenario.open)

    for body in ({}, {"all": True}):
        the_problem(linked.post("/api/token/revoke", json=body), 403, "forbidden")
    the_problem(linked.request("PATCH", "/api/users/me", json={"display_name": "Somebody"}), 403, "forbidden")
    assert maker.get("/api/users/me").status_code == 200


def test_its_token_ends_with_the_session_of_who_made_it(scenario: AccessScenario) -> None:
    maker = scenario.person("maker")
    linked, later = scenario.linked(maker, scenario.open), ticket_of(maker, scenario.open)
    assert maker.post("/api/token/revoke", json={}).status_code == 200

    the_problem(linked.get(f"/api/rooms/{scenario.open}"), 401, "unauthenticated")
    the_problem(log_in(scenario, later), 401, "unauthenticated")


def test_its_token_ends_when_the_room_no_longer_admits_its_maker(scenario: AccessScenario) -> None:
    room = scenario.fresh_room()
    linked = scenario.linked(scenario.member, room)
    assert linked.get(f"/api/rooms/{room}").status_code == 200
    assert scenario.owner.delete(f"/api/rooms/{room}/members/{scenario.member.user}").status_code == 200

    the_problem(linked.get(f"/api/rooms/{room}"), 404, "room_not_found")


def test_a_renewed_token_is_valid_for_an_hour_again(scenario: AccessScenario) -> None:
    linked = scenario.linked(scenario.owner, scenario.room)

    renewed = linked.post("/api/token/renew").json()

    assert (renewed["role"], renewed["room"]) == ("viewer", scenario.room)
    left = datetime.fromisoformat(renewed["expires_at"]).timestamp() - time.time()
    assert 0 < left <= 3600


async def test_a_link_of_a_guest_is_not_renewed_where_guests_are_switched_off(tmp_path: Path) -> None:
    clock = SystemClock()
    store = SqliteStore(tmp_path / "workroom.db", LIVENESS, clock=clock)
    tokens = Tokens(b"k" * 32, 1.0, guests=False)
    accounts = Accounts(store, tokens, clock, lambda: None, Passwords(), guests=False)
    for user, role in (("gus", Role.GUEST), ("ada", Role.USER)):
        await store.add_account(Account(user, role))
    linked = [Principal(user, Role.VIEWER, room="lab") for user in ("gus", "ada")]

    with pytest.raises(Forbidden):
        await accounts.renew(linked[0])
    assert (await accounts.renew(linked[1])).who.role is Role.VIEWER
    await store.aclose()
