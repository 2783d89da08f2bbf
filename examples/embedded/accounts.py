"""The application's own users and their sessions. Yours are in a database."""

from __future__ import annotations

import secrets
from dataclasses import dataclass
from urllib.parse import parse_qsl

from fastapi import APIRouter, HTTPException, Request
from fastapi.responses import HTMLResponse, RedirectResponse, Response
from starlette.requests import HTTPConnection

COOKIE = "session"
router = APIRouter()


@dataclass(frozen=True)
class Person:
    email: str
    name: str
    is_boss: bool = False


PEOPLE = {
    "ada": Person("ada@example.org", "Ada Lovelace", is_boss=True),
    "grace": Person("grace@example.org", "Grace Hopper"),
    "alan": Person("alan@example.org", "Alan Turing"),
}
PASSWORDS = {name: f"{name}'s password" for name in PEOPLE}
_sessions: dict[str, Person] = {}

_FORM = """<!doctype html><html lang="en"><title>Log in</title><h1>Log in</h1>
<form method="post"><label>Name <input name="name"></label>
<label>Password <input name="password" type="password"></label><button>Log in</button></form></html>"""


def person_of(connection: HTTPConnection) -> Person | None:
    """The person whose browser has sent this request or opened this WebSocket."""
    return _sessions.get(connection.cookies.get(COOKIE, ""))


@router.get("/login")
def show_form() -> HTMLResponse:
    return HTMLResponse(_FORM)


@router.post("/login")
async def log_in(request: Request) -> Response:
    form = dict(parse_qsl((await request.body()).decode()))
    name, password = form.get("name", ""), form.get("password", "")
    if not secrets.compare_digest(PASSWORDS.get(name, "").encode(), password.encode()):
        raise HTTPException(401, "the name or the password is wrong")
    session = secrets.token_urlsafe()
    _sessions[session] = PEOPLE[name]
    response = RedirectResponse("/", 303)
    response.set_cookie(COOKIE, session, httponly=True, samesite="lax")
    return response


def end_session(request: Request) -> Person | None:
    return _sessions.pop(request.cookies.get(COOKIE, ""), None)
