"""Who may call which route, in a private room and in an open one: the whole table.

`viewer` may only read the private room. `worker` is a machine whose account is a member of it, `other` one
whose is not, `job` the token of a job that runs in the room, submitted by `member`. `#` tells apart rows of
one route.
"""

from __future__ import annotations

import re
from collections.abc import Iterable
from typing import Any

import httpx
import pytest

from support.access_scenario import CALLERS, AccessScenario, filled, rows, without_names
from support.users import extension, lines

# for: nobody guest user viewer member owner worker other job expired admin
PRIVATE = """
GET    /healthz                                             200 200 200 200 200 200 200 200 200 200 200
GET    /readyz                                              200 200 200 200 200 200 200 200 200 200 200
GET    /metrics                                             401 403 403 403 403 403 403 403 403 401 200

POST   /api/login                                           200 200 200 200 200 200 200 200 200 200 200
GET    /api/users/me                                        401 200 200 200 200 200 200 200 200 401 200
PATCH  /api/users/me                                        401 422 422 422 422 422 422 422 422 401 422
GET    /api/people                                          401 422 422 422 422 422 422 422 422 401 422
POST   /api/users/me/password                               401 403 401 403 403 403 403 403 403 401 401
POST   /api/token/renew                                     401 200 200 200 200 200 200 200 403 401 200
POST   /api/token/revoke                                    401 403 403 403 403 403 403 403 403 401 404
POST   /api/stream-ticket                                   401 200 200 200 200 200 200 200 403 401 200
GET    /api/users                                           401 403 403 403 403 403 403 403 403 401 200
POST   /api/users                                           401 403 403 403 403 403 403 403 403 401 201
PATCH  /api/users/{name}                                    401 403 403 403 403 403 403 403 403 401 404
POST   /api/tokens                                          401 403 403 403 403 403 403 403 403 401 201
GET    /api/admin/overview                                  401 403 403 403 403 403 403 403 403 401 200
GET    /api/admin/rooms                                     401 403 403 403 403 403 403 403 403 401 200
GET    /api/admin/settings                                  401 403 403 403 403 403 403 403 403 401 200
GET    /api/admin/audit                                     401 403 403 403 403 403 403 403 403 401 200
POST   /api/admin/jobs/actions                              401 403 403 403 403 403 403 403 403 401 200

GET    /api/rooms                                           401 200 200 200 200 200 403 403 403 401 200
POST   /api/rooms                                           401 201 201 201 201 201 403 403 403 401 201
GET    /api/rooms/{room}                                    401 404 404 200 200 200 404 404 200 401 200
PATCH  /api/rooms/{room}                                    401 404 404 403 403 200 404 404 403 401 200
DELETE /api/rooms/{fresh_room}                              401 404 404 403 403 200 404 404 404 401 200
GET    /api/rooms/{room}/members                            401 404 404 200 200 200 404 404 200 401 200
POST   /api/rooms/{fresh_room}/members                      401 404 404 403 403 201 404 404 404 401 201
POST   /api/rooms/{room}/members#a_wrong_code               401 403 403 403 201 201 403 403 403 401 403
DELETE /api/rooms/{fresh_room}/members/{member}             401 404 404 403 200 200 404 404 404 401 200
DELETE /api/rooms/{room}/members/{guest}                    401 404 404 403 403 200 404 404 403 401 200
POST   /api/rooms/{room}/invite                             401 404 404 403 403 201 404 404 403 401 201
DELETE /api/rooms/{room}/invite                             401 404 404 403 403 200 404 404 403 401 200
POST   /api/rooms/{room}/pair                               401 404 404 403 201 201 404 404 403 401 201
GET    /api/rooms/{room}/workers                            401 404 404 200 200 200 404 404 200 401 200
POST   /api/rooms/{room}/view-link                          401 404 404 201 201 201 404 404 403 401 403

GET    /api/rooms/{room}/stream                             401 404 404 200 200 200 404 404 200 401 200
GET    /api/rooms/{room}/chat                               401 404 404 200 200 200 404 404 200 401 200
POST   /api/rooms/{room}/chat                               401 404 404 403 201 201 404 404 201 401 201
GET    /api/rooms/{room}/files                              401 404 404 200 200 200 404 404 200 401 200
POST   /api/rooms/{room}/files                              401 404 404 403 201 201 404 404 201 401 201
GET    /api/rooms/{room}/files/{file}                       401 404 404 200 200 200 404 404 200 401 200
DELETE /api/rooms/{room}/files/{fresh_file}                 401 404 404 403 200 200 404 404 403 401 200
DELETE /api/rooms/{room}/files/{owners_file}                401 404 404 403 403 200 404 404 403 401 200

GET    /api/rooms/{room}/presets/analysis/Echo              401 404 404 200 200 200 404 404 403 401 200
GET    /api/rooms/{room}/presets/analysis/Echo/room/wide    401 404 404 200 200 200 404 404 403 401 200
PUT    /api/rooms/{room}/presets/analysis/Echo/mine/{name}  401 404 404 403 200 200 404 404 403 401 200
PUT    /api/rooms/{room}/presets/analysis/Echo/room/{name}  401 404 404 403 200 200 404 404 403 401 200
PUT    /api/rooms/{room}/presets/analysis/Echo/room/{room_preset} 401 404 404 403 403 200 404 404 403 401 200
DELETE /api/rooms/{room}/presets/analysis/Echo/room/{fresh_preset} 401 404 404 403 200 200 404 404 403 401 200
DELETE /api/rooms/{room}/presets/analysis/Echo/room/{room_preset} 401 404 404 403 403 200 404 404 403 401 200
GET    /api/rooms/{room}/presence                           401 404 404 200 200 200 404 404 200 401 200
GET    /api/rooms/{room}/locks                              401 404 404 200 200 200 404 404 200 401 200
POST   /api/rooms/{room}/locks/{name}                       401 404 404 403 200 200 404 404 200 401 200
PATCH  /api/rooms/{room}/locks/frames                       401 404 404 403 409 409 404 404 409 401 409
DELETE /api/rooms/{room}/locks/frames                       401 404 404 422 422 422 404 404 422 401 422
POST   /api/rooms/{room}/locks/frames/break                 401 404 404 403 403 200 404 404 403 401 200
GET    /api/rooms/{room}/state                              401 404 404 200 200 200 404 404 200 401 200
GET    /api/rooms/{room}/state/{document}                   401 404 404 200 200 200 404 404 200 401 200
PUT    /api/rooms/{room}/state/{document}                   401 404 404 403 200 200 404 404 200 401 200
PATCH  /api/rooms/{room}/state/{document}                   401 404 404 403 200 200 404 404 200 401 200
DELETE /api/rooms/{room}/state/{fresh_document}             401 404 404 403 200 200 404 404 200 401 200
GET    /api/rooms/{room}/frames                             401 404 404 200 200 200 404 404 200 401 200
GET    /api/rooms/{room}/frames/data                        401 404 404 200 200 200 404 404 200 401 200
GET    /api/rooms/{room}/frames/columns                     401 404 404 200 200 200 404 404 200 401 200
PUT    /api/rooms/{room}/frames/pieces/{digest}              401 404 404 403 422 422 404 404 422 401 422
POST   /api/rooms/{room}/frames/pieces                      401 404 404 403 422 422 404 404 422 401 422
HEAD   /api/rooms/{room}/frames/pieces/{digest}              401 404 404 403 404 404 404 404 404 401 404
POST   /api/rooms/{room}/frames                             401 404 404 403 422 422 404 404 422 401 422
POST   /api/rooms/{room}/frames/edit                        401 404 404 403 200 200 404 404 200 401 200
GET    /api/rooms/{room}/groups                             401 404 404 200 200 200 404 404 200 401 200
POST   /api/rooms/{room}/groups                             401 404 404 403 202 202 404 404 202 401 202
GET    /api/groups/{group}                                  401 404 404 200 200 200 404 404 200 401 200
GET    /api/groups/{group}/jobs                             401 404 404 200 200 200 404 404 200 401 200
POST   /api/groups/{group}/jobs                             401 404 404 403 202 403 404 404 202 401 403
GET    /api/groups/{group}/ended                            401 404 404 200 200 200 404 404 200 401 200
GET    /api/groups/{group}/jobs.csv                         401 404 404 200 200 200 404 404 200 401 200
POST   /api/groups/{group}/pause                            401 404 404 403 202 202 404 404 403 401 202
POST   /api/groups/{group}/resume                           401 404 404 403 202 202 404 404 403 401 202
POST   /api/groups/{group}/retry                            401 404 404 403 202 202 404 404 403 401 202
POST   /api/groups/{fresh_group}/cancel                     401 404 404 403 202 202 404 404 403 401 202
GET    /api/rooms/{room}/records/shots                      401 404 404 200 200 200 404 404 200 401 200
GET    /api/rooms/{room}/records/shots/s1                   401 404 404 200 200 200 404 404 200 401 200
PUT    /api/rooms/{room}/records/shots/{name}               401 404 404 403 200 200 404 404 200 401 200
DELETE /api/rooms/{room}/records/shots/{fresh_record}       401 404 404 403 200 200 404 404 200 401 200
GET    /api/rooms/{room}/versions                           401 404 404 200 200 200 404 404 200 401 200
GET    /api/rooms/{room}/versions/diff                      401 404 404 200 200 200 404 404 200 401 200
POST   /api/rooms/{room}/versions/{version}/restore         401 404 404 403 409 409 404 404 409 401 409
POST   /api/rooms/{fresh_room}/undo                         401 404 404 403 409 409 404 404 404 401 409
POST   /api/rooms/{fresh_room}/redo                         401 404 404 403 409 409 404 404 404 401 409

GET    /api/rooms/{room}/extensions                         401 404 404 200 200 200 404 404 200 401 200
GET    /api/rooms/{room}/extensions/room/analysis/Echo/stats    401 404 404 200 200 200 404 404 200 401 200
POST   /api/rooms/{room}/extensions/room/analysis/Echo/pause    401 404 404 403 403 200 404 404 403 401 200
POST   /api/rooms/{room}/extensions/room/analysis/Echo/resume   401 404 404 403 403 200 404 404 403 401 200
POST   /api/rooms/{room}/extensions/public/analysis/Nap/pause   401 404 404 403 403 403 404 404 403 401 200
POST   /api/rooms/{room}/extensions/public/analysis/Nap/resume  401 404 404 403 403 403 404 404 403 401 200
GET    /api/rooms/{room}/extensions/analysis/Echo/data      401 404 404 200 200 200 404 404 200 401 200
GET    /api/packs                                           401 200 200 200 200 200 200 200 200 401 200
GET    /api/extensions/overview                             401 403 403 403 403 403 403 403 403 401 200

POST   /api/rooms/{room}/extensions/analysis/Echo/submit    401 404 404 403 202 202 404 404 202 401 202
POST   /api/rooms/{room}/extensions/analysis/Echo/submit#raised 401 404 404 403 403 202 404 404 403 401 202
POST   /api/rooms/{room}/jobs/batch                         401 404 404 403 202 202 404 404 202 401 202
POST   /api/rooms/{room}/jobs/retry                         401 404 404 403 202 202 404 404 403 401 202
GET    /api/rooms/{room}/jobs                               401 404 404 200 200 200 404 404 200 401 200
GET    /api/rooms/{room}/jobs#searched                      401 404 404 200 200 200 404 404 200 401 200
GET    /api/rooms/{room}/jobs.csv                           401 404 404 200 200 200 404 404 200 401 200
POST   /api/rooms/{room}/jobs/actions                       401 404 404 200 200 200 404 404 200 401 200
PATCH  /api/jobs/{job}                                      401 404 404 403 200 200 404 404 403 401 200
GET    /api/users/{member}/jobs                             401 404 404 404 200 404 404 404 404 401 200
GET    /api/jobs                                            401 403 403 403 403 403 403 403 403 401 200
GET    /api/jobs/{job}                                      401 404 404 200 200 200 404 404 200 401 200
GET    /api/jobs/{job}/history                              401 404 404 200 200 200 404 404 200 401 200
GET    /api/jobs/{job}/arrows                               401 404 404 200 200 200 404 404 200 401 200
GET    /api/jobs/{job}/children                             401 404 404 200 200 200 404 404 200 401 200
GET    /api/jobs/{job}/questions                            401 404 404 200 200 200 404 404 200 401 200
GET    /api/rooms/{room}/questions                          401 404 404 200 200 200 404 404 200 401 200
POST   /api/jobs/{fresh_asking}/questions/1/answer          401 404 404 403 200 200 404 404 403 401 200
DELETE /api/jobs/{fresh_job}                                401 404 404 403 200 200 404 404 403 401 200
DELETE /api/jobs/{owners_job}                               401 404 404 403 403 200 404 404 403 401 200
POST   /api/jobs/{done}/retry                               401 404 404 403 202 202 404 404 403 401 202
PUT    /api/jobs/{job}/status                               401 404 404 403 403 403 409 404 404 401 409
PUT    /api/jobs/{job}/progress                             401 404 404 403 403 403 409 404 404 401 409
GET    /api/jobs/{job}/stream                               401 404 404 200 200 200 404 404 200 401 200
GET    /api/jobs/{job}/logs                                 401 404 404 200 200 200 404 404 200 401 200
POST   /api/jobs/{job}/logs                                 401 404 404 403 403 403 409 404 404 401 409
GET    /api/jobs/{job}/artifacts                            401 404 404 200 200 200 404 404 200 401 200
GET    /api/jobs/{job}/artifacts/plot.png                   401 404 404 200 200 200 404 404 200 401 200
PUT    /api/jobs/{job}/artifacts/more.txt                   401 404 404 403 403 403 404 404 200 401 403
PUT    /api/jobs/{job}/artifacts/more.txt#by_worker         401 404 404 403 403 403 409 404 404 401 409
PUT    /api/jobs/{done}/artifacts/more.txt                  401 404 404 403 403 403 404 404 403 401 403
GET    /api/jobs/{job}/preview                              401 404 404 200 200 200 404 404 200 401 200
PUT    /api/jobs/{job}/preview                              401 404 404 403 403 403 404 404 200 401 403
PUT    /api/jobs/{job}/preview#by_worker                    401 404 404 403 403 403 409 404 404 401 409
POST   /api/jobs/{job}/positions                            401 404 404 403 403 403 404 404 200 401 403
POST   /api/jobs/{job}/positions#by_worker                  401 404 404 403 403 403 409 404 404 401 409

POST   /api/task                                            401 409 409 403 202 202 404 404 202 401 202
POST   /api/task#raised                                     401 409 409 403 403 403 404 404 403 401 202
GET    /api/task                                            401 404 404 200 200 200 404 404 200 401 200
GET    /api/task#of_my_own                                  401 200 200 200 200 200 404 404 200 401 200
GET    /api/task/{task}                                     401 404 404 200 200 200 404 404 200 401 200
GET    /api/task/{task}/stream                              401 404 404 200 200 200 404 404 200 401 200
DELETE /api/task/{fresh_task}                               401 404 404 403 200 200 404 404 403 401 200

POST   /api/workers/register                                401 404 404 403 201 201 201 404 403 401 201
POST   /api/workers/register#public                         401 403 403 403 403 403 201 201 403 401 201
GET    /api/workers                                         401 403 403 403 403 403 403 403 403 401 200
GET    /api/workers/{worker}                                401 404 404 200 200 200 200 404 404 401 200
GET    /api/workers/{worker}/jobs                           401 404 404 403 403 403 200 404 404 401 200
PUT    /api/workers/{worker}/heartbeat                      401 404 404 403 403 403 409 404 404 401 409
POST   /api/workers/{fresh_worker}/drain                    401 404 404 403 403 403 200 404 404 401 200
POST   /api/workers/{fresh_worker}/shutdown                 401 404 404 403 403 403 200 404 404 401 200
DELETE /api/workers/{fresh_worker}                          401 404 404 403 403 200 200 404 404 401 200
POST   /api/workers/{fresh_waiting}/accept                  401 404 404 403 403 200 404 404 404 401 200
POST   /api/workers/{fresh_waiting}/refuse                  401 404 404 403 403 200 404 404 404 401 200
"""

# for: nobody guest user viewer member owner worker other job expired admin
OPEN = """
GET    /api/rooms/{open}                                    401 200 200 200 200 200 404 404 404 401 200
PATCH  /api/rooms/{open}                                    401 403 403 403 403 200 404 404 404 401 200
DELETE /api/rooms/{fresh_open}                              401 403 403 403 403 200 404 404 404 401 200
GET    /api/rooms/{open}/jobs                               401 200 200 200 200 200 404 404 404 401 200
POST   /api/rooms/{open}/pair                               401 201 201 201 201 201 404 404 404 401 201
POST   /api/rooms/{open}/extensions/analysis/Nap/submit     401 202 202 202 202 202 404 404 404 401 202
GET    /api/rooms/{open}/stream                             401 200 200 200 200 200 404 404 404 401 200
GET    /api/rooms/{open}/chat                               401 200 200 200 200 200 404 404 404 401 200
POST   /api/rooms/{open}/chat                               401 201 201 201 201 201 404 404 404 401 201
GET    /api/rooms/{open}/files                              401 200 200 200 200 200 404 404 404 401 200
POST   /api/rooms/{open}/files                              401 201 201 201 201 201 404 404 404 401 201
GET    /api/rooms/{open}/files/{open_file}                  401 200 200 200 200 200 404 404 404 401 200
DELETE /api/rooms/{open}/files/{fresh_open_file}            401 403 403 403 403 200 404 404 404 401 200
GET    /api/rooms/{open}/presets/analysis/Nap               401 200 200 200 200 200 404 404 404 401 200
PUT    /api/rooms/{open}/presets/analysis/Nap/room/{name}   401 200 200 200 200 200 404 404 404 401 200
GET    /api/rooms/{open}/presence                           401 200 200 200 200 200 404 404 404 401 200
GET    /api/rooms/{open}/locks                              401 200 200 200 200 200 404 404 404 401 200
POST   /api/rooms/{open}/locks/{name}                       401 200 200 200 200 200 404 404 404 401 200
POST   /api/rooms/{open}/locks/frames/break                 401 403 403 403 403 200 404 404 404 401 200
GET    /api/rooms/{open}/state                              401 200 200 200 200 200 404 404 404 401 200
PUT    /api/rooms/{open}/state/metadata                     401 200 200 200 200 200 404 404 404 401 200
POST   /api/task#open                                       401 202 202 202 202 202 404 404 404 401 202
POST   /api/workers/register#open                           401 201 201 201 201 201 201 201 404 401 201
"""

_REPORT = {"worker_id": "{worker}", "attempt": 1, "token": "not the token"}
_PRESET = {"data": {"window": 9}}
BODIES: dict[str, Any] = {
    "POST /api/login": {"name": "{name}"},
    "PATCH /api/users/me": {},
    "POST /api/users/me/password": {"current_password": "wrong", "password": "long enough"},
    "POST /api/token/revoke": {"user": "{name}"},
    "POST /api/users": {"name": "{name}", "password": "long enough"},
    "PATCH /api/users/{name}": {"disabled": True},
    "POST /api/tokens": {"name": "{name}"},
    "POST /api/admin/jobs/actions": {"action": "star", "jobs": ["{job}"]},
    "POST /api/rooms": {"name": "{name}"},
    "PATCH /api/rooms/{room}": {"title": "another"},
    "PATCH /api/rooms/{open}": {"title": "another"},
    "POST /api/rooms/{fresh_room}/members": {"user": "{guest}"},
    "POST /api/rooms/{room}/members#a_wrong_code": {"code": "wrong"},
    "POST /api/rooms/{room}/invite": {},
    "POST /api/rooms/{room}/pair": {},
    "POST /api/rooms/{open}/pair": {},
    "POST /api/rooms/{room}/extensions/analysis/Echo/submit": {},
    "POST /api/rooms/{open}/extensions/analysis/Nap/submit": {},
    "POST /api/rooms/{room}/extensions/analysis/Echo/submit#raised": {"priority": 9},
    "POST /api/rooms/{room}/jobs/batch": {"jobs": [{"category": "analysis", "name": "Echo"}]},
    "POST /api/rooms/{room}/groups": {"jobs": [{"category": "analysis", "name": "Echo"}]},
    "POST /api/groups/{group}/jobs": {"jobs": [], "open": True},
    "POST /api/rooms/{room}/jobs/actions": {"action": "star", "jobs": ["{job}"]},
    "PATCH /api/jobs/{job}": {"starred": True},
    "POST /api/jobs/{fresh_asking}/questions/1/answer": {"answer": {}},
    "PUT /api/jobs/{job}/status": {**_REPORT, "status": "completed"},
    "PUT /api/jobs/{job}/progress": _REPORT,
    "POST /api/jobs/{job}/logs": {**_REPORT, "lines": lines("hello")},
    "POST /api/rooms/{room}/locks/{name}": {"token": "a-token-of-sixteen"},
    "POST /api/rooms/{open}/locks/{name}": {"token": "a-token-of-sixteen"},
    "PATCH /api/rooms/{room}/locks/frames": {"token": "a-token-of-sixteen"},
    "PUT /api/rooms/{room}/records/shots/{name}": {"body": {}},
    "PUT /api/rooms/{room}/state/{document}": {"a": 1},
    "PUT /api/rooms/{open}/state/metadata": {"a": 1},
    "PATCH /api/rooms/{room}/state/{document}": {"b": 1},
    "POST /api/rooms/{room}/frames/edit": {"op": "append", "sources": []},
    "POST /api/rooms/{room}/chat": {"text": "hello"},
    "POST /api/rooms/{open}/chat": {"text": "hello"},
    "PUT /api/rooms/{room}/presets/analysis/Echo/mine/{name}": _PRESET,
    "PUT /api/rooms/{room}/presets/analysis/Echo/room/{name}": _PRESET,
    "PUT /api/rooms/{open}/presets/analysis/Nap/room/{name}": _PRESET,
    "PUT /api/rooms/{room}/presets/analysis/Echo/room/{room_preset}": {**_PRESET, "replace": True},
    "POST /api/task": {"actor": "painter", "payload": {"workflow_run_id": "{room}"}},
    "POST /api/task#raised": {"actor": "painter", "payload": {"workflow_run_id": "{room}"}, "priority": 9},
    "POST /api/task#open": {"actor": "painter", "payload": {"workflow_run_id": "{open}"}},
    "PUT /api/workers/{worker}/heartbeat": {"session": 0},
    "POST /api/workers/{fresh_waiting}/accept": {},
    "POST /api/workers/{fresh_waiting}/refuse": {},
    "POST /api/workers/register": {"extensions": [extension("{room}")]},
    "POST /api/workers/register#open": {"extensions": [extension("{open}")]},
    "POST /api/workers/register#public": {"extensions": [extension(None, "Shared")]},
}
PARAMS: dict[str, Any] = {
    "POST /api/rooms/{room}/files": {"name": "notes.txt"},
    "POST /api/rooms/{open}/files": {"name": "notes.txt"},
    "PUT /api/jobs/{job}/artifacts/more.txt#by_worker": _REPORT,
    "PUT /api/jobs/{job}/preview": {"kind": "text"},
    "PUT /api/jobs/{job}/preview#by_worker": {**_REPORT, "kind": "text"},
    "POST /api/jobs/{job}/positions": {"frame": 0},
    "POST /api/jobs/{job}/positions#by_worker": {**_REPORT, "frame": 0},
    "GET /api/rooms/{room}/frames/columns": {"keys": "energy"},
    "POST /api/rooms/{room}/frames": {"op": "append"},
    "GET /api/task": {"workflow_run_id": "{room}"},
    "GET /api/rooms/{room}/jobs#searched": {"q": "user:me"},
    "GET /api/rooms/{room}/versions/diff": {"before": "{version}", "after": "{version}"},
}
ROWS = {**rows(PRIVATE), **rows(OPEN)}


def ask(scenario: AccessScenario, caller: str, what: str, things: Any) -> tuple[httpx.Response, list[str]]:
    """The answer, and the things that were named."""
    named: list[str] = []

    def noted(make: Any) -> Any:
        made: list[str] = []

        def once() -> str:
            if not made:
                made.append(make())
                named.extend(made)
            return made[0]

        return once

    once_each = {name: noted(make) for name, make in things.items()}
    method, path = filled(what.partition("#")[0], once_each).split()
    body, params = filled(BODIES.get(what), once_each), filled(PARAMS.get(what), once_each)
    with getattr(scenario, caller).stream(method, path, json=body, params=params) as response:
        if not response.headers["content-type"].startswith("text/event-stream"):  # it would not end
            response.read()
    return response, named


def in_each_mode(rows: Iterable[str]) -> list[Any]:
    """As parameters of a test: only submits and frames go another way with WORKROOM_FAST=0."""
    return [
        pytest.param(row, marks=() if "/submit" in row or "/frames" in row else pytest.mark.either_mode)
        for row in rows
    ]


@pytest.mark.parametrize("what", in_each_mode(ROWS))
def test_everybody_gets_the_answer_of_the_table(scenario: AccessScenario, what: str) -> None:
    answers = {
        caller: str(ask(scenario, caller, what, scenario.things())[0].status_code) for caller in CALLERS
    }

    assert answers == ROWS[what]


@pytest.mark.parametrize("what", in_each_mode(what for what in rows(PRIVATE) if "{name}" not in what))
def test_a_hidden_thing_gets_the_same_response_as_a_missing_one(scenario: AccessScenario, what: str) -> None:
    for caller in [caller for caller, status in ROWS[what].items() if status == "404"]:
        hidden = without_names(*ask(scenario, caller, what, scenario.things()))
        missing = without_names(*ask(scenario, caller, what, scenario.missing()))

        assert hidden == missing, caller


def test_no_route_is_without_a_row(scenario: AccessScenario) -> None:
    paths = scenario.nobody.get("/openapi.json").json()["paths"]
    routes = {f"{method.upper()} {path}" for path, methods in paths.items() for method in methods}
    tested = [re.sub(r"\{\w+\}", "*", what.partition("#")[0]) for what in ROWS]
    known = {"GET /api/rooms/*/extensions/room/analysis/Echo/stats"}
    patterns = {route: re.sub(r"\\\{\w+\\\}", r"[^/]+", re.escape(route)) for route in routes}

    assert known <= set(tested)
    assert [
        route for route, pattern in patterns.items() if not any(re.fullmatch(pattern, row) for row in tested)
    ] == []
