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
from cast import PASSWORD, Cast, signed
from people import Person, extension, the_problem

from workroom.testing.processes import eventually


def part(value: dict[str, Any]) -> str:
    return base64.urlsafe_b64encode(json.dumps(value).encode()).decode().rstrip("=")


def forgeries(cast: Cast) -> dict[str, str]:
    head, claims, signature = cast.guest.token.split(".")
    told = json.loads(base64.urlsafe_b64decode(claims + "=="))
    admin = {**told, "role": "admin", "sub": "admin", "epoch": 1}
    return {
        "alg none": f"{part({'alg': 'none', 'typ': 'JWT'})}.{part(admin)}.",
        "alg None with a signature": f"{part({'alg': 'None', 'typ': 'JWT'})}.{part(admin)}.{signature}",
        "an edited role": f"{head}.{part({**told, 'role': 'admin'})}.{signature}",
        "an edited name": f"{head}.{part({**told, 'sub': 'admin'})}.{signature}",
        "no signature": f"{head}.{claims}.",
        "another key": jwt.encode(admin, b"0" * 32, "HS256"),
        "another algorithm": _hs512(admin, _key(cast)),
        "expired": signed(cast.server, exp=int(time.time()) - 1),
        "another audience": signed(cast.server, aud="elsewhere"),
        "a ticket's audience": signed(cast.server, aud="workroom:stream", parent="x"),
        "another issuer": signed(cast.server, iss="elsewhere"),
        "an older epoch": signed(cast.server, epoch=0),
        "a later epoch": signed(cast.server, epoch=99),
        "no such role": signed(cast.server, role="god"),
        "no name": signed(cast.server, sub=None),
        "a job's, by its name": signed(cast.server, role="job") + ".x",
        "a job's, guessed": f"job.{cast.item['job_id']}.{cast.item['attempt']}.{'0' * 32}",
        "a job's, later attempt": f"job.{cast.item['job_id']}.2.{cast.item['token']}",
        "a job's, odd number": f"job.{cast.item['job_id']}.²{'9' * 5000}.{cast.item['token']}",
    }


def _hs512(claims: dict[str, Any], key: bytes) -> str:
    signing = f"{part({'alg': 'HS512', 'typ': 'JWT'})}.{part(claims)}"
    digest = hmac.digest(key, signing.encode(), "sha512")
    return f"{signing}.{base64.urlsafe_b64encode(digest).decode().rstrip('=')}"


def _key(cast: Cast) -> bytes:
    return bytes.fromhex((cast.server.data_dir / "signing.key").read_text())


def test_a_token_of_the_right_form_and_key_counts(cast: Cast) -> None:
    """So that the forgeries below fail for their reason."""
    who = cast.bearer("admin", signed(cast.server))

    assert who.get("/api/users/me").json()["role"] == "admin"


def test_no_forgery_is_taken_by_rest_or_socket(cast: Cast) -> None:
    for name, token in forgeries(cast).items():
        forger = cast.bearer("forger", None)
        answer = forger.get("/api/users/me", headers={"Authorization": f"Bearer {token}".encode()})
        assert answer.status_code == 401, name
        assert answer.json()["code"] == "unauthenticated"
        forger.token = token
        with pytest.raises(socketio.exceptions.ConnectionError):
            forger.listen()


def test_a_ticket_is_not_a_token(cast: Cast) -> None:
    ticket = cast.guest.post("/api/stream-ticket").json()["ticket"]

    the_problem(cast.bearer("guest", ticket).get("/api/users/me"), 401, "unauthenticated")


def test_a_revoked_token_is_cut_and_stays_out_while_others_stay(cast: Cast) -> None:
    thief = cast.person("thief")
    spare = cast.bearer(thief.user, thief.post("/api/token/renew").json()["token"])
    cut, kept, stranger = thief.listen(), spare.listen(), cast.guest.listen()
    assert thief.post("/api/token/revoke", json={}).status_code == 200

    eventually(lambda: not cut.is_connected, what="the socket being cut")
    the_problem(thief.get("/api/users/me"), 401, "unauthenticated")
    the_problem(thief.post("/api/token/renew"), 401, "unauthenticated")
    with pytest.raises(socketio.exceptions.ConnectionError):
        thief.listen()
    for ear in (kept, stranger):
        ear.settle()
    assert spare.get("/api/users/me").status_code == 200


def account(cast: Cast, name: str) -> Person:
    answer = cast.admin.post("/api/users", json={"name": name, "password": PASSWORD})
    assert answer.status_code == 201, answer.text
    return cast.login(name, PASSWORD)


@pytest.mark.parametrize(
    ("change", "comes_back"),
    [({"disabled": True}, False), ({"role": "admin"}, True), ({"role": "guest"}, True)],
)
def test_a_changed_account_is_cut_and_its_tokens_count_no_more(
    cast: Cast, change: dict[str, Any], comes_back: bool
) -> None:
    somebody = account(cast, f"changed-{time.monotonic_ns()}")
    cut, stranger = somebody.listen(), cast.guest.listen()
    assert cast.admin.request("PATCH", f"/api/users/{somebody.user}", json=change).status_code == 200

    eventually(lambda: not cut.is_connected, what="the socket being cut")
    stranger.settle()
    the_problem(somebody.get("/api/users/me"), 401, "unauthenticated")
    again = cast.nobody.post("/api/login", json={"name": somebody.user, "password": PASSWORD})
    assert again.status_code == (200 if comes_back else 401)
    if comes_back:
        assert again.json()["role"] == change["role"]


def test_a_machine_enters_no_room_and_reads_no_jobs(cast: Cast) -> None:
    """Its account is a member of the room, its worker runs the job: still it only works."""
    machine, job = cast.worker, cast.item["job_id"]

    the_problem(machine.get(f"/api/rooms/{cast.room}"), 404, "room_not_found")
    the_problem(machine.get(f"/api/jobs/{job}"), 404, "job_not_found")
    the_problem(machine.get(f"/api/users/{machine.user}/jobs"), 404, "job_not_found")
    the_problem(machine.submit(cast.open, "Nap"), 404, "room_not_found")
    the_problem(machine.submit("a-room-of-my-own", "Nap"), 404, "room_not_found")
    assert machine.items(f"/api/workers/{cast.hand.id}/jobs") == []
    assert machine.listen().call("job:watch", {"job_id": job})["error"]["code"] == "job_not_found"


def test_only_admins_offer_to_everyone(cast: Cast) -> None:
    for person in (cast.guest, cast.user, cast.owner, cast.job):
        the_problem(person.register(extension(None, "Mine")), 403, "forbidden")


def test_nobody_registers_over_a_name_of_the_server(cast: Cast) -> None:
    the_problem(cast.owner.register(extension(cast.room, "Nap")), 409, "name_reserved")
    the_problem(cast.admin.register(extension(None, "Nap")), 409, "name_reserved")


def test_nobody_registers_as_a_worker_of_somebody_else(cast: Cast) -> None:
    the_problem(cast.owner.register(extension(cast.room), worker_id=cast.hand.id), 403, "forbidden")


@pytest.mark.parametrize("name", ["member", "MEMBER", "ｍｅｍｂｅｒ"])  # noqa: RUF001
def test_a_guest_cannot_take_the_name_of_another(cast: Cast, name: str) -> None:
    taken = cast.member.user
    wanted = taken.replace("member", name)
    answer = cast.nobody.post("/api/login", json={"name": wanted}).json()

    assert answer["user"] != taken
    assert answer["user"].startswith(f"{taken}-")


@pytest.mark.parametrize("name", ["admin", "ADMIN", "ａｄｍｉｎ"])  # noqa: RUF001
def test_a_guest_cannot_be_called_admin(cast: Cast, name: str) -> None:
    answer = cast.nobody.post("/api/login", json={"name": name}).json()

    assert (answer["role"], answer["user"] == "admin") == ("guest", False)


@pytest.mark.parametrize(
    "name", ["me", "public", "global", "server", "system", "workroom", ".", "..", "workroom:server"]
)
def test_nobody_has_a_name_that_means_something_else(cast: Cast, name: str) -> None:
    assert cast.nobody.post("/api/login", json={"name": name}).status_code == 422
