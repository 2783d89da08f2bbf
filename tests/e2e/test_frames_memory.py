"""Writing and reading many frames takes no more memory than few."""

from __future__ import annotations

import subprocess
import sys

import psutil
import pytest

from workroom.testing.fixtures import StartServer

MB = 10**6
SCRIPT = """
import resource, sys
import numpy as np
from workroom import Room

total = int(sys.argv[2])
positions = np.random.default_rng(0).random((20_000, 3))

def generate():
    for number in range(total):
        yield {"positions": positions + number, "info.number": number}

with Room(f"demo-{total}", sys.argv[1], user="ada") as room:
    room.frames.extend(generate())
    assert sum(1 for frame in room.frames if frame["positions"][0, 0] < frame["info.number"] + 1) == total
print(resource.getrusage(resource.RUSAGE_SELF).ru_maxrss * 1024)
"""


def _run(url: str, total: int) -> int:
    """The largest resident size of a client that writes and reads so many frames of 480 kB."""
    command = [sys.executable, "-c", SCRIPT, url, str(total)]
    return int(subprocess.run(command, check=True, capture_output=True, text=True).stdout)


@pytest.mark.timeout(1800)
@pytest.mark.parametrize("gigabytes", [0.3, pytest.param(10, marks=pytest.mark.full)])
def test_memory_does_not_grow_with_the_frames(start_server: StartServer, gigabytes: float) -> None:
    server = start_server(quota_bytes_guest=10**12)
    process = psutil.Process(server.process.pid)
    client_before = _run(server.url, 60)
    server_before = process.memory_info().rss

    client_after = _run(server.url, int(gigabytes * 1000 * MB / 480_000))

    assert client_after < client_before + 60 * MB
    assert process.memory_info().rss < server_before + 150 * MB
