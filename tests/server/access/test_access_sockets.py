"""Who may say what over a socket: the whole table."""

from __future__ import annotations

import inspect
import re
from typing import Any

import pytest
import socketio

from support.access_scenario import CALLERS, AccessScenario, filled, rows
from support.users import lines
from workroom.server.sockets import (
    exchange_handlers,
    handlers,
    job_handlers,
    lock_handlers,
    subscription_handlers,
    worker_handlers,
)

# `in` is let in; else the code of the refusal. Who is not let in when connecting hears so then.
IN, ROOM, JOB, WORKER = "in", "room_not_found", "job_not_found", "worker_not_found"
WORDS = {
    "401": "unauthenticated",
    "403": "forbidden",
    "room": ROOM,
    "job": JOB,
    "worker": WORKER,
    "first": "no_session",
    "lost": "lock_lost",
    "in": IN,
}

# what                    nobody guest  user   viewer member owner worker other  job    expired admin
TABLE = """
worker:hello                 401 worker worker 403    403    403   in     worker worker 401     in
worker:heartbeat             401 first  first  first  first  first first  first  first  401     first
worker:ask                   401 first  first  first  first  first first  first  first  401     first
job:start                    401 first  first  first  first  first first  first  first  401     first
job:progress                 401 first  first  first  first  first first  first  first  401     first
job:log                      401 first  first  first  first  first first  first  first  401     first
job:finish                   401 first  first  first  first  first first  first  first  401     first
job:external                 401 first  first  first  first  first first  first  first  401     first
job:intend                   401 first  first  first  first  first first  first  first  401     first
job:ask                      401 first  first  first  first  first first  first  first  401     first
job:suspend                  401 first  first  first  first  first first  first  first  401     first
job:release                  401 first  first  first  first  first first  first  first  401     first
token:renew                  401 in     403    403    403    403   403    403    403    401     403
room:join                    401 room   room   in     in     in    room   room   in     401     in
room:join#open               401 in     in     in     in     in    room   room   room   401     in
room:leave                   401 in     in     in     in     in    in     in     in     401     in
job:watch                    401 job    job    in     in     in    job    job    in     401     in
job:watch#with_a_job_s_token 401 in     in     in     in     in    in     in     in     401     in
job:wait                     401 job    job    in     in     in    job    job    in     401     in
job:wait#with_a_job_s_token  401 in     in     in     in     in    in     in     in     401     in
job:submit                   401 room   room   403    in     in    room   room   in     401     in
job:submit#raised            401 room   room   403    403    in    room   room   403    401     in
job:submit#open              401 in     in     in     in     in    room   room   room   401     in
job:unwatch                  401 in     in     in     in     in    in     in     in     401     in
fleet:watch                  401 403    403    403    403    403   403    403    403    401     in
lock:acquire                 401 room   room   403    in     in    room   room   in     401     in
lock:acquire#open            401 in     in     in     in     in    room   room   room   401     in
lock:refresh                 401 room   room   403    lost   lost  room   room   lost   401     lost
lock:message                 401 room   room   403    lost   lost  room   room   lost   401     lost
lock:msg                     401 room   room   403    lost   lost  room   room   lost   401     lost
lock:release                 401 room   room   in     in     in    room   room   in     401     in
lock:break                   401 room   room   403    403    in    room   room   403    401     in
no:such_event                401 none   none   none   none   none  none   none   none   401     none
"""
_FENCE = {"job_id": "{job}", "attempt": 1, "token": "not the token"}
_LOCK_TOKEN = "a-token-of-a-lock"
_LOCK = {"room": "{room}", "target": "nothing", "token": _LOCK_TOKEN}
_ECHO = {"category": "analysis", "name": "Echo", "data": {}}
BODIES: dict[str, Any] = {
    "worker:hello": {"worker_id": "{fresh_worker}", "boot_id": "a first boot"},
    "worker:heartbeat": {"session": 1},
    "worker:ask": {"session": 1},
    "job:start": [{**_FENCE, "nonce": "a nonce of mine"}],
    "job:progress": [_FENCE],
    "job:log": [{**_FENCE, "lines": lines("hello")}],
    "job:finish": [{**_FENCE, "status": "completed"}],
    "job:release": [{**_FENCE, "nonce": "a nonce of mine"}],
    "job:external": [{**_FENCE, "provider": "leonardo", "id": "g-1"}],
    "job:intend": [{**_FENCE, "provider": "leonardo", "digest": "d-1"}],
    "job:ask": [{**_FENCE, "key": "keep", "text": "Keep it?", "schema": {"type": "object"}}],
    "job:suspend": [{**_FENCE, "waits": None}],
    "token:renew": {"token": "{guests_token}"},
    "room:join": {"room": "{room}"},
    "room:join#open": {"room": "{open}"},
    "room:leave": {"room": "{room}"},
    "job:watch": {"job_id": "{job}"},
    "job:watch#with_a_job_s_token": {"job_id": "{job}", "token": "{jobs_token}"},
    "job:wait": {"job_id": "{job}", "seconds": 0},
    "job:wait#with_a_job_s_token": {"job_id": "{job}", "seconds": 0, "token": "{jobs_token}"},
    "job:submit": {"room": "{room}", **_ECHO},
    "job:submit#raised": {"room": "{room}", **_ECHO, "priority": 9},
    "job:submit#open": {"room": "{open}", **_ECHO, "name": "Nap"},
    "job:unwatch": {"job_id": "{job}"},
    "lock:acquire": {"room": "{room}", "target": "{name}", "token": _LOCK_TOKEN},
    "lock:acquire#open": {"room": "{open}", "target": "{name}", "token": _LOCK_TOKEN},
    "lock:refresh": _LOCK,
    "lock:message": {**_LOCK, "message": "hello"},
    "lock:msg": {**_LOCK, "message": "hello"},
    "lock:release": _LOCK,
    "lock:break": {"room": "{room}", "target": "nothing"},
}
ROWS = rows(TABLE)


def answer(scenario: AccessScenario, caller: str, what: str) -> str:
    tokens = {"guests_token": lambda: scenario.guest.token, "jobs_token": lambda: scenario.job.token}
    person = getattr(scenario, caller)
    try:
        ear = person.listen()
    except socketio.exceptions.ConnectionError:
        assert person.get("/api/users/me").status_code == 401
        return "unauthenticated"
    body = filled(BODIES.get(what), {**scenario.things(), **tokens})
    said = ear.call(what.partition("#")[0], body)
    ear.close()
    return str(said["error"]["code"]) if "error" in said else IN


@pytest.mark.parametrize("what", ROWS)
def test_everybody_gets_the_answer_of_the_table(scenario: AccessScenario, what: str) -> None:
    expected = {caller: WORDS.get(word, "not_found") for caller, word in ROWS[what].items()}

    assert {caller: answer(scenario, caller, what) for caller in CALLERS} == expected


def test_no_event_is_without_a_row() -> None:
    modules = (
        handlers,
        exchange_handlers,
        job_handlers,
        lock_handlers,
        subscription_handlers,
        worker_handlers,
    )
    source = "".join(map(inspect.getsource, modules))
    events = re.findall(r'"([a-z]+:[a-z_]+)": self\._', source)

    assert len(events) > 10
    assert set(events) <= {what.partition("#")[0] for what in ROWS}


@pytest.mark.parametrize(
    "event",
    [
        *("job:start", "job:progress", "job:log", "job:finish"),
        *("job:external", "job:intend", "job:ask", "job:suspend"),
    ],
)
def test_a_worker_cannot_speak_for_the_attempt_of_another(scenario: AccessScenario, event: str) -> None:
    """Even with the right fence: it is the worker that the attempt was given to who speaks for it."""
    stranger = scenario.owner.speak_for(scenario.owner.register(_echo(scenario.room)).json()["worker_id"])
    fence = {name: scenario.item[name] for name in ("job_id", "attempt", "token")}
    guessed = {**fence, "token": "0" * len(fence["token"])}
    more: dict[str, dict[str, Any]] = {
        "job:start": {"nonce": stranger.nonce},
        "job:log": {"lines": lines("hello")},
        "job:finish": {"status": "failed"},
        "job:external": {"provider": "leonardo", "id": "g-1"},
        "job:intend": {"provider": "leonardo", "digest": "d-1"},
        "job:ask": {"key": "keep", "text": "Keep it?", "schema": {"type": "object"}},
        "job:suspend": {"waits": {"code": "answer", "of": "1"}},
    }

    for tried in (fence, guessed):
        (refusal,) = stranger.call(event, [{**tried, **more.get(event, {})}])["answers"]
        assert refusal["code"] == "stale_attempt"
    assert scenario.member.job(fence["job_id"])["status"] == "running"


def _echo(room: str) -> dict[str, Any]:
    return {"category": "analysis", "name": "Echo", "schema": {"type": "object"}, "room": room}
