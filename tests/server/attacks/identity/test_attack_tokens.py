"""Tokens that were forged, have run out, were revoked, or are used for what they are not for."""

from __future__ import annotations

import base64
import hmac
import json
import time
from typing import Any

import jwt
import pytest
import socketio

from support.access_scenario import PASSWORD, AccessScenario, signed
from support.users import Person, extension, the_problem
from workroom.testing.processes import eventually


def part(value: dict[str, Any]) -> str:
    return base64.urlsafe_b64encode(json.dumps(value).encode()).decode().rstrip("=")


def forgeries(scenario: AccessScenario) -> dict[str, str]:
    head, claims, signature = scenario.guest.token.split(".")
    told = json.loads(base64.urlsafe_b64decode(claims + "=="))
    admin = {**told, "role": "admin", "sub": "admin", "epoch": 1}
    return {
        "alg none": f"{part({'alg': 'none', 'typ': 'JWT'})}.{part(admin)}.",
        "alg None with a signature": f"{part({'alg': 'None', 'typ': 'JWT'})}.{part(admin)}.{signature}",
        "an edited role": f"{head}.{part({**told, 'role': 'admin'})}.{signature}",
        "an edited name": f"{head}.{part({**told, 'sub': 'admin'})}.{signature}",
        "no signature": f"{head}.{claims}.",
        "another key": jwt.encode(admin, b"0" * 32, "HS256"),
        "another algorithm": _hs512(admin, _key(scenario)),
        "expired": signed(scenario.server, exp=int(time.time()) - 1),
        "another audience": signed(scenario.server, aud="elsewhere"),
        "a ticket's audience": signed(scenario.server, aud="workroom:stream"),
        "another issuer": signed(scenario.server, iss="elsewhere"),
        "an older epoch": signed(scenario.server, epoch=0),
        "a later epoch": signed(scenario.server, epoch=99),
        "no such role": signed(scenario.server, role="god"),
        "no name": signed(scenario.server, sub=None),
        "a job's, by its name": signed(scenario.server, role="job") + ".x",
        "a job's, guessed": f"job.{scenario.item['job_id']}.{scenario.item['attempt']}.{'0' * 32}",
        "a job's, later attempt": f"job.{scenario.item['job_id']}.2.{scenario.item['token']}",
        "a job's, odd number": f"job.{scenario.item['job_id']}.²{'9' * 5000}.{scenario.item['token']}",
    }


def _hs512(claims: dict[str, Any], key: bytes) -> str:
    signing = f"{part({'alg': 'HS512', 'typ': 'JWT'})}.{part(claims)}"
    digest = hmac.digest(key, signing.encode(), "sha512")
    return f"{signing}.{base64.urlsafe_b64encode(digest).decode().rstrip('=')}"


def _key(scenario: AccessScenario) -> bytes:
    return bytes.fromhex((scenario.server.data_dir / "signing.key").read_text())


def test_a_token_of_the_right_form_and_key_counts(scenario: AccessScenario) -> None:
    """So that the forgeries below fail for their reason."""
    who = scenario.bearer("admin", signed(scenario.server))

    assert who.get("/api/users/me").json()["role"] == "admin"


def test_no_forgery_is_taken_by_rest_or_socket(scenario: AccessScenario) -> None:
    for name, token in forgeries(scenario).items():
        forger = scenario.bearer("forger", None)
        answer = forger.get("/api/users/me", headers={b"Authorization": f"Bearer {token}".encode()})
        assert answer.status_code == 401, name
        assert answer.json()["code"] == "unauthenticated"
        forger.token = token
        with pytest.raises(socketio.exceptions.ConnectionError):
            forger.listen()


def test_a_ticket_is_not_a_token(scenario: AccessScenario) -> None:
    ticket = scenario.guest.post("/api/stream-ticket").json()["ticket"]

    the_problem(scenario.bearer("guest", ticket).get("/api/users/me"), 401, "unauthenticated")


def account(scenario: AccessScenario, name: str) -> Person:
    answer = scenario.admin.post("/api/users", json={"name": name, "password": PASSWORD})
    assert answer.status_code == 201, answer.text
    return scenario.login(name, PASSWORD)


@pytest.mark.parametrize(
    ("change", "comes_back"),
    [({"disabled": True}, False), ({"role": "admin"}, True), ({"role": "guest"}, True)],
)
def test_a_changed_account_is_disconnected_and_its_tokens_are_revoked(
    scenario: AccessScenario, change: dict[str, Any], comes_back: bool
) -> None:
    somebody = account(scenario, f"changed-{time.monotonic_ns()}")
    cut, stranger = somebody.listen(), scenario.guest.listen()
    assert scenario.admin.request("PATCH", f"/api/users/{somebody.user}", json=change).status_code == 200

    eventually(lambda: not cut.is_connected, what="the socket being cut")
    stranger.flush()
    the_problem(somebody.get("/api/users/me"), 401, "unauthenticated")
    again = scenario.nobody.post("/api/login", json={"name": somebody.user, "password": PASSWORD})
    assert again.status_code == (200 if comes_back else 401)
    if comes_back:
        assert again.json()["role"] == change["role"]


def test_a_machine_enters_no_room_and_reads_no_jobs(scenario: AccessScenario) -> None:
    """Its account is a member of the room, its worker runs the job: still it only works."""
    machine, job = scenario.worker, scenario.item["job_id"]

    the_problem(machine.get(f"/api/rooms/{scenario.room}"), 404, "room_not_found")
    the_problem(machine.get(f"/api/jobs/{job}"), 404, "job_not_found")
    the_problem(machine.get(f"/api/users/{machine.user}/jobs"), 404, "job_not_found")
    the_problem(machine.submit(scenario.open, "Nap"), 404, "room_not_found")
    the_problem(machine.submit("a-room-of-my-own", "Nap"), 404, "room_not_found")
    assert machine.items(f"/api/workers/{scenario.hand.id}/jobs") == []
    assert machine.listen().call("job:watch", {"job_id": job})["error"]["code"] == "job_not_found"


def test_only_admins_offer_to_everyone(scenario: AccessScenario) -> None:
    for person in (scenario.guest, scenario.user, scenario.owner, scenario.job):
        the_problem(person.register(extension(None, "Mine")), 403, "forbidden")


def test_nobody_registers_over_a_name_of_the_server(scenario: AccessScenario) -> None:
    the_problem(scenario.owner.register(extension(scenario.room, "Nap")), 409, "name_reserved")
    the_problem(scenario.admin.register(extension(None, "Nap")), 409, "name_reserved")


def test_nobody_registers_as_a_worker_of_somebody_else(scenario: AccessScenario) -> None:
    the_problem(
        scenario.owner.register(extension(scenario.room), worker_id=scenario.hand.id), 403, "forbidden"
    )


@pytest.mark.parametrize("name", ["member", "MEMBER", "ｍｅｍｂｅｒ"])  # noqa: RUF001
def test_a_guest_cannot_take_the_name_of_another(scenario: AccessScenario, name: str) -> None:
    taken = scenario.member.user
    wanted = taken.replace("member", name)
    answer = scenario.nobody.post("/api/login", json={"name": wanted}).json()

    assert answer["user"] != taken
    assert answer["user"].startswith(f"{taken}-")


@pytest.mark.parametrize("name", ["admin", "ADMIN", "ａｄｍｉｎ"])  # noqa: RUF001
def test_a_guest_cannot_be_called_admin(scenario: AccessScenario, name: str) -> None:
    the_problem(scenario.nobody.post("/api/login", json={"name": name}), 409, "name_taken")


@pytest.mark.parametrize(
    "name", ["me", "public", "global", "server", "system", "workroom", ".", "..", "workroom:server"]
)
def test_nobody_has_a_name_that_means_something_else(scenario: AccessScenario, name: str) -> None:
    assert scenario.nobody.post("/api/login", json={"name": name}).status_code in (409, 422)
