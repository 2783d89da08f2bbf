"""People in a room are seen at every server."""

from __future__ import annotations

import httpx

from replicas.conftest import StartReplica
from support.users import LoopThread, SocketListener
from workroom.testing.guests import guest_token
from workroom.testing.processes import eventually


def test_who_is_at_one_server_is_seen_at_another(start_replica: StartReplica) -> None:
    here, there = start_replica("a"), start_replica("b")
    ada, bob = guest_token(here.url, "ada"), guest_token(there.url, "bob")
    httpx.post(f"{here.url}/api/rooms", json={"name": "demo"}, headers={"Authorization": f"Bearer {ada}"})

    def present(url: str) -> list[str]:
        headers = {"Authorization": f"Bearer {bob}"}
        found = httpx.get(f"{url}/api/rooms/demo/presence", headers=headers).json()
        return [each["user"] for each in found["items"]]

    loop = LoopThread()
    try:
        first = SocketListener(loop, here.url, {"token": ada}).join("demo")
        second = SocketListener(loop, there.url, {"token": bob}).join("demo")
        for server in (here, there):
            eventually(lambda: sorted(present(server.url)) == ["ada", "bob"])  # noqa: B023 - called at once
        first.close()
        eventually(lambda: present(there.url) == ["bob"])
        second.close()
    finally:
        loop.close()
