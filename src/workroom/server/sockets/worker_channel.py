"""Pushes assignments to connected workers over their sockets."""

from __future__ import annotations

from collections.abc import Iterator, Sequence
from dataclasses import replace
from functools import partial
from itertools import count

import orjson

from workroom.domain.steps import Assignment
from workroom.ports import Clock
from workroom.server.http.views.worker import render_assignment
from workroom.server.sockets.socket_server import SocketServer
from workroom.services.workers.registry import WorkerRegistry

_CHUNK_BYTES = 512_000  # some clients refuse messages of a few megabytes
_ASSIGNMENT_BYTES = 1000  # of an assignment besides its values, with long names


class SocketWorkerChannel:
    """Waits for the ack of each push: a worker that sends none is suspected to be gone."""

    def __init__(
        self, registry: WorkerRegistry, server: SocketServer, clock: Clock, ack_seconds: float
    ) -> None:
        self._registry = registry
        self._server = server
        self._clock = clock
        self._ack_seconds = ack_seconds
        self._numbers = count()
        self._unacked: dict[int, tuple[str, float]] = {}

    def push(self, worker: str, assignments: Sequence[Assignment]) -> None:
        sid = self._registry.socket_of(worker)
        if sid is not None:
            for chunk in _chunks(assignments):
                self._send(worker, sid, _without_data(chunk) if self._server.is_congested(sid) else chunk)

    def silent(self) -> list[str]:
        """Workers whose ack is overdue, each time once."""
        now = self._clock.monotonic()
        late = [number for number, (_, deadline) in self._unacked.items() if deadline < now]
        return [self._unacked.pop(number)[0] for number in late]

    def _send(self, worker: str, sid: str, chunk: Sequence[Assignment]) -> None:
        items = orjson.dumps([render_assignment(assignment) for assignment in chunk])
        number = next(self._numbers)
        self._unacked[number] = (worker, self._clock.monotonic() + self._ack_seconds)
        self._server.request(sid, "job:assigned", items, partial(self._acked, number))

    def _acked(self, number: int) -> None:
        name, deadline = self._unacked.pop(number, (None, 0.0))
        worker = None if name is None else self._registry.get(name)
        if worker is not None:
            worker.acked(self._clock.monotonic() - (deadline - self._ack_seconds))


def _without_data(chunk: Sequence[Assignment]) -> list[Assignment]:
    """A congested worker fetches the values itself when it begins a job."""
    return [replace(assignment, data=None) for assignment in chunk]


def _chunks(assignments: Sequence[Assignment]) -> Iterator[list[Assignment]]:
    chunk: list[Assignment] = []
    chunk_size = 0
    for assignment in assignments:
        size = _ASSIGNMENT_BYTES + len(assignment.data or b"")
        if chunk and chunk_size + size > _CHUNK_BYTES:
            yield chunk
            chunk, chunk_size = [], 0
        chunk.append(assignment)
        chunk_size += size
    if chunk:
        yield chunk
