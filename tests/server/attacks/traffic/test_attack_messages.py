"""Whatever a worker puts on the wire is answered, or the connection closes and says why."""

from __future__ import annotations

import json
import re
import time
from collections.abc import Iterator
from typing import Any

import orjson
import pytest
from websocket import ABNF

from support.raw_connections import WHOLE, RawWebSocket, frame
from support.raw_worker import NONCE, Closed, RawSocket, RawWorker
from support.users import Document, Person, extension, fence, lines, the_problem
from workroom.testing.processes import ServerProcess, eventually

LONE = "\\ud83d"  # the first half of an emoji, as JSON escapes it
REPLACED = "\ufffd"


class Stage:
    """A worker of ada's that runs a job of hers."""

    def __init__(self, ada: Person, room: str, **registration: object) -> None:
        self.ada = ada
        worker_id = ada.register(extension(room), **registration).json()["worker_id"]
        self.worker = RawWorker(ada, worker_id)
        self.room = room
        self.submit()

    def submit(self) -> None:
        self.id = self.ada.order(self.room)["id"]
        self.item = self.worker.begin()
        self.fence = fence(self.item)

    @property
    def job(self) -> Document:
        return self.ada.job(self.id)

    @property
    def progress(self) -> Document:
        """Waited for: it is acked before it is on disk."""
        return eventually(lambda: self.job["progress"], what="the progress")

    def ends(self) -> None:
        """The job can still come to its end."""
        assert self.worker.finish(self.item, "failed", error={"type": "Given", "message": "up"}) == {
            "answers": [None]
        }
        assert self.job["status"] == "failed"


@pytest.fixture
def stage(ada: Person, room: str) -> Iterator[Stage]:
    stage = Stage(ada, room)
    yield stage
    stage.worker.close()


@pytest.fixture
def raw(ada: Person) -> Iterator[RawSocket]:
    raw = RawSocket(ada)
    yield raw
    raw.close()


@pytest.fixture(autouse=True)
def no_traceback(server: ServerProcess) -> Iterator[None]:
    before = len(server.log)
    yield
    said = server.log[before:]
    assert "Traceback" not in said, said


def item_with(stage: Stage, **raw_fields: str) -> str:
    """One report as JSON, with fields that are written by hand."""
    written = ", ".join(f'"{name}": {value}' for name, value in raw_fields.items())
    return f"[{json.dumps(stage.fence)[:-1]}, {written}}}]"


@pytest.mark.parametrize("text", [LONE, f"a{LONE}b", "\\udc00", f"{LONE}{LONE}", "\\uDC00\\uD83D"], ids=ascii)
def test_half_an_emoji_in_a_result_does_not_leave_its_job_running(stage: Stage, text: str) -> None:
    report = item_with(stage, status='"completed"', result=f'{{"{text}": ["{text}", "\\ud83d\\ude00"]}}')
    expected = json.loads(f'"{text}"').encode("utf-16", "surrogatepass").decode("utf-16", "replace")

    assert stage.worker.call_raw("job:finish", report) == {"answers": [None]}
    assert stage.job["status"] == "completed"
    assert stage.job["result"] == {expected: [expected, "\U0001f600"]}
    assert REPLACED in expected


def test_half_an_emoji_in_an_error_is_replaced(stage: Stage) -> None:
    error = f'{{"type": "{LONE}", "message": "{LONE}", "details": {{"{LONE}": 1}}, "stack_trace": "{LONE}"}}'
    report = item_with(stage, status='"failed"', error=error)

    assert stage.worker.call_raw("job:finish", report) == {"answers": [None]}
    assert stage.job["error"] == {
        "type": REPLACED,
        "message": REPLACED,
        "details": {REPLACED: 1},
        "stack_trace": REPLACED,
    }


def test_half_an_emoji_in_a_line_or_in_progress_is_replaced(stage: Stage) -> None:
    line = f'{{"seq": 1, "at": "2026-01-20T12:00:00Z", "text": "{LONE}"}}'

    assert stage.worker.call_raw("job:log", item_with(stage, lines=f"[{line}]")) == {"answers": [None]}
    assert stage.worker.call_raw("job:progress", item_with(stage, message=f'"{LONE}"')) == {"answers": [None]}
    assert [each["text"] for each in stage.ada.items(f"/api/jobs/{stage.id}/logs")] == [REPLACED]
    assert stage.progress["message"] == REPLACED
    stage.ends()


def test_half_an_emoji_is_replaced_in_what_comes_by_rest(ada: Person, room: str) -> None:
    hand = ada.work(extension(room))
    headers = {"Content-Type": "application/json"}
    path = f"/api/rooms/{room}/extensions/analysis/Echo/submit"
    submitted = ada.post(path, content=f'{{"data": {{"text": "{LONE}"}}}}', headers=headers)
    assert submitted.json()["data"] == {"text": REPLACED}
    item = hand.take()
    hand.start(item)
    report = json.dumps({**hand.speaks_for(item), "status": "completed"})[:-1] + f', "result": "{LONE}"}}'

    ended = ada.put(f"/api/jobs/{item['job_id']}/status", content=report, headers=headers)
    said = ada.post(f"/api/rooms/{room}/chat", content=f'{{"text": "{LONE}"}}', headers=headers)
    titled = ada.request("PATCH", f"/api/rooms/{room}", content=f'{{"title": "{LONE}"}}', headers=headers)

    assert ended.json()["result"] == REPLACED
    assert said.json()["text"] == REPLACED
    assert titled.json()["title"] == REPLACED


def test_binary_in_a_report_is_refused_for_good(stage: Stage) -> None:
    report = item_with(stage, status='"completed"', result='{"_placeholder": true, "num": 0}')

    answer = stage.worker.call_raw("job:finish", report, "451-", (b"\x00\x01",))

    assert (answer["error"]["code"], answer["error"]["retryable"]) == ("invalid_request", False)
    stage.ends()


def test_binary_with_many_parts_is_refused_once(stage: Stage) -> None:
    answer = stage.worker.call_raw("job:log", "[]", "453-", (b"1", b"2", b"3"))

    assert answer["error"]["code"] == "invalid_request"
    stage.ends()


@pytest.mark.parametrize("depth", [300, 1000, 1500, 100_000])
def test_a_result_that_is_nested_too_deeply_is_refused_for_good(stage: Stage, depth: int) -> None:
    report = item_with(stage, status='"completed"', result="[" * depth + "]" * depth)

    answer = stage.worker.call_raw("job:finish", report)

    problem = answer["error"] if "error" in answer else answer["answers"][0]
    assert problem["retryable"] is False
    assert "orjson" not in problem["detail"]
    stage.ends()


@pytest.mark.parametrize(
    ("text", "code"),
    [
        ("427[", "malformed_json"),
        ("427[nonsense]", "malformed_json"),
        ('427["job:finish",NaN]', "malformed_json"),
        ('427["job:finish",[1e999]]', "malformed_json"),
        ("427", "malformed_json"),
        ("427{}", "invalid_request"),
        ("427[]", "invalid_request"),
        ("427[1]", "invalid_request"),
        ('427["job:finish",[],[]]', "invalid_request"),
        ('427["no:such",{}]', "not_found"),
        ('427["' + "x" * 10_000 + '",{}]', "not_found"),
        ('427["\\ud83d",{}]', "not_found"),
        ("450-7[]", "invalid_request"),
    ],
    ids=lambda text: text[:30],
)
def test_an_event_that_makes_no_sense_is_answered(raw: RawSocket, text: str, code: str) -> None:
    raw.send(text)

    problem = raw.answer(7)["error"]

    assert (problem["code"], problem["retryable"]) == (code, False)
    assert len(problem["detail"]) < 500


def test_an_event_for_another_namespace_is_answered_there(raw: RawSocket) -> None:
    raw.send('42/other,7["job:finish",[]]')
    packet = raw.next()

    assert isinstance(packet, str)
    assert packet.startswith("43/other,7[")
    assert '"not_found"' in packet


def test_a_refused_namespace_gives_a_reason(raw: RawSocket) -> None:
    raw.send('40/other,{"token": "any"}')
    packet = raw.next()

    assert isinstance(packet, str)
    assert packet.startswith("44/other,{")
    assert json.loads(packet.partition(",")[2])["data"]["detail"] == "there is no namespace but '/'"


SENSELESS = (
    *("4", "42", "42[nonsense]", "42[]", "42[1]", "43[", "44", "44{}", "45", "451-[]", "461-7[]", "46", "47"),
    *("9", "x", "6", "2", "0", "b4", "40["),
)


@pytest.mark.parametrize("text", ["", '40{"token":', '42/other,["job:finish",[]]', "459999-7[]", *SENSELESS])
def test_an_unanswerable_message_closes_the_connection_with_a_reason(raw: RawSocket, text: str) -> None:
    raw.send(text)
    packet = raw.next()

    assert isinstance(packet, Closed), packet
    assert packet.code == 1003
    assert packet.reason


def test_a_binary_frame_that_nothing_announced_closes_the_connection(raw: RawSocket) -> None:
    raw.send_binary(b"\x00" * 10)

    assert raw.next() == Closed(1003, "binary messages are not supported: send JSON")


def test_a_text_that_is_not_utf8_closes_the_connection_with_a_reason(raw: RawSocket) -> None:
    raw.socket.send_frame(ABNF.create_frame(b'421["room:leave",{"room":"\xff"}]', ABNF.OPCODE_TEXT))
    closed = raw.next()
    assert isinstance(closed, Closed)
    assert (closed.code, closed.reason) == (1007, "a text message is not UTF-8")


@pytest.mark.parametrize("payload", ["[" * 2000, "{}", "7", '["job:finish",[]]'])
def test_a_goodbye_that_carries_something_closes_the_connection(raw: RawSocket, payload: str) -> None:
    raw.send(f"41{payload}")
    closed = raw.next()
    assert isinstance(closed, Closed)
    assert "DISCONNECT" in closed.reason


@pytest.mark.parametrize("text", ["43[]", "437[true]", '437["\\ud83d"]', "43999999[{}]"])
def test_an_ack_that_nobody_waits_for_does_no_harm(raw: RawSocket, text: str) -> None:
    raw.send(text)

    assert raw.call("job:unwatch", {"job_id": "nothing"}) == {"job_id": "nothing"}


REPORTS = [
    *("job:start", "job:finish", "job:progress", "job:log"),
    *("job:external", "job:intend", "job:ask", "job:suspend"),
]


def good(stage: Stage, event: str) -> Document:
    """An item that the server takes, again and again."""
    fields: dict[str, Document] = {
        "job:start": {"nonce": NONCE},
        "job:finish": {"status": "completed"},
        "job:progress": {"fraction": 0.5},
        "job:log": {"lines": lines("hello")},
        "job:external": {"provider": "leonardo", "id": "g-1"},
        "job:intend": {"provider": "leonardo", "digest": "d-1"},
        "job:ask": {"key": "keep", "text": "Keep it?", "schema": {"type": "object"}},
        "job:suspend": {"waits": None},
    }
    return {**stage.fence, **fields[event]}


@pytest.mark.parametrize("event", REPORTS)
@pytest.mark.parametrize("bad", [None, {}, [], 5, {"job_id": "x" * 201, "attempt": 1, "token": "t"}], ids=str)
def test_one_bad_item_does_not_refuse_the_good_ones(stage: Stage, event: str, bad: Any) -> None:
    answers = stage.worker.call(event, [bad, good(stage, event), bad])["answers"]

    assert answers[1] is None
    assert [(each["code"], each["retryable"]) for each in (answers[0], answers[2])] == [
        ("invalid_request", False)
    ] * 2
    if event == "job:finish":
        assert stage.job["status"] == "completed"
    else:
        stage.ends()


@pytest.mark.parametrize("event", REPORTS)
def test_a_list_that_is_too_long_is_refused_before_it_is_read(stage: Stage, event: str) -> None:
    unknown = {"job_id": "nobody", "attempt": 1, "token": "x"}
    filler = {**good(stage, event), **unknown}
    refused = stage.worker.call(event, [filler] * 257)["error"]
    answers = stage.worker.call(event, [filler] * 255 + [good(stage, event)])["answers"]

    assert (refused["code"], refused["retryable"], refused["max_items"]) == ("invalid_request", False, 256)
    assert len(answers) == 256
    assert answers[-1] is None


def test_eight_hundred_thousand_empty_items_do_not_stop_the_server(stage: Stage, ada: Person) -> None:
    began = time.monotonic()
    answer = stage.worker.call_raw("job:finish", "[" + "{}," * 800_000 + "{}]")

    assert answer["error"]["code"] == "body_too_large"
    assert ada.get("/healthz").status_code == 200
    assert time.monotonic() - began < 5
    stage.ends()


def test_faults_by_the_hundred_thousand_are_counted_and_not_listed(stage: Stage) -> None:
    unknown = {f"f{n}": 0 for n in range(200_000)}
    for event, body in (("job:wait", unknown), ("job:submit", unknown), ("lock:acquire", unknown)):
        error = stage.worker.call(event, body)["error"]
        assert (error["code"], "errors" in error) == ("invalid_request", False)
        assert "the request has 200,00" in error["detail"]

    for event in ("job:start", "job:finish", "job:progress", "job:log", "job:release", "job:ask"):
        (refused,) = stage.worker.call(event, [unknown])["answers"]
        assert (refused["code"], refused["retryable"]) == ("invalid_request", False)
        assert "errors" not in refused
    stage.ends()


def test_faults_by_the_ten_thousand_are_counted_by_rest_too(ada: Person, room: str) -> None:
    unknown = {f"f{n}": 0 for n in range(50_000)}
    faulty = [{f"f{n}": 0 for n in range(8)}] * 8000
    for path, body in (
        ("/api/rooms", unknown),
        ("/api/workers/register", unknown),
        (f"/api/rooms/{room}/extensions/analysis/Echo/submit", unknown),
        (f"/api/rooms/{room}/jobs/batch", {"jobs": [unknown]}),
        (f"/api/rooms/{room}/jobs/batch", {"jobs": faulty}),
        (f"/api/rooms/{room}/groups", {"jobs": faulty}),
    ):
        problem = the_problem(ada.post(path, json=body), 422, "invalid_request")
        assert "errors" not in problem
        assert "too many to list" in problem["detail"]


def held(count: int) -> list[Document]:
    return [{"job_id": f"job-{n}", "attempt": 1, "token": "x", "phase": "begun"} for n in range(count)]


def test_a_worker_cannot_claim_to_hold_more_than_is_allowed(stage: Stage) -> None:
    beat = {"session": stage.worker.session, "seen": stage.item["number"]}
    own = {**stage.fence, "phase": "begun"}
    most = stage.worker.call("worker:heartbeat", {**beat, "holds": [own, *held(9_999)]})
    more = stage.worker.call("worker:heartbeat", {**beat, "holds": [own, *held(10_000)]})
    hello = {"worker_id": stage.worker.id, "boot_id": "the first boot", "holds": held(10_001)}

    assert len(most["drop"]) == 9_999
    assert (more["error"]["code"], more["error"]["max_holds"]) == ("invalid_request", 10_000)
    assert stage.worker.call("worker:hello", hello)["error"]["max_holds"] == 10_000
    stage.ends()


@pytest.mark.parametrize("attempt", ["1", True, 1.0, 0, -1, 2**53, 2**70, None, [1]], ids=str)
@pytest.mark.parametrize("event", REPORTS)
def test_an_attempt_is_a_whole_number_and_nothing_like_one(stage: Stage, event: str, attempt: Any) -> None:
    (problem,) = stage.worker.call(event, [{**good(stage, event), "attempt": attempt}])["answers"]

    assert problem["code"] == "invalid_request"
    assert problem["errors"][0]["path"] == "/attempt"


@pytest.mark.parametrize(
    "body", [{"attempt": "1"}, {"attempt": True}, {"status": 1}, {"run_ms": "5"}], ids=str
)
def test_rest_is_as_strict(stage: Stage, body: Document) -> None:
    report = {"worker_id": stage.worker.id, "attempt": 1, "token": stage.item["token"], "status": "completed"}

    the_problem(
        stage.ada.put(f"/api/jobs/{stage.id}/status", json={**report, **body}), 422, "invalid_request"
    )
    assert stage.job["status"] == "running"


BAD_FIELDS = [
    {"status": None},
    {"status": 5},
    {"status": {}},
    {"status": "done"},
    {"status": "running"},
    {"run_ms": -1},
    {"run_ms": 1e13},
    {"run_ms": "5"},
    {"error": "text"},
    {"error": {"type": 5}},
    {"error": {"details": []}},
    {"more": 1},
    {"token": "x" * 201},
]
PYTHON = re.compile(r"\b(?:NoneType|Pydantic\w*|orjson|JobState|\w+Body|\w+Event|dict|str|int|instance of)\b")


@pytest.mark.parametrize("fields", BAD_FIELDS, ids=str)
def test_a_refused_end_gives_its_reason_in_words_of_json(stage: Stage, fields: Document) -> None:
    report = {**stage.fence, "status": "failed", **fields}

    (problem,) = stage.worker.call("job:finish", [report])["answers"]

    assert (problem["code"], problem["retryable"]) == ("invalid_request", False)
    assert not PYTHON.search(problem["detail"]), problem["detail"]
    stage.ends()


@pytest.mark.parametrize("event", ["worker:hello", "worker:heartbeat", "worker:ask", "job:watch", "job:wait"])
@pytest.mark.parametrize("body", [None, [], "text", 5, {}], ids=str)
def test_a_malformed_message_is_refused_in_words_of_json(stage: Stage, event: str, body: Any) -> None:
    problem = stage.worker.call(event, body)["error"]

    assert (problem["code"], problem["retryable"]) == ("invalid_request", False)
    assert not PYTHON.search(problem["detail"]), problem["detail"]


@pytest.mark.parametrize("number", [-1, 1e13, "5", True, None], ids=str)
def test_elapsed_time_is_a_number_in_bounds(stage: Stage, number: Any) -> None:
    (problem,) = stage.worker.call("job:progress", [{**stage.fence, "elapsed_ms": number}])["answers"]

    assert problem["errors"][0]["path"] == "/elapsed_ms"


@pytest.mark.parametrize(
    "at", ["0001-01-01T00:00:00+14:00", "9999-12-31T23:59:59-14:00", 5, None, "noon"], ids=str
)
def test_a_line_at_an_impossible_time_is_refused(stage: Stage, at: Any) -> None:
    (line,) = lines("hello")

    (problem,) = stage.worker.call("job:log", [{**stage.fence, "lines": [{**line, "at": at}]}])["answers"]

    assert problem["errors"][0]["path"] == "/lines/0/at"
    stage.ends()


def test_numbers_beyond_64_bits_are_kept_as_what_json_readers_make_of_them(stage: Stage) -> None:
    report = item_with(stage, status='"completed"', result=f"[{10**30}, {2**64 - 1}, {-(2**63)}]")

    assert stage.worker.call_raw("job:finish", report) == {"answers": [None]}
    assert stage.job["result"] == [1e30, 2**64 - 1, -(2**63)]


def failed_with(stage: Stage, **error: Any) -> Document:
    report = {"type": "Oops", "message": "no", **error}
    assert stage.worker.finish(stage.item, "failed", error=report) == {"answers": [None]}
    kept: Document = stage.job["error"]
    return kept


def test_details_of_an_error_are_kept_up_to_their_limit(stage: Stage) -> None:
    details = {"text": "x" * (64_000 - len('{"text":""}'))}

    assert failed_with(stage, details=details)["details"] == details


def test_details_beyond_the_limit_are_replaced_by_a_note(stage: Stage) -> None:
    details = {"text": "x" * (64_001 - len('{"text":""}'))}
    stage.ada.listen(stage.room)

    kept = failed_with(stage, details=details)

    assert kept["message"] == "no"
    assert kept["details"] == {
        "note": "the details were left out: they have 64,001 bytes; at most 64,000 are kept"
    }
    (listed,) = stage.ada.items(f"/api/rooms/{stage.room}/jobs")
    assert listed["error"] == {"type": "Oops", "message": "no", "details": {}, "stack_trace": None}


@pytest.mark.parametrize("depth", [240, 250, 260, 900])
def test_details_that_are_nested_deeply_do_not_keep_a_job_from_its_end(stage: Stage, depth: int) -> None:
    details: Document = {}
    for _ in range(depth):
        details = {"in": details}

    kept = failed_with(stage, details=details)

    assert ("note" in kept["details"]) is (depth >= 250)


def test_texts_of_an_error_are_truncated(stage: Stage) -> None:
    kept = failed_with(stage, type="x" * 201, message="x" * 10_001, stack_trace="x" * 100_001)

    assert [len(kept[field]) for field in ("type", "message", "stack_trace")] == [200, 10_000, 100_000]


def test_the_message_of_progress_is_truncated(stage: Stage) -> None:
    assert stage.worker.call("job:progress", [{**stage.fence, "message": "x" * 1001}]) == {"answers": [None]}
    assert len(stage.progress["message"]) == 1000
    stage.ends()


def test_lists_of_jobs_carry_no_details_and_no_stack_traces(stage: Stage) -> None:
    failed_with(stage, details={"part": "gear"}, stack_trace="in line 5")
    mine = stage.ada.items(f"/api/users/{stage.ada.user}/jobs")
    of_the_room = stage.ada.items(f"/api/rooms/{stage.room}/jobs")

    for listed in (mine, of_the_room):
        (error,) = [each["error"] for each in listed if each["id"] == stage.id]
        assert error == {"type": "Oops", "message": "no", "details": {}, "stack_trace": None}
    assert stage.job["error"]["details"] == {"part": "gear"}
    assert stage.job["error"]["stack_trace"] == "in line 5"


def test_facts_about_a_machine_are_bounded(ada: Person, room: str) -> None:
    fitting = {"host": "x" * (16_000 - len('{"host":""}'))}

    assert ada.register(extension(room), machine=fitting).status_code == 201
    large = the_problem(ada.register(extension(room), machine={"host": "x" * 16_000}), 422, "invalid_request")
    assert large["max_bytes"] == 16_000


TOO_LONG = "x" * 201


@pytest.mark.parametrize(
    "policy",
    [
        {"timeout": 1e300},
        {"timeout": "60"},
        {"retries": True},
        {"priority": "1"},
        {"concurrency": {"key": TOO_LONG}},
        {"concurrency": {"key": "{a}", "limits": {TOO_LONG: 1}}},
    ],
    ids=lambda policy: str(policy)[:40],
)
def test_a_policy_is_bounded(ada: Person, room: str, policy: Document) -> None:
    the_problem(ada.register(extension(room, policy=policy)), 422, "invalid_request")


@pytest.mark.parametrize("fields", [{"category": TOO_LONG}, {"name": TOO_LONG}, {"room": TOO_LONG}], ids=list)
def test_names_that_are_far_too_long_are_not_read_out_again(ada: Person, room: str, fields: Document) -> None:
    offered = {**extension(room), **fields}
    body = {"room": room, "category": "analysis", "name": "Echo", "data": {}, **fields}

    assert len(ada.register(offered).text) < 2000
    assert len(json.dumps(ada.listen().call("job:submit", body))) < 2000


def test_lines_of_one_report_are_bounded(stage: Stage) -> None:
    most = lines(*("x" * 10_000))

    (problem,) = stage.worker.call("job:log", [{**stage.fence, "lines": [*most, *most[:1]]}])["answers"]

    assert problem["errors"][0]["path"] == "/lines"
    assert stage.worker.call("job:log", [{**stage.fence, "lines": most}]) == {"answers": [None]}
    stage.ends()


def test_a_client_that_is_gone_before_its_connect_is_handled_leaves_no_traceback(
    server: ServerProcess, ada: Person
) -> None:
    for _ in range(50):
        with RawWebSocket(server.url) as wire:
            hello = frame(WHOLE, b"40" + orjson.dumps({"token": ada.token}))
            wire.send(hello + frame(WHOLE, b"1"))  # CLOSE, in the words of Engine.IO

    with RawWebSocket(server.url) as wire:
        assert str(wire.connect(ada.token)).startswith("40")
    assert "Traceback" not in server.log


def test_a_question_with_a_deep_schema_is_refused(stage: Stage) -> None:
    schema = '{"type":"object","default":' * 300 + "{}" + "}" * 300
    item = json.dumps({**stage.fence, "key": "deep", "text": "Keep it?"})[:-1] + f',"schema":{schema}}}'

    [answer] = stage.worker.call_raw("job:ask", f"[{item}]")["answers"]

    assert (answer["code"], answer["retryable"]) == ("invalid_request", False)
