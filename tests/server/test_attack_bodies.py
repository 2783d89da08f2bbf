"""Bodies, values and schemas that are made to hurt: each is refused, and the server goes on."""

from __future__ import annotations

import gzip
import socket
from collections.abc import Iterator
from typing import Any

import orjson
import pytest
from cast import Cast
from people import extension, the_problem

MAX_BODY = 1_100_000
MAX_DATA = 1_000_000


@pytest.fixture(autouse=True)
def goes_on(cast: Cast) -> Iterator[None]:
    """Whatever was sent, the server answers others."""
    yield
    assert cast.nobody.get("/healthz").status_code == 200


def submit_path(cast: Cast, name: str = "Nap") -> str:
    return f"/api/rooms/{cast.open}/extensions/analysis/{name}/submit"


def post(cast: Cast, content: Any, **headers: str) -> Any:
    kind = {"Content-Type": "application/json", **headers}
    return cast.guest.post(submit_path(cast), content=content, headers=kind)


def raw(cast: Cast, head: list[str], body: bytes = b"") -> bytes:
    """Bytes as they are; what comes back until the server closes or has answered."""
    host, port = cast.server.url.removeprefix("http://").split(":")
    lines = [f"Host: {host}:{port}", f"Authorization: Bearer {cast.guest.token}", "Connection: close", *head]
    text = f"POST {submit_path(cast)} HTTP/1.1\r\n" + "\r\n".join(lines) + "\r\n\r\n"
    with socket.create_connection((host, int(port)), 20) as wire:
        wire.sendall(text.encode() + body)
        wire.shutdown(socket.SHUT_WR)
        return b"".join(iter(lambda: wire.recv(65536), b""))


def test_a_body_of_a_byte_too_many_is_refused(cast: Cast) -> None:
    the_problem(post(cast, b" " * (MAX_BODY + 1)), 413, "body_too_large")


def test_values_of_a_byte_too_many_are_refused(cast: Cast) -> None:
    cast.owner.register(extension(cast.open, "Free"))
    path, empty = submit_path(cast, "Free"), len(orjson.dumps({"text": ""}))
    fitting, too_many = ("x" * (MAX_DATA - empty + more) for more in (0, 1))

    assert cast.guest.post(path, json={"data": {"text": fitting}}).status_code == 202
    the_problem(cast.guest.post(path, json={"data": {"text": too_many}}), 413, "body_too_large")


def test_a_body_that_does_not_say_how_long_it_is_is_counted(cast: Cast) -> None:
    def chunks() -> Iterator[bytes]:
        for _ in range(12):
            yield b" " * 100_000

    assert post(cast, iter([b'{"data":', b"{}}"])).status_code == 202
    the_problem(post(cast, chunks()), 413, "body_too_large")


def test_a_length_that_lies_is_of_no_use(cast: Cast) -> None:
    too_short = raw(cast, ["Content-Type: application/json", "Content-Length: 5"], b'{"data":{}}')
    too_long = raw(cast, ["Content-Type: application/json", "Content-Length: 500"], b'{"data":{}}')
    missing = raw(cast, ["Content-Type: application/json"], b'{"data":{}}')

    assert too_short.startswith(b"HTTP/1.1 400")
    assert not too_long.startswith(b"HTTP/1.1 2")
    assert not missing.startswith(b"HTTP/1.1 2")


@pytest.mark.parametrize("length", ["-1", "1e9", "99999999999999999999", "9" * 5000, "0x10", "5, 5"])
def test_an_odd_length_is_refused(cast: Cast, length: str) -> None:
    assert raw(cast, [f"Content-Length: {length}"], b"{}").split()[1] in (b"400", b"413")


def test_a_length_and_chunks_together_are_not_two_requests(cast: Cast) -> None:
    smuggled = b"0\r\n\r\nGET /api/users/me HTTP/1.1\r\nHost: 127.0.0.1\r\n\r\n"
    answer = raw(cast, ["Transfer-Encoding: chunked", f"Content-Length: {len(smuggled)}"], smuggled)

    assert answer.count(b"HTTP/1.1 ") <= 1


@pytest.mark.parametrize("encoding", ["gzip", "deflate", "br", "zstd", "gzip, identity", "GZIP"])
def test_a_compressed_body_is_refused_unread(cast: Cast, encoding: str) -> None:
    bomb = gzip.compress(b" " * 50_000_000)

    the_problem(post(cast, bomb, **{"Content-Encoding": encoding}), 415, "unsupported_encoding")


@pytest.mark.parametrize("opening", ["[", '{"a":', '{"data":{"a":['])
def test_json_of_a_hundred_thousand_levels_is_refused(cast: Cast, opening: str) -> None:
    the_problem(post(cast, (opening * 100_000)[:MAX_BODY].encode()), 400, "malformed_json")
    closed = b'{"data":{"a":' + b"[" * 100_000 + b"]" * 100_000 + b"}}"
    the_problem(post(cast, closed), 400, "malformed_json")


@pytest.mark.parametrize("depth", [200, 500, 1000])
def test_json_that_can_be_read_but_not_written_is_refused(cast: Cast, depth: int) -> None:
    cast.owner.register(extension(cast.open, "Free"))
    body = b'{"data":{"a":' + b"[" * depth + b"]" * depth + b"}}"
    answer = cast.guest.post(
        submit_path(cast, "Free"), content=body, headers={"Content-Type": "application/json"}
    )

    assert answer.status_code in (202, 400, 422)


def test_a_hundred_thousand_keys_are_just_a_lot(cast: Cast) -> None:
    cast.owner.register(extension(cast.open, "Free"))
    keys = {f"k{number}": 0 for number in range(80_000)}

    assert cast.guest.post(submit_path(cast, "Free"), json={"data": keys}).status_code == 202
    the_problem(
        cast.guest.post(submit_path(cast), json=dict.fromkeys(map(str, range(80_000)))),
        422,
        "invalid_request",
    )


@pytest.mark.parametrize("number", ["NaN", "Infinity", "-Infinity", "1e999", "nan"])
def test_a_number_that_is_none_is_refused(cast: Cast, number: str) -> None:
    the_problem(post(cast, f'{{"data":{{"seconds":{number}}}}}'), 400, "malformed_json")


@pytest.mark.parametrize(
    "text", [b'{"data":{"a":"\xff"}}', b'{"data":{"a":"\\ud800"}}', b"", b"\xef\xbb\xbf{}", b"{}{}"]
)
def test_bytes_that_are_no_json_are_refused(cast: Cast, text: bytes) -> None:
    assert post(cast, text).status_code in (400, 422)


def offer(cast: Cast, name: str, field: dict[str, Any], **more: Any) -> Any:
    schema = {"type": "object", "properties": {"a": field}, **more}
    return cast.owner.register({**extension(cast.open, name), "schema": schema})


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
def test_a_pattern_cannot_hold_the_server_up(cast: Cast, name: str, pattern: str) -> None:
    """Refused as a schema, or else values that would blow up other engines are answered."""
    offered = offer(cast, name, {"type": "string", "pattern": pattern})
    if offered.status_code == 422:
        return
    text = "a" * 50_000 + "!"
    answer = cast.guest.post(submit_path(cast, name), json={"data": {"a": text}})

    assert answer.status_code == 422
    assert answer.json()["code"] == "invalid_data"
    assert len(answer.content) < 10_000


REMOTE = ["http://127.0.0.1:1/x", "https://example.org/s.json", "file:///etc/passwd", "other.json", "//x/y"]


@pytest.mark.parametrize("reference", REMOTE)
@pytest.mark.parametrize("keyword", ["$ref", "$dynamicRef"])
def test_a_schema_that_points_elsewhere_is_refused(cast: Cast, keyword: str, reference: str) -> None:
    the_problem(offer(cast, "Far", {keyword: reference}), 422, "invalid_schema")


@pytest.mark.parametrize("address", ["http://127.0.0.1:1/x", "file:///etc/passwd"])
def test_a_schema_that_renames_itself_is_refused(cast: Cast, address: str) -> None:
    the_problem(offer(cast, "Named", {"$ref": "#/x"}, **{"$id": address}), 422, "invalid_schema")
    the_problem(offer(cast, "Named", {}, **{"$schema": address}), 422, "invalid_schema")


def test_references_that_go_round_are_answered(cast: Cast) -> None:
    loop = {"a": {"$ref": "#/$defs/b"}, "b": {"$ref": "#/$defs/a"}}
    tree = {"node": {"type": "array", "items": {"$ref": "#/$defs/node"}}}
    for name, field, parts in (("Loop", "a", loop), ("Tree", "node", tree)):
        offered = offer(cast, name, {"$ref": f"#/$defs/{field}"}, **{"$defs": parts})
        if offered.status_code == 201:
            answer = cast.guest.post(submit_path(cast, name), json={"data": {"a": [[[]]] * 1000}})
            assert answer.status_code in (202, 422)
        else:
            the_problem(offered, 422, "invalid_schema")


def test_references_that_double_are_answered(cast: Cast) -> None:
    """Forty parts that each refer twice to the next ask for 2**40 checks."""
    parts: dict[str, Any] = {
        f"p{number}": {"allOf": [{"$ref": f"#/$defs/p{number + 1}"}] * 2} for number in range(40)
    }
    parts["p40"] = {"type": "string"}
    offered = offer(cast, "Doubling", {"$ref": "#/$defs/p0"}, **{"$defs": parts})
    if offered.status_code == 201:
        answer = cast.guest.post(submit_path(cast, "Doubling"), json={"data": {"a": "x"}})
        the_problem(answer, 422, "invalid_data")
    else:
        the_problem(offered, 422, "invalid_schema")


def test_a_schema_that_is_too_deep_or_too_large_is_refused(cast: Cast) -> None:
    deep: dict[str, Any] = {"type": "string"}
    for _ in range(60):
        deep = {"type": "object", "properties": {"a": deep}}

    the_problem(offer(cast, "Deep", deep), 422, "invalid_schema")
    the_problem(offer(cast, "Large", {"description": "x" * 100_001}), 422, "invalid_schema")
    the_problem(
        offer(cast, "Many", {"anyOf": [{"pattern": f"a{n}"} for n in range(60)]}), 422, "invalid_schema"
    )


def test_a_result_of_a_byte_too_many_is_refused(cast: Cast) -> None:
    hand = cast.owner.work(extension(cast.open, "Large"))
    cast.guest.order(cast.open, "Large")
    item = hand.take()
    assert hand.start(item) is None

    the_problem(hand.put_status(item, "completed", result="x" * (MAX_DATA - 1)), 413, "body_too_large")
    assert hand.finish(item, result="x" * (MAX_DATA - 1))["code"] == "body_too_large"
    assert hand.finish(item, result="x" * (MAX_DATA - 2)) is None
