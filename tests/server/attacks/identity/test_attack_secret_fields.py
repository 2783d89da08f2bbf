"""Secret fields: encrypted where they are kept, in clear for the attempt that runs, masked elsewhere."""

from __future__ import annotations

import json
from collections.abc import Callable, Iterator
from contextlib import ExitStack
from pathlib import Path
from typing import Any
from urllib.parse import quote

import pytest
from pydantic import SecretStr
from redis import Redis

from support.access_scenario import AccessScenario, Bearer, job_token
from support.extensions.samples import Vault
from support.users import Document, LoopThread, Person, SocketWorker, extension, fence, the_problem
from workroom import Room
from workroom.testing.processes import ServerProcess, WorkerProcess, eventually
from workroom.testing.valkey import Valkey

SECRET = "hunter2-correct-horse"
MASK = "**********"
VISIBLE = "https://everyone.may.read/this"
PASSWORD_FIELD = {"type": "string", "format": "password", "writeOnly": True}
LOGIN: Document = {
    "type": "object",
    "properties": {"url": {"type": "string"}, "key": {**PASSWORD_FIELD, "maxLength": 100_000}},
    "required": ["key"],
}
Start = Callable[..., ServerProcess]
Meeting = Callable[[ServerProcess, str], Person]


def login(room: str | None, name: str = "Login", **fields: Any) -> Document:
    return extension(room, name, schema=LOGIN, **fields)


def running(
    scenario: AccessScenario, room: str, data: Document | None = None, **fields: Any
) -> tuple[SocketWorker, Document, Bearer]:
    """A worker of the owner's that runs a job of the member's with a secret, and what speaks for the job."""
    hand = scenario.owner.work(login(room, **fields))
    scenario.member.order(room, "Login", data or {"url": "x", "key": SECRET})
    item = hand.take()
    assert hand.start(item) is None
    return hand, item, scenario.bearer(scenario.member.user, job_token(item))


@pytest.fixture
def start(tmp_path: Path) -> Iterator[Start]:
    with ExitStack() as stack:

        def start(**settings: Any) -> ServerProcess:
            return stack.enter_context(ServerProcess(tmp_path / "server", **settings))

        yield start


@pytest.fixture
def visit(loop_thread: LoopThread) -> Iterator[Meeting]:
    with ExitStack() as stack:

        def visit(server: ServerProcess, user: str) -> Person:
            person = Person(loop_thread, server.url, user)
            stack.callback(person.close)
            return person

        yield visit


def test_only_the_attempt_that_runs_is_given_a_secret(scenario: AccessScenario) -> None:
    room = scenario.fresh_room()
    ear = scenario.member.listen(room)
    hand, item, job = running(scenario, room)
    path = f"/api/jobs/{item['job_id']}"

    assert item["data"] == {"url": "x", "key": SECRET}
    assert job.get(path).json()["data"] == {"url": "x", "key": SECRET}
    for person in (scenario.member, scenario.owner, scenario.admin):
        assert person.job(item["job_id"])["data"] == {"url": "x", "key": MASK}
    seen = [
        scenario.member.get(f"/api/rooms/{room}/jobs").text,
        scenario.admin.get("/api/jobs", params={"room": room}).text,
        scenario.member.get(f"/api/users/{scenario.member.user}/jobs").text,
        scenario.member.get(f"{path}/history").text,
        scenario.member.get(f"/api/rooms/{room}/extensions/analysis/Login/data").text,
        json.dumps(scenario.member.listen().call("job:wait", {"job_id": item["job_id"], "seconds": 0})),
        json.dumps(job.listen().call("job:wait", {"job_id": item["job_id"], "seconds": 0})),
        hand.put_status(item, "completed").text,
        job.get(path).text,
        json.dumps(ear.heard),
    ]
    assert [text for text in seen if SECRET in text] == []


def test_the_token_of_another_job_of_the_room_reads_no_secret(scenario: AccessScenario) -> None:
    room = scenario.fresh_room()
    _, item, _ = running(scenario, room)
    hand = scenario.owner.work(extension(room, "Other"))
    scenario.member.order(room, "Other")
    spy = hand.take()
    assert hand.start(spy) is None
    other = scenario.bearer(scenario.member.user, job_token(spy))

    assert other.get(f"/api/jobs/{item['job_id']}").json()["data"]["key"] == MASK


def test_the_answer_to_a_submit_has_the_mask(scenario: AccessScenario) -> None:
    room = scenario.fresh_room()
    assert scenario.owner.register(login(room)).status_code == 201
    data = {"key": SECRET}
    batch = {"jobs": [{"category": "analysis", "name": "Login", "data": data}]}
    event = {"room": room, "category": "analysis", "name": "Login", "data": data}
    answers = [
        scenario.member.submit(room, "Login", data).json(),
        scenario.member.submit(room, "Login", data, params={"wait": 0}).json(),
        scenario.member.post(f"/api/rooms/{room}/jobs/batch", json=batch).json()["items"][0]["job"],
        scenario.member.listen().call("job:submit", event)["job"],
    ]

    assert [each["data"] for each in answers] == [{"key": MASK}] * 4


def test_secrets_are_found_through_references_choices_lists_and_maps(scenario: AccessScenario) -> None:
    schema = {
        "type": "object",
        "properties": {
            "maybe": {"anyOf": [PASSWORD_FIELD, {"type": "null"}]},
            "none": {"anyOf": [PASSWORD_FIELD, {"type": "null"}]},
            "many": {"type": "array", "items": PASSWORD_FIELD},
            "named": {"type": "object", "additionalProperties": PASSWORD_FIELD},
            "account": {"$ref": "#/$defs/Account"},
            "pair": {"type": "array", "prefixItems": [{"type": "string"}, PASSWORD_FIELD]},
            "whole": {"type": "object", "writeOnly": True},
            "headers": {"type": "object", "patternProperties": {"^x-": PASSWORD_FIELD}},
        },
        "$defs": {
            "Account": {
                "type": "object",
                "properties": {
                    "user": {"type": "string"},
                    "key": {"allOf": [PASSWORD_FIELD]},
                    "next": {"$ref": "#/$defs/Account"},
                },
            }
        },
    }
    data = {
        "maybe": "secret-1",
        "none": None,
        "many": ["secret-2", "secret-3"],
        "named": {"a": "secret-4"},
        "account": {"user": "ada", "key": "secret-5", "next": {"user": "bob", "key": "secret-6"}},
        "pair": ["shown", "secret-7"],
        "whole": {"a": {"b": "secret-8"}, "n": 17},
        "headers": {"x-key": "secret-9"},
    }
    room = scenario.fresh_room()
    hand = scenario.owner.work(extension(room, "Nested", schema=schema))
    job = scenario.member.order(room, "Nested", data)

    assert hand.take()["data"] == data
    assert job["data"] == {
        "maybe": MASK,
        "none": None,
        "many": [MASK, MASK],
        "named": {"a": MASK},
        "account": {"user": "ada", "key": MASK, "next": {"user": "bob", "key": MASK}},
        "pair": ["shown", MASK],
        "whole": MASK,
        "headers": {"x-key": MASK},
    }


def test_values_too_large_for_a_push_are_fetched_with_their_secrets(scenario: AccessScenario) -> None:
    room = scenario.fresh_room()
    for data in ({"url": "x" * 100_000, "key": SECRET}, {"url": "x", "key": "k" * 90_000}):
        hand, item, job = running(scenario, room, data)
        assert item["data"] is None
        assert job.get(f"/api/jobs/{item['job_id']}").json()["data"] == data
        assert hand.finish(item) is None
        scenario.owner.delete(f"/api/workers/{hand.id}")


def test_a_form_does_not_remember_a_secret(scenario: AccessScenario) -> None:
    room = scenario.fresh_room()
    running(scenario, room)
    answer = scenario.member.get(f"/api/rooms/{room}/extensions/analysis/Login/data")

    assert answer.json()["data"] == {"url": "x"}


def test_an_export_shows_no_secret_and_no_search_finds_one(scenario: AccessScenario) -> None:
    room = scenario.fresh_room()
    _, item, _ = running(scenario, room, {"url": VISIBLE, "key": SECRET})
    path = f"/api/rooms/{room}/jobs"
    export = scenario.owner.get(f"{path}.csv").text

    assert (VISIBLE in export, MASK in export, SECRET in export) == (True, True, False)
    assert [job["id"] for job in scenario.owner.items(path, q=f'"{VISIBLE}"')] == [item["job_id"]]
    assert scenario.owner.items(path, q=SECRET) == []
    assert scenario.owner.items(path, q=f"key={SECRET}") == []


def test_secret_settings_are_shown_to_nobody_but_a_job_of_who_offers_them(scenario: AccessScenario) -> None:
    room = scenario.fresh_room()
    assert scenario.owner.register(login(room, "Keys", category="settings")).status_code == 201
    saved = scenario.member.submit(room, "Keys", {"url": "x", "key": SECRET}, category="settings")
    path = f"/api/rooms/{room}/extensions/settings/Keys/data"
    _, _, own = running(scenario, room)
    hand = scenario.worker.work(extension(room, "Foreign"))
    scenario.member.order(room, "Foreign")
    item = hand.take()
    assert hand.start(item) is None
    foreign = scenario.bearer(scenario.member.user, job_token(item))

    assert saved.json()["data"] == {"url": "x", "key": MASK}
    assert scenario.member.get(path).json()["data"] == {"url": "x"}
    assert own.get(path).json()["data"] == {"url": "x", "key": SECRET}
    assert foreign.get(path).json()["data"] == {"url": "x"}


def test_what_an_attempt_reports_is_masked(scenario: AccessScenario) -> None:
    """By the server, so that it does not matter in which language the worker is written."""
    room = scenario.fresh_room()
    ear = scenario.member.listen(room)
    hand, item, job = running(scenario, room)
    ear.call("job:watch", {"job_id": item["job_id"]})
    assert hand.progress(item, fraction=0.5, message=f"logging in with {SECRET}") is None
    assert hand.put_progress(item, message=f"with {SECRET}!").status_code == 200
    assert hand.log(item, f"curl -H 'Bearer {SECRET}'", "no secret") is None
    assert hand.post_logs(item, f"again {SECRET}", first=3).status_code == 200
    assert job.post(f"/api/rooms/{room}/chat", json={"text": f"it is {SECRET}"}).status_code == 201
    assert hand.finish(item, result={"sent": {SECRET: [SECRET, 7]}, "ok": True}) is None
    found = scenario.member.job(item["job_id"])
    lines = scenario.member.items(f"/api/jobs/{item['job_id']}/logs")
    chat = scenario.member.items(f"/api/rooms/{room}/chat")
    ear.flush()

    assert found["result"] == {"sent": {MASK: [MASK, 7]}, "ok": True}
    assert found["progress"]["message"] == f"with {MASK}!"
    assert [line["text"] for line in lines] == [f"curl -H 'Bearer {MASK}'", "no secret", f"again {MASK}"]
    assert chat[0]["text"] == f"it is {MASK}"
    assert SECRET not in json.dumps(ear.heard)


def test_a_question_is_masked(scenario: AccessScenario) -> None:
    room = scenario.fresh_room()
    ear = scenario.member.listen(room)
    hand, item, _ = running(scenario, room)
    schema = {"type": "object", "title": f"Is {SECRET} right?", "properties": {"key": {"default": SECRET}}}
    for _ in range(2):
        assert hand.ask(item, f"is {SECRET} right", schema=schema)["answers"] == [None]

    (found,) = scenario.member.items(f"/api/rooms/{room}/questions")
    assert (found["text"], found["schema"]["title"]) == (f"is {MASK} right?", f"Is {MASK} right?")
    assert ear.expect("question:asked")["text"] == f"is {MASK} right?"
    seen = [
        scenario.member.get(f"/api/rooms/{room}/questions").text,
        scenario.member.get(f"/api/jobs/{item['job_id']}/questions").text,
        scenario.member.get(f"/api/jobs/{item['job_id']}").text,
        json.dumps(ear.heard),
    ]
    assert [text for text in seen if SECRET in text] == []


def test_a_question_does_not_ask_for_a_secret(scenario: AccessScenario) -> None:
    """Its answer would be readable for everyone in the room."""
    room = scenario.fresh_room()
    hand, item, _ = running(scenario, room)
    reply = hand.ask(item, schema=LOGIN)

    assert reply["answers"][0]["code"] == "invalid_schema"
    assert scenario.member.items(f"/api/rooms/{room}/questions") == []


def test_a_group_shows_no_secret(scenario: AccessScenario) -> None:
    room = scenario.fresh_room()
    assert scenario.owner.register(login(room)).status_code == 201
    jobs = [
        {"category": "analysis", "name": "Login", "data": {"url": VISIBLE, "key": f"{SECRET}-{number}"}}
        for number in range(2)
    ]
    body = {"jobs": jobs, "parameters": ["key"], "title": "keys"}
    created = scenario.member.post(f"/api/rooms/{room}/groups", json=body)
    assert created.status_code == 202, created.text
    group = f"/api/groups/{created.json()['group']['id']}"
    export = scenario.owner.get(f"{group}/jobs.csv").text
    scenario.owner.post(f"{group}/cancel")
    seen = [created.text, export]
    seen += [scenario.owner.get(f"{group}{path}").text for path in ("", "/jobs", "/ended?wait=5")]

    assert (VISIBLE in export, MASK in export) == (True, True)
    assert [text for text in seen if SECRET in text] == []


def test_an_error_is_masked_and_so_is_what_the_room_reads_of_it(scenario: AccessScenario) -> None:
    room = scenario.fresh_room()
    hand, item, _ = running(scenario, room)
    error = {
        "type": "LoginError",
        "message": f"{SECRET} was refused",
        "details": {"given": [SECRET]},
        "stack_trace": f"login(key={SECRET!r})",
    }
    assert hand.finish(item, "failed", error=error) is None
    found = scenario.member.job(item["job_id"])["error"]
    chat = scenario.member.items(f"/api/rooms/{room}/chat")[0]["text"]

    assert found == {
        "type": "LoginError",
        "message": f"{MASK} was refused",
        "details": {"given": [MASK]},
        "stack_trace": f"login(key='{MASK}')",
    }
    assert f"{MASK} was refused" in chat
    assert hand.finish(item, "failed", error=error) is None  # the same report again is a repeat


def test_a_secret_is_masked_as_it_is_escaped_and_in_addresses(scenario: AccessScenario) -> None:
    key = 'pa"ss\\wörd 1'
    hand, item, _ = running(scenario, scenario.fresh_room(), {"key": key})
    spellings = [key, repr(key)[1:-1], json.dumps(key, ensure_ascii=False)[1:-1], quote(key, safe="")]
    assert hand.log(item, *spellings) is None
    assert hand.finish(item, result={"sent": json.dumps({"key": key}, ensure_ascii=False)}) is None
    lines = scenario.member.items(f"/api/jobs/{item['job_id']}/logs")

    assert [line["text"] for line in lines] == [MASK] * 4
    assert scenario.member.job(item["job_id"])["result"] == {"sent": f'{{"key": "{MASK}"}}'}


def test_a_secret_of_several_lines_is_masked_line_by_line(scenario: AccessScenario) -> None:
    pem = "-----BEGIN KEY-----\nMIIEvQIBADANBg\nkqhkiG9w0B\n-----END KEY-----"
    hand, item, _ = running(scenario, scenario.fresh_room(), {"key": pem})
    assert hand.log(item, *pem.splitlines()) is None
    lines = scenario.member.items(f"/api/jobs/{item['job_id']}/logs")

    assert {line["text"] for line in lines} == {MASK}


def test_values_that_do_not_fit_are_refused_without_the_secret(scenario: AccessScenario) -> None:
    room = scenario.fresh_room()
    schema = {"type": "object", "properties": {"key": {**PASSWORD_FIELD, "maxLength": 5}}}
    assert scenario.owner.register(extension(room, "Short", schema=schema)).status_code == 201
    for data in ({"key": SECRET}, {"key": [SECRET]}, {"key": {SECRET: 1}}):
        answer = scenario.member.submit(room, "Short", data)
        the_problem(answer, 422, "invalid_data")
        assert SECRET not in answer.text


def test_the_mask_is_not_taken_for_a_secret(scenario: AccessScenario) -> None:
    room = scenario.fresh_room()
    assert scenario.owner.register(login(room)).status_code == 201
    problem = the_problem(scenario.member.submit(room, "Login", {"key": MASK}), 422, "invalid_data")

    assert problem["errors"][0]["path"] == "/key"
    assert "enter it again" in problem["errors"][0]["message"]


def test_a_concurrency_key_is_not_made_of_a_secret(scenario: AccessScenario) -> None:
    nested = {"type": "object", "properties": {"account": LOGIN}}
    for schema, key in ((LOGIN, "{key}"), (LOGIN, "{url}-{key}"), (nested, "{account.key}")):
        offered = extension(scenario.room, "Keyed", schema=schema, policy={"concurrency": {"key": key}})
        problem = the_problem(scenario.owner.register(offered), 422, "invalid_schema")
        assert "secret" in problem["detail"]
    fine = extension(scenario.room, "Keyed", schema=LOGIN, policy={"concurrency": {"key": "{url}"}})
    assert scenario.owner.register(fine).status_code == 201


def test_a_hostile_schema_of_secrets_costs_nobody_anything(scenario: AccessScenario) -> None:
    """Every part of the values could be secret in ever more ways."""
    choices = {"anyOf": [{"$ref": f"#/$defs/N{number}"} for number in range(50)]}
    parts = {f"N{number}": {"items": choices, "properties": {"s": PASSWORD_FIELD}} for number in range(50)}
    schema = {"type": "object", "properties": {"a": choices}, "$defs": parts}
    room = scenario.fresh_room()
    if scenario.owner.register(extension(room, "Maze", schema=schema)).status_code != 201:
        return
    answer = scenario.member.submit(room, "Maze", {"a": [[[0] * 50] * 20] * 20})

    assert answer.status_code in (422, 413), answer.text


def test_values_may_have_so_many_secrets_and_no_more(start: Start, visit: Meeting) -> None:
    ada = visit(start(max_secret_parts=10), "ada")
    ada.post("/api/rooms", json={"name": "lab"})
    schema = {"type": "object", "properties": {"keys": {"type": "array", "items": PASSWORD_FIELD}}}
    assert ada.register(extension("lab", "Many", schema=schema)).status_code == 201

    assert ada.order("lab", "Many", {"keys": ["key"] * 8})["data"] == {"keys": [MASK] * 8}
    problem = the_problem(ada.submit("lab", "Many", {"keys": ["key"] * 9}), 422, "invalid_data")
    assert "more than 10 parts" in problem["detail"]


def test_the_submitter_can_run_a_job_with_secrets_again(scenario: AccessScenario) -> None:
    room = scenario.fresh_room()
    hand, item, _ = running(scenario, room)
    assert hand.finish(item, "failed", error={"type": "Oops", "message": "no"}) is None
    again = scenario.member.post(f"/api/jobs/{item['job_id']}/retry")

    assert again.status_code == 202, again.text
    assert again.json()["data"] == {"url": "x", "key": MASK}
    assert hand.take()["data"] == {"url": "x", "key": SECRET}


def test_nobody_else_runs_a_job_with_somebodys_secrets_again(scenario: AccessScenario) -> None:
    room = scenario.fresh_room()
    hand, item, _ = running(scenario, room)
    assert hand.finish(item, "failed", error={"type": "Oops", "message": "no"}) is None
    for person in (scenario.owner, scenario.admin):
        problem = the_problem(person.post(f"/api/jobs/{item['job_id']}/retry"), 403, "forbidden")
        assert f"secret values of {scenario.member.user}" in problem["detail"]
        many = person.post(f"/api/rooms/{room}/jobs/retry").json()["items"]
        assert [each["error"]["code"] for each in many] == ["forbidden"]
    assert hand.holds_nothing_new()


def test_a_secret_is_not_replayed_into_a_schema_where_it_is_none(scenario: AccessScenario) -> None:
    """Who offers the extension could otherwise make a stored secret readable."""
    room = scenario.fresh_room()
    hand, item, _ = running(scenario, room)
    assert hand.finish(item, "failed", error={"type": "Oops", "message": "no"}) is None
    assert scenario.owner.delete(f"/api/workers/{hand.id}").status_code == 200
    bare = {"type": "object", "properties": {"key": {"type": "string"}}}
    assert scenario.owner.register(extension(room, "Login", schema=bare)).status_code == 201

    the_problem(scenario.member.post(f"/api/jobs/{item['job_id']}/retry"), 409, "schema_conflict")


def test_a_task_shows_no_secret(scenario: AccessScenario) -> None:
    room = scenario.fresh_room()
    offered = login(None, "Spender", policy={"actor": "spender"})
    assert scenario.admin.register(offered).status_code in (200, 201)
    task = scenario.member.task(room, "spender", key=SECRET)
    found = scenario.member.get(f"/api/task/{task.json()['task_id']}")
    listed = scenario.member.get("/api/task", params={"workflow_run_id": room})

    assert task.json()["payload"]["key"] == MASK
    assert SECRET not in task.text + found.text + listed.text


def test_a_secret_is_nowhere_in_the_files_of_a_server(tmp_path: Path, start: Start, visit: Meeting) -> None:
    server = start(log_level="debug")
    _use(server, visit)
    server.kill()

    assert "workroom.db-wal" in [path.name for path in _with(VISIBLE, tmp_path)]
    assert _with(SECRET, tmp_path) == []
    server.restart()
    server.close()
    assert "workroom.db" in [path.name for path in _with(VISIBLE, tmp_path)]
    assert _with(SECRET, tmp_path) == []


def test_a_secret_is_nowhere_in_the_files_of_valkey_and_its_archive(
    tmp_path: Path, start: Start, visit: Meeting
) -> None:
    valkey = Valkey(tmp_path / "valkey")
    valkey.start()
    try:
        archive = f"sqlite:///{tmp_path / 'archive.db'}"
        server = start(
            store=valkey.url,
            log_level="debug",
            archive=archive,
            archive_after=0.1,
            sweep=0.2,
            signing_key="a key of all servers",
        )
        job_id = _use(server, visit)
        ada = visit(server, "eve")
        eventually(lambda: _is_archived(job_id, tmp_path), 20, "the job in the archive")
        assert ada.get(f"/api/jobs/{job_id}").json()["data"] == {"url": VISIBLE, "key": MASK}
        server.kill()
        with Redis.from_url(valkey.url) as client:
            client.save()
            dumps = [client.dump(key) or b"" for key in client.scan_iter()]
    finally:
        valkey.stop()

    assert "valkey" in {path.relative_to(tmp_path).parts[0] for path in _with(VISIBLE, tmp_path)}
    assert _with(SECRET, tmp_path) == []
    assert [dump for dump in dumps if SECRET.encode() in dump] == []


def _use(server: ServerProcess, visit: Meeting) -> str:
    """A secret goes every way that it can go."""
    ada = visit(server, "ada")
    assert ada.post("/api/rooms", json={"name": "lab"}).status_code == 201
    hand = ada.work(login("lab"), login("lab", "Keys", category="settings"))
    data = {"url": VISIBLE, "key": SECRET}
    assert ada.submit("lab", "Keys", data, category="settings").status_code == 200
    headers = {"Idempotency-Key": "once"}
    path = "/api/rooms/lab/extensions/analysis/Login/submit"
    job_id: str = ada.post(path, json={"data": data}, headers=headers).json()["id"]
    assert ada.post(path, json={"data": data}, headers=headers).json()["id"] == job_id
    item = hand.take()
    assert item["data"] == data
    assert hand.start(item) is None
    assert hand.log(item, f"with {SECRET}") is None
    assert hand.progress(item, message=SECRET) is None
    assert hand.finish(item, "failed", error={"type": "Oops", "message": SECRET}) is None
    assert ada.post(f"/api/jobs/{job_id}/retry").status_code == 202
    item = hand.take()
    assert hand.start(item) is None
    assert hand.finish(item, result={"echo": SECRET}) is None
    ada.submit("lab", "Login", {"key": [SECRET]})
    return job_id


def _is_archived(job_id: str, directory: Path) -> bool:
    return any(path.name.startswith("archive.db") for path in _with(job_id, directory))


def _with(text: str, directory: Path) -> list[Path]:
    return [path for path in directory.rglob("*") if _has(path, text)]


def _has(path: Path, text: str) -> bool:
    return path.is_file() and text.encode() in path.read_bytes()


def test_what_is_reported_after_a_restart_of_the_server_is_masked_too(start: Start, visit: Meeting) -> None:
    server = start()
    ada = visit(server, "ada")
    ada.post("/api/rooms", json={"name": "lab"})
    hand = ada.work(login("lab"))
    job = ada.order("lab", "Login", {"key": SECRET})
    item = hand.take()
    assert hand.start(item) is None
    server.restart()
    again = ada.speak_for(hand.id)
    again.hello(holds=[{**fence(item), "phase": "begun"}], seen=item["number"])

    assert again.log(item, f"still {SECRET}") is None
    assert again.finish(item, result=SECRET) is None
    assert ada.items(f"/api/jobs/{job['id']}/logs")[0]["text"] == f"still {MASK}"
    assert ada.job(job["id"])["result"] == MASK


def test_a_changed_key_fails_the_job_with_a_clear_word(tmp_path: Path, start: Start, visit: Meeting) -> None:
    server = start()
    ada = visit(server, "ada")
    ada.post("/api/rooms", json={"name": "lab"})
    ada.request("PATCH", "/api/rooms/lab", json={"workers": "anyone"})  # after the change ada is somebody new
    ada.register(login("lab"), name="w")
    pending = ada.order("lab", "Login", {"key": SECRET})
    ended = ada.order("lab", "Login", {"key": SECRET})
    assert ada.delete(f"/api/jobs/{ended['id']}").status_code == 200
    server.process.stop()
    (tmp_path / "server" / "signing.key").write_text("ab" * 32)
    server.restart()
    bob = visit(server, "bob")
    hand = bob.work(login("lab"), extension("lab", "Plain"))
    job = eventually(lambda: _failed(bob, pending["id"]), 10, "the job failing")
    plain = bob.order("lab", "Plain", {"n": 1})

    assert job["error"]["type"] == "SecretsUnreadable"
    assert "can no longer be decrypted" in job["error"]["message"]
    assert hand.take()["job_id"] == plain["id"]
    assert "Traceback" not in server.log


def _failed(person: Person, job_id: str) -> Document | None:
    job = person.job(job_id)
    return job if job["status"] == "failed" else None


def test_the_python_worker_gets_the_secret_and_masks_its_output(
    tmp_path: Path, start: Start, visit: Meeting
) -> None:
    server = start()
    ada = visit(server, "ada")
    ada.post("/api/rooms", json={"name": "lab"})
    log = tmp_path / "worker.log"
    worker = WorkerProcess(server.url, "support.extensions.samples:Vault", room="lab", log=log)
    try:
        with Room("lab", url=server.url, user="ada2") as room:
            eventually(lambda: ada.items("/api/rooms/lab/extensions"), 20, "the extension")
            job = room.submit(Vault(key=SecretStr(SECRET)))
            assert job.result(timeout=20) == {"length": len(SECRET), "echo": MASK}
            broken = room.submit_many([Vault(key=SecretStr(SECRET), how="raise")])[0]
            eventually(lambda: ada.job(broken.id)["status"] == "failed", 20, "the failure")
            texts = [line["text"] for line in ada.items(f"/api/jobs/{job.id}/logs")]
            found = ada.job(broken.id)
    finally:
        worker.close()

    assert texts[0] == f"printed {MASK}"
    assert "".join(texts[1:]) == "x" * 995 + MASK
    assert found["error"]["message"] == f"raised {MASK}"
    assert found["data"]["key"] == MASK
    assert SECRET[:8] not in json.dumps([texts, found])
    assert SECRET not in log.read_text()


def test_a_worker_that_requests_jobs_gets_their_secrets(scenario: AccessScenario) -> None:
    room = scenario.fresh_room()
    hand = scenario.owner.work(login(room))
    session = hand.hello("another boot", on_call=True)["session"]
    scenario.member.order(room, "Login", {"key": SECRET})
    ask = {"session": session}
    (item,) = eventually(lambda: hand.call("worker:ask", ask)["jobs"], 10, "a job")

    assert item["data"] == {"key": SECRET}


def test_an_assignment_that_is_pushed_again_has_its_secret(scenario: AccessScenario) -> None:
    room = scenario.fresh_room()
    hand = scenario.owner.work(login(room))
    scenario.member.order(room, "Login", {"key": SECRET})
    hand.take()
    hand.hello(seen=0)

    assert hand.take()["data"] == {"key": SECRET}
