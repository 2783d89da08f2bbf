"""A worker that speaks the protocol and is controlled by the test."""

from __future__ import annotations

import queue
import secrets
from collections.abc import Callable
from typing import Any

import httpx
import socketio

from workroom.testing.guests import guest_token


class ScriptedWorker:
    """Registers one extension and receives jobs; it starts and finishes nothing by itself."""

    def __init__(
        self,
        url: str,
        *,
        room: str = "demo",
        name: str = "Scripted",
        worker_id: str | None = None,
        schema: dict[str, Any] | None = None,
    ) -> None:
        self.url = url
        self.worker_id = worker_id or secrets.token_hex(8)
        self.boot_id = secrets.token_hex(8)
        self.nonce = secrets.token_hex(8)
        self.session = 0
        self.assigned: queue.Queue[dict[str, Any]] = queue.Queue()
        self.cancelled: queue.Queue[dict[str, Any]] = queue.Queue()
        self.recalled: queue.Queue[dict[str, Any]] = queue.Queue()
        self.http = httpx.Client(base_url=url, timeout=10)
        token = guest_token(url, "scripter")  # workers of one user may offer the same extension
        self.http.headers["Authorization"] = f"Bearer {token}"
        self.token = token
        self._extension = {
            "room": room,
            "category": "analysis",
            "name": name,
            "schema": schema or {"type": "object", "properties": {"n": {"type": "integer"}}},
        }
        self.http.post("/api/rooms", json={"name": room})  # it may exist already
        self.register().raise_for_status()
        self.socket = self._connect()

    def register(self) -> httpx.Response:
        body = {"worker_id": self.worker_id, "name": "scripted", "extensions": [self._extension]}
        return self.http.post("/api/workers/register", json=body)

    def reconnect(self) -> None:
        self.socket = self._connect()

    def hello(self, holds: list[dict[str, Any]] | None = None, seen: int = 0) -> dict[str, Any]:
        body = {"boot_id": self.boot_id, "holds": holds or [], "seen": seen}
        answer: dict[str, Any] = self.call("worker:hello", body)
        self.session = answer.get("session", self.session)
        return answer

    def heartbeat(self, holds: list[dict[str, Any]] | None = None, seen: int = 0) -> dict[str, Any]:
        body = {"session": self.session, "holds": holds or [], "seen": seen}
        answer: dict[str, Any] = self.call("worker:heartbeat", body)
        return answer

    def take(self, timeout: float = 10) -> dict[str, Any]:
        """The next assignment."""
        return self.assigned.get(timeout=timeout)

    def start(self, item: dict[str, Any]) -> Any:
        return self.call("job:start", [{**fence(item), "nonce": self.nonce}])["answers"][0]

    def finish(self, item: dict[str, Any], status: str = "completed", **report: Any) -> Any:
        return self.call("job:finish", [{**fence(item), "status": status, **report}])["answers"][0]

    def call(self, event: str, body: Any) -> Any:
        return self.socket.call(event, body, timeout=10)

    def drop(self) -> None:
        """Abort the connection."""
        self.socket.disconnect()
        if self.socket.eio.ws is not None:
            self.socket.eio.ws.shutdown()  # needed if the server has closed it first

    def close(self) -> None:
        self.drop()
        self.http.close()

    def _connect(self) -> socketio.Client:
        socket = socketio.Client(reconnection=False, handle_sigint=False)
        socket.on("job:assigned", self._receive)
        socket.on("job:cancel", self._receive_cancel)
        socket.on("job:recall", self._receive_recall)
        auth = {"token": self.token, "worker_id": self.worker_id}
        socket.connect(self.url, auth=auth, transports=["websocket"], wait_timeout=10)
        return socket

    def _receive(self, items: list[dict[str, Any]]) -> bool:
        for item in items:
            self.assigned.put(item)
        return True

    def _receive_recall(self, items: list[dict[str, Any]]) -> None:
        for item in items:
            self.recalled.put(item)

    def _receive_cancel(self, items: list[dict[str, Any]]) -> None:
        for item in items:
            self.cancelled.put(item)


def fence(item: dict[str, Any]) -> dict[str, Any]:
    return {name: item[name] for name in ("job_id", "attempt", "token")}


MakeScriptedWorker = Callable[..., ScriptedWorker]
