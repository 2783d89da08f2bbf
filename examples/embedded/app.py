"""uvicorn examples.embedded.app:app

Log in at / as ada, with the password "ada's password".
"""

from __future__ import annotations

from collections.abc import AsyncIterator
from contextlib import asynccontextmanager
from html import escape
from typing import Annotated, Any

from fastapi import Depends, FastAPI, HTTPException, Request
from fastapi.responses import HTMLResponse, RedirectResponse, Response
from starlette.requests import HTTPConnection

import workroom

from .accounts import Person, end_session, person_of, router
from .tools import CountWords


def my_user(connection: HTTPConnection) -> workroom.User | None:
    """Who has sent a request to Workroom."""
    person = person_of(connection)
    return None if person is None else user_of(person)


def user_of(person: Person) -> workroom.User:
    return workroom.User(person.email, person.name, admin=person.is_boss)


jobs = workroom.create_app(
    workroom.Settings(extensions=["examples.embedded.tools"], packs=[], rooms=["library"]),
    identify=my_user,
    login_url="/login",
    logout_url="/logout",
)


@asynccontextmanager
async def lifespan(app: FastAPI) -> AsyncIterator[None]:
    async with jobs.lifespan(app):
        yield


app = FastAPI(lifespan=lifespan)
app.include_router(router)
app.mount("/jobs", jobs)


def current_person(request: Request) -> Person:
    person = person_of(request)
    if person is None:
        raise HTTPException(401, "log in first")
    return person


CurrentPerson = Annotated[Person, Depends(current_person)]


@app.get("/")
def home(person: CurrentPerson) -> HTMLResponse:
    return HTMLResponse(
        f"""<!doctype html><html lang="en"><title>Library</title><h1>Hello {escape(person.name)}</h1>
        <a href="/jobs/rooms/library">Tools</a> <a href="/logout">Log out</a></html>"""
    )


@app.get("/logout")
async def log_out(request: Request) -> Response:
    person = end_session(request)
    if person is not None:
        await jobs.end_sessions(user_of(person))  # open pages lose their connection now
    return RedirectResponse("/login", 303)


@app.post("/texts")
async def count(text: str, person: CurrentPerson, request: Request) -> dict[str, Any]:
    """Submit a job for the person who has sent the request, and wait for its result."""
    async with jobs.room("library", request) as room:
        job = await room.submit(CountWords(text=text))
        return {"job": job.id, "result": await job.result(timeout=30)}


@app.post("/texts/later", status_code=202)
def count_later(text: str, person: CurrentPerson, request: Request) -> dict[str, str]:
    """The same in a handler that runs in a thread, without waiting."""
    with jobs.sync_room("library", request) as room:
        return {"job": room.submit(CountWords(text=text)).id}
