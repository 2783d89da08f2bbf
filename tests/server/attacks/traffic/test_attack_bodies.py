"""Bodies, values and schemas that are made to hurt: each is refused, and the server goes on."""

from __future__ import annotations

import gzip
import socket
from collections.abc import Iterator
from typing import Any

import orjson
import pytest

from support.access_scenario import AccessScenario
from support.users import extension, the_problem

MAX_BODY = 1_100_000
MAX_DATA = 1_000_000


@pytest.fixture(autouse=True)
def goes_on(scenario: AccessScenario) -> Iterator[None]:
    """Whatever was sent, the server answers others."""
    yield
    assert scenario.nobody.get("/healthz").status_code == 200


def submit_path(scenario: AccessScenario, name: str = "Nap") -> str:
    return f"/api/rooms/{scenario.open}/extensions/analysis/{name}/submit"


def post(scenario: AccessScenario, content: Any, **headers: str) -> Any:
    kind = {"Content-Type": "application/json", **headers}
    return scenario.guest.post(submit_path(scenario), content=content, headers=kind)


def raw(scenario: AccessScenario, head: list[str], body: bytes = b"") -> bytes:
    """Bytes as they are; what comes back until the server closes or has answered."""
    host, port = scenario.server.url.removeprefix("http://").split(":")
    lines = [
        f"Host: {host}:{port}",
        f"Authorization: Bearer {scenario.guest.token}",
        "Connection: close",
        *head,
    ]
    text = f"POST {submit_path(scenario)} HTTP/1.1\r\n" + "\r\n".join(lines) + "\r\n\r\n"
    with socket.create_connection((host, int(port)), 20) as wire:
        wire.sendall(text.encode() + body)
        wire.shutdown(socket.SHUT_WR)
        return b"".join(iter(lambda: wire.recv(65536), b""))


def test_a_body_of_a_byte_too_many_is_refused(scenario: AccessScenario) -> None:
    the_problem(post(scenario, b" " * (MAX_BODY + 1)), 413, "body_too_large")


def test_values_of_a_byte_too_many_are_refused(scenario: AccessScenario) -> None:
    scenario.owner.register(extension(scenario.open, "Free"))
    path, empty = submit_path(scenario, "Free"), len(orjson.dumps({"text": ""}))
    fitting, too_many = ("x" * (MAX_DATA - empty + more) for more in (0, 1))

    assert scenario.guest.post(path, json={"data": {"text": fitting}}).status_code == 202
    the_problem(scenario.guest.post(path, json={"data": {"text": too_many}}), 413, "body_too_large")


def test_a_body_without_a_length_is_counted(scenario: AccessScenario) -> None:
    def chunks() -> Iterator[bytes]:
        for _ in range(12):
            yield b" " * 100_000

    assert post(scenario, iter([b'{"data":', b"{}}"])).status_code == 202
    the_problem(post(scenario, chunks()), 413, "body_too_large")


def test_a_length_that_lies_is_of_no_use(scenario: AccessScenario) -> None:
    too_short = raw(scenario, ["Content-Type: application/json", "Content-Length: 5"], b'{"data":{}}')
    too_long = raw(scenario, ["Content-Type: application/json", "Content-Length: 500"], b'{"data":{}}')
    missing = raw(scenario, ["Content-Type: application/json"], b'{"data":{}}')

    assert too_short.startswith(b"HTTP/1.1 400")
    assert not too_long.startswith(b"HTTP/1.1 2")
    assert not missing.startswith(b"HTTP/1.1 2")


@pytest.mark.parametrize("length", ["-1", "1e9", "99999999999999999999", "9" * 5000, "0x10", "5, 5"])
def test_an_odd_length_is_refused(scenario: AccessScenario, length: str) -> None:
    assert raw(scenario, [f"Content-Length: {length}"], b"{}").split()[1] in (b"400", b"413")


def test_a_length_and_chunks_together_are_not_two_requests(scenario: AccessScenario) -> None:
    smuggled = b"0\r\n\r\nGET /api/users/me HTTP/1.1\r\nHost: 127.0.0.1\r\n\r\n"
    answer = raw(scenario, ["Transfer-Encoding: chunked", f"Content-Length: {len(smuggled)}"], smuggled)

    assert answer.count(b"HTTP/1.1 ") <= 1


@pytest.mark.parametrize("encoding", ["gzip", "deflate", "br", "zstd", "gzip, identity", "GZIP"])
def test_a_compressed_body_is_refused_unread(scenario: AccessScenario, encoding: str) -> None:
    bomb = gzip.compress(b" " * 50_000_000)

    the_problem(post(scenario, bomb, **{"Content-Encoding": encoding}), 415, "unsupported_encoding")


@pytest.mark.parametrize("opening", ["[", '{"a":', '{"data":{"a":['])
def test_json_of_a_hundred_thousand_levels_is_refused(scenario: AccessScenario, opening: str) -> None:
    the_problem(post(scenario, (opening * 100_000)[:900_000].encode()), 400, "malformed_json")
    closed = b'{"data":{"a":' + b"[" * 100_000 + b"]" * 100_000 + b"}}"
    the_problem(post(scenario, closed), 400, "malformed_json")


@pytest.mark.parametrize("depth", [200, 500, 1000])
def test_json_that_can_be_read_but_not_written_is_refused(scenario: AccessScenario, depth: int) -> None:
    scenario.owner.register(extension(scenario.open, "Free"))
    body = b'{"data":{"a":' + b"[" * depth + b"]" * depth + b"}}"
    answer = scenario.guest.post(
        submit_path(scenario, "Free"), content=body, headers={"Content-Type": "application/json"}
    )

    assert answer.status_code in (202, 400, 422)


def test_a_hundred_thousand_keys_are_just_a_lot(scenario: AccessScenario) -> None:
    scenario.owner.register(extension(scenario.open, "Free"))
    keys = {f"k{number}": 0 for number in range(80_000)}

    assert scenario.guest.post(submit_path(scenario, "Free"), json={"data": keys}).status_code == 202
    the_problem(
        scenario.guest.post(submit_path(scenario), json=dict.fromkeys(map(str, range(80_000)))),
        422,
        "invalid_request",
    )


@pytest.mark.parametrize("number", ["NaN", "Infinity", "-Infinity", "1e999", "nan"])
def test_a_number_that_is_none_is_refused(scenario: AccessScenario, number: str) -> None:
    the_problem(post(scenario, f'{{"data":{{"seconds":{number}}}}}'), 400, "malformed_json")


@pytest.mark.parametrize("text", [b'{"data":{"a":"\xff"}}', b"", b"\xef\xbb\xbf{}", b"{}{}"])
def test_bytes_that_are_no_json_are_refused(scenario: AccessScenario, text: bytes) -> None:
    assert post(scenario, text).status_code in (400, 422)


def offer(scenario: AccessScenario, name: str, field: dict[str, Any], **more: Any) -> Any:
    schema = {"type": "object", "properties": {"a": field}, **more}
    return scenario.owner.register({**extension(scenario.open, name), "schema": schema})


@pytest.mark.parametrize(
    ("name", "pattern"),
    [
        ("Nested", "(a+)+$"),
        ("Alternating", "^(a|a)*$"),
        ("Ahead", "(?=(a+)+b)a+$"),
        ("Behind", "^(a+)+(?<!c)$"),
        ("Back", r"^(a*)*\1b$"),
    ],
)
def test_a_pattern_cannot_hold_the_server_up(scenario: AccessScenario, name: str, pattern: str) -> None:
    """Refused as a schema, or else values that would blow up other engines are answered."""
    offered = offer(scenario, name, {"type": "string", "pattern": pattern})
    if offered.status_code == 422:
        return
    text = "a" * 50_000 + "!"
    answer = scenario.guest.post(submit_path(scenario, name), json={"data": {"a": text}})

    assert answer.status_code == 422
    assert answer.json()["code"] == "invalid_data"
    assert len(answer.content) < 10_000


REMOTE = ["http://127.0.0.1:1/x", "https://example.org/s.json", "file:///etc/passwd", "other.json", "//x/y"]


@pytest.mark.parametrize("reference", REMOTE)
@pytest.mark.parametrize("keyword", ["$ref", "$dynamicRef"])
def test_a_schema_that_points_elsewhere_is_refused(
    scenario: AccessScenario, keyword: str, reference: str
) -> None:
    the_problem(offer(scenario, "Far", {keyword: reference}), 422, "invalid_schema")


@pytest.mark.parametrize("address", ["http://127.0.0.1:1/x", "file:///etc/passwd"])
def test_a_schema_that_renames_itself_is_refused(scenario: AccessScenario, address: str) -> None:
    the_problem(offer(scenario, "Named", {"$ref": "#/x"}, **{"$id": address}), 422, "invalid_schema")
    the_problem(offer(scenario, "Named", {}, **{"$schema": address}), 422, "invalid_schema")


def test_references_that_go_round_are_answered(scenario: AccessScenario) -> None:
    loop = {"a": {"$ref": "#/$defs/b"}, "b": {"$ref": "#/$defs/a"}}
    tree = {"node": {"type": "array", "items": {"$ref": "#/$defs/node"}}}
    for name, field, parts in (("Loop", "a", loop), ("Tree", "node", tree)):
        offered = offer(scenario, name, {"$ref": f"#/$defs/{field}"}, **{"$defs": parts})
        if offered.status_code == 201:
            answer = scenario.guest.post(submit_path(scenario, name), json={"data": {"a": [[[]]] * 1000}})
            assert answer.status_code in (202, 422)
        else:
            the_problem(offered, 422, "invalid_schema")


def test_references_that_double_are_answered(scenario: AccessScenario) -> None:
    """Forty parts that each refer twice to the next ask for 2**40 checks."""
    parts: dict[str, Any] = {
        f"p{number}": {"allOf": [{"$ref": f"#/$defs/p{number + 1}"}] * 2} for number in range(40)
    }
    parts["p40"] = {"type": "string"}
    offered = offer(scenario, "Doubling", {"$ref": "#/$defs/p0"}, **{"$defs": parts})
    if offered.status_code == 201:
        answer = scenario.guest.post(submit_path(scenario, "Doubling"), json={"data": {"a": "x"}})
        the_problem(answer, 422, "invalid_data")
    else:
        the_problem(offered, 422, "invalid_schema")


def test_a_schema_may_be_as_deep_as_the_limit(scenario: AccessScenario) -> None:
    field: dict[str, Any] = {}
    for _ in range(38):  # the field itself is on level 2, below `properties`
        field = {"not": field}

    assert offer(scenario, "DeepForm", field).status_code == 201
    the_problem(offer(scenario, "Deeper", {"not": field}), 422, "invalid_schema")


def test_a_schema_may_be_as_large_as_the_limit(scenario: AccessScenario) -> None:
    rest_of_it = len(b'{"type":"object","properties":{"a":{"description":""}}}')
    longest = "x" * (100_000 - rest_of_it)

    assert offer(scenario, "LargeForm", {"description": longest}).status_code == 201
    the_problem(offer(scenario, "Larger", {"description": longest + "x"}), 422, "invalid_schema")


def test_a_schema_has_at_most_fifty_patterns(scenario: AccessScenario) -> None:
    patterns = [{"pattern": f"a{number}"} for number in range(51)]

    assert offer(scenario, "FiftyPatterns", {"anyOf": patterns[1:]}).status_code == 201
    the_problem(offer(scenario, "Many", {"anyOf": patterns}), 422, "invalid_schema")


def test_a_result_of_a_byte_too_many_is_refused(scenario: AccessScenario) -> None:
    hand = scenario.owner.work(extension(scenario.open, "Large"))
    scenario.guest.order(scenario.open, "Large")
    item = hand.take()
    assert hand.start(item) is None

    the_problem(hand.put_status(item, "completed", result="x" * (MAX_DATA - 1)), 413, "body_too_large")
    assert hand.finish(item, result="x" * (MAX_DATA - 1))["code"] == "body_too_large"
    assert hand.finish(item, result="x" * (MAX_DATA - 2)) is None


def test_a_record_of_thousands_of_parts_is_refused(scenario: AccessScenario) -> None:
    """Packs read 200 records at once."""
    path = f"/api/rooms/{scenario.open}/records/shots/s1"

    assert scenario.guest.put(path, json={"body": {"a": [[]] * 2498}}).status_code == 200
    the_problem(scenario.guest.put(path, json={"body": {"a": [[]] * 2499}}), 413, "body_too_large")
    assert scenario.guest.put(path, json={"body": {"a": "," * 9_994}}).status_code == 200
