"""Schemas and values that are made to take long, or too much memory: nobody but their sender notices."""

from __future__ import annotations

import time
from collections.abc import Callable, Iterator
from concurrent.futures import Future, ThreadPoolExecutor
from contextlib import ExitStack, contextmanager
from itertools import count
from typing import Any

import httpx
import pytest

from support.users import LoopThread, Person, extension, fence, the_problem
from workroom.testing.processes import ServerProcess

SOON = 2.0  # seconds; on an idle machine it is milliseconds
LIMIT = 0.3  # seconds of CPU time; less than the default, so that the tests end
ROOM = "open-house"
_numbers = count(1)

Schema = dict[str, Any]


class House:
    """A server, an attacker and a victim."""

    def __init__(self, server: ServerProcess, loop: LoopThread, stack: ExitStack) -> None:
        self.server, self._loop, self._stack = server, loop, stack
        self.attacker, self.victim = self.person("mallory"), self.person("victor")
        self.threads = stack.enter_context(ThreadPoolExecutor(40))
        self.victim.post("/api/rooms", json={"name": ROOM})
        self.victim.register(extension(ROOM, "Plain", schema=form({"n": {"type": "integer"}})))
        self.victim.register(extension(ROOM, "Tree", schema=TREE))

    def person(self, name: str) -> Person:
        person = Person(self._loop, self.server.url, f"{name}-{next(_numbers)}")
        self._stack.callback(person.close)
        return person

    def offer(self, schema: Schema) -> str | None:
        """The attacker's extension of this schema, unless it is refused."""
        name = f"Heavy{next(_numbers)}"
        answer = self.attacker.register(extension(ROOM, name, schema=schema))
        if answer.status_code == 422:
            the_problem(answer, 422, "invalid_schema")
            return None
        assert answer.status_code == 201, answer.text
        return name

    def submit(self, person: Person, name: str, data: Any) -> httpx.Response:
        return person.post(
            f"/api/rooms/{ROOM}/extensions/analysis/{name}/submit", json={"data": data}, timeout=60
        )

    def attack(self, name: str, data: Any, times: int = 1) -> list[Future[httpx.Response]]:
        return [self.threads.submit(self.submit, self.attacker, name, data) for _ in range(times)]

    @contextmanager
    def undisturbed(self) -> Iterator[None]:
        """What comes to pass in here, the victim notices nothing of."""
        with ThreadPoolExecutor(1) as other:
            is_over: list[bool] = []
            longest = other.submit(self._longest_answer, is_over)
            try:
                yield
            finally:
                is_over.append(True)
            assert longest.result() < SOON

    def _longest_answer(self, is_over: list[bool]) -> float:
        longest = 0.0
        while True:
            longest = max(
                longest,
                seconds_of(lambda: self.victim.get("/healthz"), 200),
                seconds_of(lambda: self.submit(self.victim, "Plain", {"n": 1}), 202),
                seconds_of(lambda: self.submit(self.victim, "Tree", {"node": [[[]]]}), 202),
            )
            if is_over:
                return longest


def seconds_of(request: Callable[[], httpx.Response], status: int) -> float:
    began = time.monotonic()
    answer = request()
    assert answer.status_code == status, answer.text
    return time.monotonic() - began


def form(properties: Schema, **more: Any) -> Schema:
    return {"type": "object", "properties": properties, **more}


TREE = form({"node": {"$ref": "#/$defs/node"}}, **{"$defs": {"node": {"items": {"$ref": "#/$defs/node"}}}})


def chain(levels: int, link: Callable[[Schema], Schema], end: Schema) -> Schema:
    """Parts that each refer to the next."""
    parts = {f"p{level}": link({"$ref": f"#/$defs/p{level + 1}"}) for level in range(levels)}
    return form({"a": {"$ref": "#/$defs/p0"}}, **{"$defs": {**parts, f"p{levels}": end}})


def doubled_by_index(levels: int) -> Schema:
    """References that lead through a list, where a careless count does not follow them."""
    parts = [{"allOf": [{"$ref": f"#/examples/{level + 1}"}] * 2} for level in range(levels)]
    return form({"a": {"$ref": "#/examples/0"}}, examples=[*parts, {"type": "string"}])


HUGE_NUMBERS = [2**64 - 1 - number for number in range(40_000)]

HOSTILE: dict[str, tuple[Schema, Any]] = {
    "unevaluated properties": (
        chain(
            30, lambda following: {"allOf": [following], "unevaluatedProperties": False}, form({"x": True})
        ),
        {"x": 1},
    ),
    "unevaluated items": (
        chain(
            30,
            lambda following: {"allOf": [following], "unevaluatedItems": False},
            {"prefixItems": [True]},
        ),
        [1],
    ),
    "unevaluated properties that cannot even be compiled": (
        chain(
            900, lambda following: {"allOf": [following], "unevaluatedProperties": False}, form({"x": True})
        ),
        {"x": 1},
    ),
    "small divisors": (form({"a": {"items": {"multipleOf": 5e-324}}}), [1e300] * 140_000),
    "numbers that hash alike": (form({"a": {"uniqueItems": True}}), HUGE_NUMBERS),
    "references that double": (
        chain(40, lambda following: {"allOf": [following, following]}, {"type": "string"}),
        "x",
    ),
    "references that double, through a list": (doubled_by_index(40), "x"),
    "patterns that look ahead": (
        form({"a": {"pattern": "(?=[ab]*a[ab]{900}c)b"}}),
        "ab" * 10_000,
    ),
    "patterns of many states": (
        form({"a": {"items": {"pattern": "[ab]*a[ab]{900}c"}}}),
        ["ab" * 5_000] * 40,
    ),
    "as many faults as there are numbers": (
        form({"a": {"items": {"type": "string"}}}),
        [1] * 400_000,
    ),
    "many faults, each with a copy of all values": (
        form({"a": {"type": "string"}}, required=[f"r{number}" for number in range(12_000)]),
        "x" * 900_000,
    ),
    "many fields with files, many times over": (
        form({"a": {"anyOf": [{"items": {"format": "workroom-file"}} for _ in range(2_000)]}}),
        [1] * 400_000,
    ),
}


@pytest.fixture(scope="module")
def house(tmp_path_factory: pytest.TempPathFactory, loop_thread: LoopThread) -> Iterator[House]:
    data_dir = tmp_path_factory.mktemp("schemas")
    with ServerProcess(data_dir, validation_time=LIMIT) as server, ExitStack() as stack:
        yield House(server, loop_thread, stack)


@pytest.mark.parametrize("kind", HOSTILE)
def test_a_guest_cannot_stop_the_server_with_a_schema(house: House, kind: str) -> None:
    schema, value = HOSTILE[kind]
    with house.undisturbed():
        name = house.offer(schema)
        answers = [] if name is None else [each.result() for each in house.attack(name, {"a": value}, 2)]

    assert {answer.status_code for answer in answers} <= {202, 422}
    assert all(len(answer.content) < 20_000 for answer in answers if answer.status_code == 422)


def test_many_heavy_submits_of_one_user_do_not_delay_another(house: House) -> None:
    name = house.offer(HOSTILE["unevaluated properties"][0])
    assert name is not None

    with house.undisturbed():
        answers = [each.result() for each in house.attack(name, {"a": {"x": 1}}, 8)]

    for answer in answers:
        assert f"longer than {LIMIT} s" in the_problem(answer, 422, "invalid_data")["detail"]


def test_a_batch_of_heavy_submits_delays_nobody_and_ends(
    tmp_path_factory: pytest.TempPathFactory, loop_thread: LoopThread
) -> None:
    data_dir = tmp_path_factory.mktemp("batch")
    with (
        ServerProcess(data_dir, validation_time=LIMIT, batch_validation_time=1) as server,
        ExitStack() as stack,
    ):
        house = House(server, loop_thread, stack)
        name = house.offer(HOSTILE["unevaluated properties"][0])
        heavy = {"category": "analysis", "name": name, "data": {"a": {"x": 1}}}
        plain = {"category": "analysis", "name": "Plain", "data": {"n": 1}}
        with house.undisturbed():
            answer = house.attacker.post(
                f"/api/rooms/{ROOM}/jobs/batch", json={"jobs": [*[heavy] * 1000, plain]}
            )

    entries = answer.json()["items"]
    assert {entry["error"]["code"] for entry in entries[:-1]} == {"invalid_data", "too_many_requests"}
    assert entries[-1]["job"]["status"] == "pending"


def test_a_user_with_too_many_heavy_submits_waiting_must_retry_later(
    tmp_path_factory: pytest.TempPathFactory, loop_thread: LoopThread
) -> None:
    data_dir = tmp_path_factory.mktemp("queue")
    with (
        ServerProcess(data_dir, validation_time=LIMIT, max_validation_queue=3) as server,
        ExitStack() as stack,
    ):
        house = House(server, loop_thread, stack)
        name = house.offer(HOSTILE["unevaluated properties"][0])
        assert name is not None
        answers = [each.result() for each in house.attack(name, {"a": {"x": 1}}, 20)]

    refused = [answer for answer in answers if answer.status_code == 429]
    assert len(answers) - len(refused) == 1 + 3
    assert the_problem(refused[0], 429, "too_many_requests")["retry_after_ms"] > 0
    assert int(refused[0].headers["retry-after"]) >= 1


def test_questions_with_schemas_that_take_long_delay_nobody(house: House) -> None:
    hand = house.attacker.work(extension(ROOM, "Asker"))
    house.attacker.order(ROOM, "Asker")
    item = hand.take()
    assert hand.start(item) is None
    schema = HOSTILE["unevaluated properties that cannot even be compiled"][0]
    question = {**fence(item), "text": "Well?", "schema": schema}
    with house.undisturbed():
        reply = hand.call("job:ask", [{**question, "key": str(number)} for number in range(6)])

    assert {each["code"] for each in reply["answers"]} <= {"invalid_schema", "too_many_requests"}
    assert hand.finish(item) is None


def test_a_process_that_was_ended_is_replaced(house: House) -> None:
    name = house.offer(HOSTILE["unevaluated properties"][0])
    assert name is not None
    for each in house.attack(name, {"a": {"x": 1}}, 4):
        each.result()

    assert house.submit(house.attacker, "Tree", {"node": [[], [[]]]}).status_code == 202
    assert house.submit(house.attacker, name, {"a": 7}).status_code == 422


def test_heavy_schemas_are_checked_all_the_same(house: House) -> None:
    schema = form({"a": {"contains": {"const": 7}, "uniqueItems": True}}, unevaluatedProperties=False)
    name = house.offer(schema)
    assert name is not None

    assert house.submit(house.attacker, name, {"a": [7]}).status_code == 202
    faults = the_problem(house.submit(house.attacker, name, {"a": [1, 1], "b": 1}), 422, "invalid_data")[
        "errors"
    ]
    assert {fault["path"] for fault in faults} == {"/a", "/"}


def test_a_schema_that_cannot_be_compiled_is_refused_wherever_it_is_compiled(house: House) -> None:
    for more in ({}, {"unevaluatedProperties": False}):
        schema = form({"a": {"type": "no such type"}}, **more)
        answer = house.attacker.register(extension(ROOM, "Broken", schema=schema))
        the_problem(answer, 422, "invalid_schema")


def test_a_thousand_schemas_in_one_registration_hold_nobody_up(house: House) -> None:
    pattern = r"(\w{5}?\pL){2}"
    schemas = [form({f"f{n}-{m}": {"pattern": f"{pattern}{m}"} for m in range(10)}) for n in range(900)]
    with house.undisturbed():
        answer = house.attacker.register(
            *[extension(ROOM, f"Many{n}", schema=schema) for n, schema in enumerate(schemas)]
        )

    assert answer.status_code in (201, 422, 429)


def test_a_concurrency_key_of_a_megabyte_is_made_in_no_time(house: House) -> None:
    policy = {"concurrency": {"key": "{a}" * 60}}
    assert house.attacker.register(extension(ROOM, "Keyed", policy=policy)).status_code == 201
    with house.undisturbed():
        for value in ([1] * 400_000, "x" * 900_000):
            assert house.submit(house.attacker, "Keyed", {"a": value}).status_code == 202


def test_the_answer_to_a_batch_of_many_faults_has_an_end(house: House) -> None:
    name = house.offer(form({}, required=[f"{number}-{'r' * 280}" for number in range(100)]))
    faulty: dict[str, Any] = {"category": "analysis", "name": name, "data": {}}
    with house.undisturbed():
        answer = house.attacker.post(f"/api/rooms/{ROOM}/jobs/batch", json={"jobs": [faulty] * 5_000})

    assert len(answer.content) < 10_000_000
    assert len(answer.json()["items"][0]["error"]["errors"]) == 20
    assert {entry["error"]["code"] for entry in answer.json()["items"]} <= {
        "invalid_data",
        "too_many_requests",
    }


def test_an_answer_names_faults_briefly_however_long_the_names_are(house: House) -> None:
    name = house.offer(form({}, additionalProperties={"type": "integer"}))
    assert name is not None
    answer = house.submit(house.attacker, name, {"k" * 400_000: "v" * 400_000})

    assert len(the_problem(answer, 422, "invalid_data")["errors"]) == 1
    assert len(answer.content) < 5_000
