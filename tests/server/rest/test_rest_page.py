"""How the page and its parts are served."""

from __future__ import annotations

import json
import re
from pathlib import Path

import httpx
import pytest

from support.users import plain_http, the_problem
from workroom.testing.processes import ADMIN_PASSWORD, ServerProcess

pytestmark = pytest.mark.either_mode

WEB = Path(__file__).parents[3] / "web"
POLICY = "script-src 'self';"


@pytest.mark.parametrize(
    "path", ["/", "/fleet", "/join", "/rooms/demo", "/rooms/demo/run/analysis/EstimatePi"]
)
def test_every_address_of_the_page_gets_it_and_all_its_parts_come_from_here(
    anyone: httpx.Client, path: str
) -> None:
    page = anyone.get(path)

    assert page.headers["content-type"].startswith("text/html")
    assert page.headers["cache-control"] == "no-cache"
    assert POLICY in page.headers["content-security-policy"]
    assert "<script>" not in page.text
    parts = re.findall(r'(?:src|href)="([^"]+)"', page.text)
    assert len(parts) >= 3
    assert all(anyone.get(part).status_code == 200 for part in parts)


@pytest.mark.parametrize("path", ["/", "/fleet", "/rooms/demo", "/icon.svg"])
def test_head_has_the_headers_of_the_page(anyone: httpx.Client, path: str) -> None:
    head, page = anyone.head(path), anyone.get(path)

    assert (head.status_code, head.content) == (200, b"")
    assert head.headers["content-length"] == str(len(page.content))


def test_parts_are_kept_for_ever_and_travel_packed(anyone: httpx.Client) -> None:
    (script,) = re.findall(r'src="([^"]+[.]js)"', anyone.get("/").text)

    packed = anyone.get(script, headers={"Accept-Encoding": "gzip"})
    plain = anyone.get(script, headers={"Accept-Encoding": "identity"})

    assert "immutable" in packed.headers["cache-control"]
    assert packed.headers["content-encoding"] == "gzip"
    assert "content-encoding" not in plain.headers
    assert packed.content == plain.content
    assert int(packed.headers["content-length"]) < len(plain.content) / 2


@pytest.mark.parametrize("name", ["nothing.js", "..%2findex.html", "%2e%2e%2f%2e%2e%2fapp.py"])
def test_nothing_else_is_behind_the_parts(anyone: httpx.Client, name: str) -> None:
    the_problem(anyone.get(f"/assets/{name}"), 404, "not_found")


def test_the_first_view_is_less_than_350_kilobytes(anyone: httpx.Client) -> None:
    parts = re.findall(r'(?:src|href)="([^"]+)"', anyone.get("/").text)

    sizes = [int(anyone.get(part).headers["content-length"]) for part in parts]

    assert sum(sizes) < 350_000


def test_the_page_was_written_for_these_routes_and_events(anyone: httpx.Client) -> None:
    """If not, type: make types."""
    document = anyone.get("/openapi.json").json()
    del document["info"]["version"], document["components"]["securitySchemes"]

    assert document == json.loads((WEB / "src/api/openapi.json").read_text())


def test_what_the_page_does_leads_in_and_out_by_a_cookie(server: ServerProcess) -> None:
    with plain_http(server.url) as page:
        entered = page.post("/api/login", json={"name": "visitor", "cookie": True})
        cookies = entered.headers.get_list("set-cookie")
        hidden, shown = [each for each in cookies if "HttpOnly" in each], [*page.cookies]
        assert (len(hidden), len(shown)) == (1, 2)
        assert all("SameSite=strict" in each for each in cookies)
        assert entered.json()["token"] in hidden[0]
        (session,) = [name for name in shown if name.endswith("-session")]
        assert page.cookies[session] == "1"
        assert f'<meta name="session-cookie" content="{session}">' in page.get("/").text
        assert page.get("/api/users/me").json()["user"] == entered.json()["user"]

        page.post("/api/token/revoke", json={})

        assert not page.cookies
        the_problem(page.get("/api/users/me"), 401, "unauthenticated")


def test_an_admin_who_revokes_the_tokens_of_another_stays_logged_in(server: ServerProcess) -> None:
    with plain_http(server.url) as page, plain_http(server.url) as other:
        guest = other.post("/api/login", json={"name": "revoked", "cookie": True}).json()["user"]
        page.post("/api/login", json={"name": "admin", "password": ADMIN_PASSWORD, "cookie": True})

        assert page.post("/api/token/revoke", json={"user": guest}).status_code == 200

        assert page.get("/api/users/me").json()["user"] == "admin"
        the_problem(other.get("/api/users/me"), 401, "unauthenticated")
