"""How fast is the stack without Workroom?"""

from __future__ import annotations

import subprocess
import sys
from collections.abc import Iterator
from contextlib import contextmanager
from dataclasses import dataclass
from pathlib import Path

from http_load import Target, load
from measure import Latency, latency, rate
from ports import until_open
from sizes import CALLERS, PAUSE_SECONDS, Sizes
from workroom.client.requests import Request
from workroom.client.transport.connection import Connection

SCRIPT = Path(__file__).with_name("floor.py")


@dataclass(frozen=True, slots=True)
class Floor:
    posts: float
    events: float
    post: Latency
    event: Latency


@contextmanager
def floor_server() -> Iterator[int]:
    process = subprocess.Popen([sys.executable, str(SCRIPT)], stdout=subprocess.PIPE, text=True)
    try:
        assert process.stdout is not None
        yield int(process.stdout.readline())
    finally:
        process.terminate()
        process.wait()


async def measure_floor(sizes: Sizes) -> Floor:
    with floor_server() as port:
        await until_open(port)
        target = Target(port, "/empty", {"data": {"n": 1}})
        await load(target, connections=CALLERS, seconds=sizes.seconds / 4)
        posts = await load(target, connections=CALLERS, seconds=sizes.seconds)
        connection = Connection(f"http://127.0.0.1:{port}", user="bench", password=None, token="none")

        async def event() -> None:
            await connection.call("empty", {})

        async def post() -> None:
            await connection.send(Request("POST", target.path, target.body))

        found = Floor(
            posts=posts.count / posts.seconds,
            events=await rate(event, callers=CALLERS, seconds=sizes.seconds),
            post=await latency(post, times=sizes.times, pause=PAUSE_SECONDS),
            event=await latency(event, times=sizes.times, pause=PAUSE_SECONDS),
        )
        await connection.aclose()
        return found
