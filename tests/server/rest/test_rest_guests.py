"""Guests who return: the same name and secret are the same guest."""

from __future__ import annotations

import secrets

import httpx
import pytest

from support.users import the_problem
from workroom.testing.processes import ADMIN_PASSWORD

pytestmark = pytest.mark.either_mode


@pytest.fixture
def name() -> str:
    return f"guest{secrets.token_hex(4)}"


@pytest.fixture
def secret() -> str:
    return secrets.token_urlsafe(32)


@pytest.fixture
def admin(anyone: httpx.Client) -> dict[str, str]:
    answer = login(anyone, name="admin", password=ADMIN_PASSWORD)
    return {"Authorization": f"Bearer {answer.json()['token']}"}


def login(anyone: httpx.Client, **body: object) -> httpx.Response:
    return anyone.post("/api/login", json=body)


def test_the_same_name_and_secret_are_the_same_guest(anyone: httpx.Client, name: str, secret: str) -> None:
    users = [login(anyone, name=name, secret=secret).json()["user"] for _ in range(3)]

    assert users == [name] * 3


def test_a_name_without_its_secret_is_taken(anyone: httpx.Client, name: str, secret: str) -> None:
    login(anyone, name=name, secret=secret)

    others = [
        login(anyone, name=name).json()["user"],
        login(anyone, name=name, secret="x" * 16).json()["user"],
    ]

    assert others == [f"{name}-2", f"{name}-3"]
    assert login(anyone, name=name, secret="x" * 16).json()["user"] == f"{name}-3"
    assert login(anyone, name=name, secret=secret).json()["user"] == name


@pytest.mark.parametrize("short", ["", "x" * 15, "x" * 201, 7])
def test_a_secret_that_could_be_guessed_or_is_too_long_is_refused(
    anyone: httpx.Client, name: str, short: object
) -> None:
    problem = the_problem(login(anyone, name=name, secret=short), 422, "invalid_request")

    assert [fault["path"] for fault in problem["errors"]] == ["/secret"]


def test_a_secret_is_no_password(anyone: httpx.Client, name: str, secret: str, admin: dict[str, str]) -> None:
    guest = login(anyone, name=name, secret=secret).json()

    the_problem(login(anyone, name=name, password=secret), 401, "unauthenticated")
    change = {"current_password": secret, "password": "another password"}
    mine = {"Authorization": f"Bearer {guest['token']}"}
    the_problem(anyone.post("/api/users/me/password", json=change, headers=mine), 403, "forbidden")
    account = anyone.patch(f"/api/users/{name}", json={"disabled": False}, headers=admin).json()
    assert account["has_password"] is False


@pytest.mark.parametrize("change", [{"disabled": True}, {"role": "user", "password": "open sesame"}])
def test_a_secret_opens_no_account_that_was_disabled_or_promoted(
    anyone: httpx.Client, name: str, secret: str, admin: dict[str, str], change: dict[str, object]
) -> None:
    login(anyone, name=name, secret=secret)
    assert anyone.patch(f"/api/users/{name}", json=change, headers=admin).status_code == 200

    answer = login(anyone, name=name, secret=secret)

    assert answer.status_code == 403 or answer.json()["user"] != name
