"""The users of an application are users here, and nobody is taken for somebody else."""

from __future__ import annotations

from collections.abc import AsyncIterator, Awaitable, Callable
from contextlib import asynccontextmanager
from pathlib import Path
from typing import Any

import httpx
import pytest
from fastapi import FastAPI, HTTPException
from starlette.requests import HTTPConnection

from workroom import EmbeddedApp, Settings, User, create_app

OpenApp = Callable[..., Any]


@pytest.fixture
def open_app(tmp_path: Path) -> OpenApp:
    @asynccontextmanager
    async def open_app(identify: Any, path: str = "/jobs") -> AsyncIterator[httpx.AsyncClient]:
        jobs = create_app(Settings(data_dir=tmp_path / "data", packs=[], workers=0), identify=identify)
        outer = FastAPI(lifespan=jobs.lifespan)
        outer.mount(path, jobs)
        async with outer.router.lifespan_context(outer), client_of(outer, path) as client:
            yield client

    return open_app


def client_of(app: FastAPI, path: str = "/jobs", root: str = "") -> httpx.AsyncClient:
    transport = httpx.ASGITransport(app, raise_app_exceptions=False, root_path=root)
    return httpx.AsyncClient(transport=transport, base_url=f"http://site.example{path}")


def from_headers(connection: HTTPConnection) -> User | None:
    user, name = (connection.headers.get(header, "") for header in ("x-user", "x-name"))
    return User(user, name, admin="x-admin" in connection.headers) if user else None


async def me(client: httpx.AsyncClient, user: str, name: str = "", **more: str) -> dict[str, Any]:
    headers = {"x-user": user, "x-name": name, **{f"x-{key}": value for key, value in more.items()}}
    found: dict[str, Any] = (await client.get("/api/users/me", headers=headers)).json()
    return found


async def test_ids_that_are_no_ids_here_stay_apart(open_app: OpenApp) -> None:
    async with open_app(from_headers) as client:
        ids = ["bob", "Bob", "BOB", "b o b", "b-o-b", "bob@example.org", "7", "x" * 900, "x" * 901]
        accounts = [(await me(client, user))["user"] for user in ids]
        again = [(await me(client, user))["user"] for user in ids]

    assert len(set(accounts)) == len(ids)
    assert accounts == again
    assert (accounts[0], accounts[5], accounts[6]) == ("bob", "bob@example.org", "7")


async def test_a_user_whose_id_is_that_of_an_account_made_here_gets_another(open_app: OpenApp) -> None:
    async with open_app(from_headers) as client:
        made = (await me(client, "B O B"))["user"]
        thief = await me(client, made)
        named_admin, named_system = await me(client, "admin"), await me(client, "system")

    assert thief["user"] != made
    assert named_admin["user"] != "admin"
    assert named_admin["role"] == "user"
    assert named_system["user"] != "system"


async def test_two_users_may_have_one_name(open_app: OpenApp) -> None:
    async with open_app(from_headers) as client:
        first = await me(client, "u-1", "John Smith")
        second = await me(client, "u-2", "John Smith")
        impostor = await me(client, "u-3", "Admin")

    assert (first["display_name"], second["display_name"]) == ("John Smith", "u-2")
    assert impostor["display_name"] == "u-3"


async def test_a_changed_name_is_shown(open_app: OpenApp) -> None:
    async with open_app(from_headers) as client:
        await me(client, "u-1", "Grace Murray")

        assert (await me(client, "u-1", "Grace Hopper"))["display_name"] == "Grace Hopper"


async def test_an_admin_is_one_for_as_long_as_the_application_says_so(open_app: OpenApp) -> None:
    async with open_app(from_headers) as client:
        assert (await me(client, "ada", admin="1"))["role"] == "admin"
        assert (await me(client, "ada"))["role"] == "user"
        assert (await client.get("/api/users", headers={"x-user": "ada"})).status_code == 403


async def test_a_user_that_an_admin_disabled_stays_outside(open_app: OpenApp) -> None:
    async with open_app(from_headers) as client:
        await me(client, "mallory")
        disabled = await client.patch(
            "/api/users/mallory", json={"disabled": True}, headers={"x-user": "ada", "x-admin": "1"}
        )
        assert disabled.status_code == 200

        refused = await client.get("/api/users/me", headers={"x-user": "mallory"})
        assert (refused.status_code, refused.json()["code"]) == (403, "forbidden")


def in_thread(connection: HTTPConnection) -> User:
    return User("ada")


async def in_coroutine(connection: HTTPConnection) -> User:
    return User("ada")


def as_awaitable(connection: HTTPConnection) -> Awaitable[User]:
    return in_coroutine(connection)


class Authenticator:
    async def __call__(self, connection: HTTPConnection) -> User:
        return User("ada")


@pytest.mark.parametrize("identify", [in_thread, in_coroutine, as_awaitable, Authenticator()])
async def test_who_identifies_may_be_a_function_or_a_coroutine(open_app: OpenApp, identify: Any) -> None:
    async with open_app(identify) as client:
        assert (await client.get("/api/users/me")).json()["user"] == "ada"


def refuse(connection: HTTPConnection) -> User:
    raise HTTPException(401, "log in first")


def fail(connection: HTTPConnection) -> User:
    raise ZeroDivisionError


def misunderstand(connection: HTTPConnection) -> Any:
    return {"id": "ada"}


@pytest.mark.parametrize(("identify", "status"), [(refuse, 401), (fail, 500), (misunderstand, 500)])
async def test_without_a_user_nothing_is_shown(open_app: OpenApp, identify: Any, status: int) -> None:
    async with open_app(identify) as client:
        assert (await client.get("/api/users/me")).status_code == status
        assert (await client.get("/")).status_code == 200


@pytest.mark.parametrize("path", ["/jobs", "/api", "/api/rooms", "/a b/ü"])
async def test_any_prefix_will_do(open_app: OpenApp, path: str) -> None:
    async with open_app(from_headers, path) as client:
        assert (await me(client, "ada"))["user"] == "ada"
        headers = {"x-user": "ada"}
        made = await client.post("/api/rooms", json={"name": "lab"}, headers=headers)
        assert made.status_code == 201
        large = {"data": {"text": "x" * 2_000_000}}
        refused = await client.post("/api/rooms/lab/extensions/a/b/submit", json=large, headers=headers)
        assert refused.status_code == 413


@pytest.mark.parametrize("path", ["/jobs", "/site/jobs"])
async def test_a_prefix_that_a_proxy_removes_is_part_of_the_addresses(tmp_path: Path, path: str) -> None:
    jobs = create_app(Settings(data_dir=tmp_path / "data", packs=[], workers=0), identify=from_headers)
    outer = FastAPI(lifespan=jobs.lifespan)
    outer.mount("/jobs", jobs)
    async with outer.router.lifespan_context(outer), client_of(outer, path, root="/site") as client:
        assert (await me(client, "ada"))["user"] == "ada"
        assert 'content="/site/jobs"' in (await client.get("/rooms/lab")).text


async def test_without_its_lifespan_it_says_what_to_write(
    tmp_path: Path, caplog: pytest.LogCaptureFixture
) -> None:
    jobs: EmbeddedApp = create_app(Settings(data_dir=tmp_path / "data"), identify=from_headers)
    outer = FastAPI()
    outer.mount("/jobs", jobs)
    async with client_of(outer) as client:
        refused = [await client.get(path) for path in ("/", "/api/rooms")]

    assert [each.status_code for each in refused] == [503, 503]
    assert "FastAPI(lifespan=jobs.lifespan)" in refused[0].json()["detail"]
    assert [record.levelname for record in caplog.records if "was not started" in record.message] == ["ERROR"]


async def test_two_applications_do_not_share_a_data_directory(open_app: OpenApp) -> None:
    async with open_app(from_headers):
        with pytest.raises(Exception, match="another server uses"):
            async with open_app(from_headers):
                pass
