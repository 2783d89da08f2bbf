"""Room data on several servers: one lock, one history."""

from __future__ import annotations

from concurrent.futures import ThreadPoolExecutor

import pytest

from replicas.conftest import StartReplica
from support.stream_readers import Listener
from workroom.errors import Locked
from workroom.testing.fixtures import OpenRoom
from workroom.testing.guests import guest_token


def test_a_lock_at_one_server_keeps_others_out_at_another_until_it_is_released(
    start_replica: StartReplica, open_room: OpenRoom
) -> None:
    here, there = start_replica("a"), start_replica("b")
    ada, bob = open_room(here), open_room(there, user="bob")
    ada.state["notes"] = 1
    listener = Listener(there.url, "/api/rooms/demo/stream", guest_token(there.url, "cleo"))
    listener.expect("open")

    def wait() -> int:
        with bob.lock("notes", timeout=60) as lock:
            bob.state["notes"] = 3
            return lock.fence

    with ThreadPoolExecutor(1) as pool:
        with ada.lock("notes", message="mine") as lock:
            fence = lock.fence
            with pytest.raises(Locked, match="mine"):
                bob.state["notes"] = 2
            waiting = pool.submit(wait)
            ada.state["notes"] = 2
        assert waiting.result(60) == fence + 1

    listener.expect("document", key="notes", user="bob")
    listener.expect("lock", target="notes", lock=None)
    for _ in range(3):
        ada.undo()
    assert dict(bob.state) == {}
