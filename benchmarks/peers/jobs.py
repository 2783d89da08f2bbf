"""The job that every system runs: it records its number and when it started."""

from __future__ import annotations

import os
import struct
import time
from functools import cache

RECORD = struct.Struct("<qq")
KEEPS_RESULTS = os.environ.get("BENCH_RESULTS") == "yes"


@cache
def _log() -> int:
    return os.open(os.environ["BENCH_LOG"], os.O_WRONLY | os.O_APPEND | os.O_CREAT, 0o600)


def mark(n: int) -> None:
    os.write(_log(), RECORD.pack(n, time.monotonic_ns()))


def echo(n: int) -> int:
    mark(n)
    return n


def perform(n: int) -> int | None:
    """The job for queues that store results only on request."""
    mark(n)
    return n if KEEPS_RESULTS else None
