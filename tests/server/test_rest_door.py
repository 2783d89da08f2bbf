"""The page that the admin's link leads to, and what it does."""

from __future__ import annotations

import re

import httpx
from people import plain_http, the_problem

from workroom.testing.processes import ServerProcess

POLICY = "script-src 'self';"


def test_the_door_is_a_page_whose_parts_all_come_from_here(anyone: httpx.Client) -> None:
    page = anyone.get("/")

    assert page.headers["content-type"].startswith("text/html")
    assert POLICY in page.headers["content-security-policy"]
    assert "<script>" not in page.text
    parts = re.findall(r'(?:src|href)="([^"]+)"', page.text)
    assert len(parts) == 3
    assert all(anyone.get(part).status_code == 200 for part in parts)


def test_nothing_else_is_behind_the_door(anyone: httpx.Client) -> None:
    for name in ("index.html", "..%2fapp.py", "door.py"):
        the_problem(anyone.get(f"/door/{name}"), 404, "not_found")


def test_what_the_page_does_leads_in_and_out_by_a_cookie(server: ServerProcess) -> None:
    with plain_http(server.url) as page:
        entered = page.post("/api/login", json={"name": "visitor", "cookie": True})
        cookie = entered.headers["set-cookie"]
        assert "HttpOnly" in cookie
        assert "SameSite=strict" in cookie
        assert page.get("/api/users/me").json()["user"] == entered.json()["user"]

        page.post("/api/token/revoke", json={})

        the_problem(page.get("/api/users/me"), 401, "unauthenticated")
