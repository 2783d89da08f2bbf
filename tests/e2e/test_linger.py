"""What becomes of an extension when its last worker leaves, as the setting says."""

from __future__ import annotations

from contextlib import ExitStack
from pathlib import Path

import httpx
import pytest

from support.extensions.samples import Echo
from workroom import Room
from workroom.testing.fixtures import OpenRoom, StartServer, StartWorker
from workroom.testing.guests import guest_token
from workroom.testing.processes import eventually
from workroom.testing.valkey import Valkey

ECHO = "support.extensions.samples:Echo"


def test_without_a_linger_an_extension_leaves_with_its_last_worker(
    start_server: StartServer, open_room: OpenRoom
) -> None:
    server = start_server(extension_linger=0)
    with Room("demo", server.url, user="worker") as worker:
        worker.register(Echo)
        assert _names(open_room(server)) == ["Echo"]

    assert _names(open_room(server)) == []


@pytest.mark.parametrize("store", ["sqlite", "valkey"])
def test_a_job_is_run_again_when_its_tool_is_away_and_runs_when_a_worker_returns(
    start_server: StartServer, open_room: OpenRoom, start_worker: StartWorker, tmp_path: Path, store: str
) -> None:
    with ExitStack() as stack:
        server = start_server() if store == "sqlite" else start_server(store=_valkey(stack, tmp_path))
        room, worker = open_room(server), start_worker(server, ECHO)
        done = room.submit(Echo(text="again"))
        result = done.result(timeout=20)
        worker.stop()
        (away,) = [each for each in room.extensions() if each["name"] == "Echo"]
        assert away["away_since"] is not None

        token = guest_token(server.url, "bob")
        with httpx.Client(base_url=server.url, headers={"Authorization": f"Bearer {token}"}) as http:
            answer = http.post(f"/api/jobs/{done.id}/retry")
            assert answer.status_code == 202, answer.text
            again = f"/api/jobs/{answer.json()['id']}"
            assert (answer.json()["status"], answer.json()["retry_of"]) == ("pending", done.id)
            assert http.get(again).json()["waiting_for"]["code"] == "no_worker"
            start_worker(server, ECHO)
            eventually(lambda: http.get(again).json()["result"] == result, what="the job running again")


def _valkey(stack: ExitStack, folder: Path) -> str:
    valkey = Valkey(folder / "valkey")
    valkey.start()
    stack.callback(valkey.stop)
    return valkey.url


def _names(room: Room) -> list[str]:
    return [each["name"] for each in room.extensions() if each["scope"] == "room"]
