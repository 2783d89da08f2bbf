"""Sockets that send too much, wait for too much or read nothing: bounded, and closed with a reason."""

from __future__ import annotations

import json
import time
from collections.abc import Iterator
from typing import Any

import pytest

from support.raw_connections import (
    FIRST,
    LAST,
    MORE,
    PING,
    WHOLE,
    Closed,
    RawWebSocket,
    frame,
    is_gone,
    push,
    until_gone,
)
from support.users import Document, LoopThread, Person, extension
from workroom.testing.processes import ServerProcess

MAX_HELLO, MAX_MESSAGE, MAX_QUEUED, MAX_PARTS = 2048, 100_000, 100_000, 5000
MAX_REQUESTS, MAX_WAITS, MAX_WATCHES = 8, 4, 3
MB = 1_000_000


@pytest.fixture(scope="module")
def strict(tmp_path_factory: pytest.TempPathFactory) -> Iterator[ServerProcess]:
    """A server whose limits are met soon."""
    limits = {
        "head_timeout": 2,
        "stall": 600,
        "chat_rate": "100000/second",
        "positions_rate": "100000/second",
        "max_hello": MAX_HELLO,
        "max_message": MAX_MESSAGE,
        "max_queued": MAX_QUEUED,
        "max_json_parts": MAX_PARTS,
        "max_requests": MAX_REQUESTS,
        "max_waits": MAX_WAITS,
        "max_watches": MAX_WATCHES,
    }
    with ServerProcess(tmp_path_factory.mktemp("strict"), **limits) as server:
        yield server
        assert "Traceback" not in server.log


@pytest.fixture(scope="module")
def eve(strict: ServerProcess, loop_thread: LoopThread) -> Iterator[Person]:
    person = Person(loop_thread, strict.url, "eve")
    yield person
    person.close()


@pytest.fixture
def stranger(strict: ServerProcess) -> Iterator[RawWebSocket]:
    with RawWebSocket(strict.url) as wire:
        yield wire


@pytest.fixture
def wire(stranger: RawWebSocket, eve: Person) -> RawWebSocket:
    """Connected, with a token."""
    assert str(stranger.connect(eve.token)).startswith("40")
    return stranger


def sized_connect(token: str, size: int) -> str:
    short = "40" + json.dumps({"token": token, "pad": ""})
    return short[:-2] + "x" * (size - len(short)) + short[-2:]


@pytest.mark.parametrize("more", [0, 1])
def test_before_it_is_connected_a_socket_takes_small_messages_only(
    stranger: RawWebSocket, eve: Person, more: int
) -> None:
    assert str(stranger.next()).startswith("0")
    stranger.say(sized_connect(eve.token, MAX_HELLO + more))
    answer = stranger.next()

    assert isinstance(answer, Closed) == bool(more)
    if isinstance(answer, Closed):
        assert answer.code == 1009


@pytest.mark.parametrize("more", [0, 1])
def test_a_message_may_be_as_long_as_the_limit(wire: RawWebSocket, more: int) -> None:
    short = '421["job:unwatch",{"job_id":""}]'
    wire.say(short[:-3] + "x" * (MAX_MESSAGE + more - len(short)) + short[-3:])
    answer = wire.reply(1)

    assert answer.code == 1009 if more else isinstance(answer, dict)


@pytest.mark.parametrize("declared", [MAX_HELLO + 1, 2**31, 2**63 - 1])
def test_a_frame_that_declares_too_much_is_refused_before_it_comes(
    stranger: RawWebSocket, declared: int
) -> None:
    stranger.send(frame(WHOLE, b"", declared))

    assert stranger.closed().code == 1009


def test_a_frame_that_declares_too_much_for_a_known_one_is_refused_too(wire: RawWebSocket) -> None:
    wire.send(frame(WHOLE, b"", MAX_MESSAGE + 1))

    assert wire.closed().code == 1009


def test_a_message_in_parts_is_summed(wire: RawWebSocket) -> None:
    wire.send(frame(FIRST, b'421["x",' + b"1" * 60_000) + frame(LAST, b"1" * 60_000))

    assert wire.closed().code == 1009


def test_empty_parts_do_not_add_up(wire: RawWebSocket) -> None:
    wire.send(frame(FIRST, b"42") + frame(MORE, b"") * 100_000)

    assert wire.closed().code == 1009


def test_parts_that_are_few_are_one_message(wire: RawWebSocket) -> None:
    text = b'421["job:unwatch",{"job_id":"x"}]'
    wire.send(frame(FIRST, text[:5]) + frame(MORE, text[5:9]) + frame(PING, b"") + frame(LAST, text[9:]))

    assert wire.reply(1) == {"job_id": "x"}


def test_compression_is_not_agreed_on(strict: ServerProcess) -> None:
    with RawWebSocket(strict.url, Sec_WebSocket_Extensions="permessage-deflate") as wire:
        assert b"permessage-deflate" not in wire.answer.lower()


def test_a_socket_without_connect_is_closed(stranger: RawWebSocket) -> None:
    closed = stranger.closed()

    assert closed.code == 1008
    assert "CONNECT" in closed.reason


def test_a_socket_whose_connect_was_refused_is_closed(stranger: RawWebSocket) -> None:
    assert '"code":"unauthenticated"' in stranger.connect("nonsense")
    assert stranger.closed().code == 1008


@pytest.mark.parametrize(
    "auth", ["[]", "5", '"x"', '{"token":[]}', '{"token":{"a":1}}', '{"token":5}', "null"]
)
def test_an_odd_auth_is_refused_with_a_reason(stranger: RawWebSocket, auth: str) -> None:
    assert str(stranger.next()).startswith("0")
    stranger.say("40" + auth)

    answer = stranger.next()
    assert isinstance(answer, Closed) or '"code":"unauthenticated"' in answer


def test_an_odd_worker_id_is_refused_with_a_reason(stranger: RawWebSocket, eve: Person) -> None:
    assert str(stranger.next()).startswith("0")
    stranger.say("40" + json.dumps({"token": eve.token, "worker_id": ["x"], "user_events": {}}))
    assert str(stranger.next()).startswith("40")

    assert "error" in stranger.call(1, "worker:hello", {"boot_id": "a boot of mine"})


def test_an_event_before_connect_closes_the_socket(stranger: RawWebSocket) -> None:
    stranger.say('421["job:unwatch",{"job_id":"x"}]')

    assert stranger.closed().reason


def test_a_second_connect_closes_the_socket(wire: RawWebSocket, eve: Person) -> None:
    wire.say("40" + json.dumps({"token": eve.token}))

    assert wire.closed() == Closed(1008, "this socket is already connected")


def test_many_messages_before_connect_close_the_socket(stranger: RawWebSocket) -> None:
    """Sent before the server has said a word, too."""
    stranger.send(frame(0x82, b"x") * 20_000)

    assert stranger.closed().code in (1003, 1008)


@pytest.mark.parametrize("packet", ["2", "2probe", "5", "6", "0", "7", "", "44", "46", "\x00"])
def test_packets_that_no_client_sends_close_the_socket_or_change_nothing(
    wire: RawWebSocket, packet: str
) -> None:
    wire.say(packet)
    answer = wire.call(1, "job:unwatch", {"job_id": "x"})

    assert answer == {"job_id": "x"} or (isinstance(answer, Closed) and answer.reason)


def test_other_transports_are_refused(eve: Person) -> None:
    for query in ("EIO=4&transport=polling", "EIO=3&transport=websocket", "EIO=4&transport=polling&sid=x"):
        assert eve.get(f"/socket.io/?{query}").status_code == 400
        assert eve.post(f"/socket.io/?{query}", content=b"x").status_code == 400


@pytest.mark.parametrize("more", [0, 1])
def test_a_message_may_have_as_many_parts_as_the_limit(wire: RawWebSocket, more: int) -> None:
    overhead = 3 + 1 + 6 + 1 + 3  # ["job:unwatch",{"job_id":"x","more":[0,0]}]
    zeros = ",".join(["0"] * (MAX_PARTS - overhead + 1 + more))
    wire.say(f'421["job:unwatch",{{"job_id":"x","more":[{zeros}]}}]')
    answer = wire.reply(1)

    assert (answer.get("error") or {}).get("code") == ("body_too_large" if more else None)


def test_a_message_of_too_many_parts_that_wants_no_answer_closes_the_socket(wire: RawWebSocket) -> None:
    wire.say('42["job:unwatch",[' + "{}," * 2000 + "{}]]")

    assert wire.closed().reason.startswith("JSON may have")


def test_more_requests_than_are_handled_at_once_are_all_answered(wire: RawWebSocket) -> None:
    """They are read when there is room for them."""
    texts = [f'42{number}["job:unwatch",{{"job_id":"{number}"}}]' for number in range(1, 1001)]
    wire.send(b"".join(frame(WHOLE, text.encode()) for text in texts))

    assert [wire.reply(number) for number in range(1, 1001)] == [
        {"job_id": str(number)} for number in range(1, 1001)
    ]


def test_large_requests_are_handled_one_after_the_other(wire: RawWebSocket) -> None:
    """Together they are more than one message may have."""
    pad = "x" * 60_000
    texts = [f'42{number}["job:unwatch",{{"job_id":"{pad}"}}]' for number in range(1, 101)]
    wire.send(b"".join(frame(WHOLE, text.encode()) for text in texts))

    assert all(isinstance(wire.reply(number), dict) for number in range(1, 101))


def waiting_job(person: Person, room: str) -> Document:
    person.create_room(room)
    person.register(extension(room))
    return person.order(room)


def wait(wire: RawWebSocket, number: int, job: Document) -> None:
    wire.say(f'42{number}["job:wait",{{"job_id":"{job["id"]}","seconds":20}}]')


def test_one_socket_waits_for_so_many_jobs(wire: RawWebSocket, eve: Person) -> None:
    job = waiting_job(eve, "waits")
    for number in range(1, MAX_WAITS + 2):
        wait(wire, number, job)

    assert wire.reply(MAX_WAITS + 1)["error"]["code"] == "too_many_requests"
    eve.delete(f"/api/jobs/{job['id']}")
    assert [wire.reply(number)["job"]["status"] for number in range(1, MAX_WAITS + 1)] == ["cancelled"] * 4
    assert "job" in wire.call(99, "job:wait", {"job_id": job["id"], "seconds": 20})


def test_one_socket_watches_so_many_rooms_and_jobs(wire: RawWebSocket, eve: Person) -> None:
    job = waiting_job(eve, "watched-1")
    eve.create_room("watched-2")
    eve.create_room("watched-9")
    for number in range(1, MAX_WATCHES):
        assert "room" in wire.call(number, "room:join", {"room": f"watched-{number}"})
    assert "status" in wire.call(10, "job:watch", {"job_id": job["id"]})

    assert wire.call(11, "room:join", {"room": "watched-9"})["error"]["code"] == "too_many_requests"
    assert "room" in wire.call(12, "room:join", {"room": "watched-1"})
    assert "job_id" in wire.call(13, "job:unwatch", {"job_id": job["id"]})
    assert "room" in wire.call(14, "room:join", {"room": "watched-9"})


def test_a_watcher_that_never_reads_is_closed(strict: ServerProcess, eve: Person) -> None:
    """It answers pings, as one that reads would."""
    eve.create_room("loud")
    with RawWebSocket(strict.url, receive_buffer=4096) as wire, RawWebSocket(strict.url) as reader:
        for each in (wire, reader):
            assert str(each.connect(eve.token)).startswith("40")
            assert "room" in each.call(1, "room:join", {"room": "loud"})
        for _ in range(2000):
            wire.send(frame(WHOLE, b"3"))
            assert eve.post("/api/rooms/loud/chat", json={"text": "x" * 4000}).status_code < 300
            assert "job_id" in reader.call(2, "job:unwatch", {"job_id": "x"})
            if is_gone(wire.wire):
                break
        until_gone(wire.wire)


def test_a_watcher_that_never_reads_misses_positions_and_stays(strict: ServerProcess, eve: Person) -> None:
    eve.create_room("moving")
    worker = eve.work(extension("moving"))
    eve.order("moving")
    item = worker.take()
    worker.start(item)
    with RawWebSocket(strict.url, receive_buffer=4096) as wire:
        assert str(wire.connect(eve.token)).startswith("40")
        assert "room" in wire.call(1, "room:join", {"room": "moving"})
        for _ in range(100):
            assert worker.move(item, 0, bytes(60_000)).status_code == 200
        assert not is_gone(wire.wire)
        assert wire.call(2, "job:unwatch", {"job_id": "x"}) == {"job_id": "x"}


def test_pongs_do_not_wait_for_who_never_reads(strict: ServerProcess, eve: Person) -> None:
    with RawWebSocket(strict.url, receive_buffer=4096) as wire:
        assert str(wire.connect(eve.token)).startswith("40")
        wire.wire.settimeout(5)

        assert push(wire.wire, frame(PING, b"x" * 125) * 1000, 30 * MB) >= 30 * MB


def test_eight_hundred_thousand_objects_do_not_hold_the_server_up(server: ServerProcess, meet: Any) -> None:
    ada = meet("ada")
    with RawWebSocket(server.url) as wire:
        assert str(wire.connect(ada.token)).startswith("40")
        began = time.monotonic()
        wire.say('421["job:finish",[' + "{}," * 800_000 + "{}]]")

        assert wire.reply(1)["error"]["code"] == "body_too_large"
        assert ada.get("/healthz").status_code == 200
        assert time.monotonic() - began < 5
