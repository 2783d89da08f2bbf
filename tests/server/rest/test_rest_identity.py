"""Who is asking, and how they prove it."""

from __future__ import annotations

import base64
import json

import httpx
import pytest

from support.users import Person, the_problem
from workroom.testing.processes import ADMIN_PASSWORD

pytestmark = pytest.mark.either_mode


def login(anyone: httpx.Client, **body: object) -> httpx.Response:
    return anyone.post("/api/login", json=body)


def me(anyone: httpx.Client, authorization: str | None) -> httpx.Response:
    headers = {} if authorization is None else {"Authorization": authorization}
    return anyone.get("/api/users/me", headers=headers)


def test_a_guest_names_itself(anyone: httpx.Client) -> None:
    answer = login(anyone, name="grace.hopper@navy").json()

    assert (answer["user"], answer["role"]) == ("grace.hopper@navy", "guest")
    seen = me(anyone, f"Bearer {answer['token']}").json()
    assert (seen["user"], seen["role"]) == ("grace.hopper@navy", "guest")


def test_the_password_makes_an_admin(anyone: httpx.Client) -> None:
    answer = login(anyone, name="admin", password=ADMIN_PASSWORD).json()

    assert answer["role"] == "admin"
    assert me(anyone, f"bearer {answer['token']}").json()["role"] == "admin"


def test_a_wrong_password_gives_no_token_at_all(anyone: httpx.Client) -> None:
    the_problem(login(anyone, name="root", password="guess"), 401, "unauthenticated")


@pytest.mark.parametrize("name", ["", "x" * 201, 7])
def test_what_cannot_be_a_name_is_refused(anyone: httpx.Client, name: object) -> None:
    problem = the_problem(login(anyone, name=name), 422, "invalid_request")

    assert [fault["path"] for fault in problem["errors"]] == ["/name"]


def test_nobody_can_log_in_as_the_server_itself(anyone: httpx.Client, ada: Person, room: str) -> None:
    """Who had the name that owns the server's extensions could stop or replace its workers."""
    owners = {
        each["owner"] for each in ada.items(f"/api/rooms/{room}/extensions") if each["runner"] != "remote"
    }

    assert len(owners) == 1
    assert login(anyone, name=owners.pop()).status_code in (401, 403, 422)


def test_no_token_is_a_problem_with_advice(anyone: httpx.Client) -> None:
    problem = the_problem(me(anyone, None), 401, "unauthenticated")

    assert "log in" in problem["detail"]


@pytest.mark.parametrize(
    "authorization",
    ["", "Bearer", "Bearer x", "Bearer a.b.c", "Basic YWRhOng=", "token", f"Bearer {'x' * 9000}"],
)
def test_a_garbage_token_is_refused(anyone: httpx.Client, authorization: str) -> None:
    the_problem(me(anyone, authorization), 401, "unauthenticated")


def test_a_token_whose_role_was_raised_by_hand_is_refused(ada: Person, anyone: httpx.Client) -> None:
    head, claims, signature = ada.token.split(".")
    raised = json.loads(base64.urlsafe_b64decode(claims + "==")) | {"role": "admin"}
    forged = base64.urlsafe_b64encode(json.dumps(raised).encode()).decode().rstrip("=")

    the_problem(me(anyone, f"Bearer {head}.{forged}.{signature}"), 401, "unauthenticated")


def test_a_token_without_a_signature_is_refused(ada: Person, anyone: httpx.Client) -> None:
    _, claims, _ = ada.token.split(".")
    head = base64.urlsafe_b64encode(b'{"alg":"none","typ":"JWT"}').decode().rstrip("=")

    the_problem(me(anyone, f"Bearer {head}.{claims}."), 401, "unauthenticated")


@pytest.mark.parametrize("path", ["/api/workers", "/api/jobs", "/api/extensions/overview"])
def test_lists_of_everything_are_for_admins(ada: Person, root: Person, path: str) -> None:
    the_problem(ada.get(path), 403, "forbidden")
    assert root.get(path).status_code == 200
