"""The socket of a ComfyUI server: progress and previews of our tasks. What it misses costs only a picture."""

from __future__ import annotations

import contextlib
import json
import threading
from typing import Any

from websockets.exceptions import WebSocketException
from websockets.sync.client import ClientConnection, connect

_MAX_MESSAGE = 20_000_000
_PREVIEW_HEAD = 8  # the kind of the message and of the image, four bytes each
_CONNECT_SECONDS = 5.0


class ComfySocket:
    """Listens in a thread of its own, from the first task on."""

    def __init__(self, base_url: str, client_id: str) -> None:
        scheme, _, rest = base_url.partition("://")
        self._url = f"{'wss' if scheme == 'https' else 'ws'}://{rest}/ws?clientId={client_id}"
        self._connection: ClientConnection | None = None
        self._lock = threading.Lock()
        self._task_id = ""
        self._progress: float | None = None
        self._preview = b""

    def latest(self, task_id: str) -> tuple[float | None, bytes]:
        """The last progress and preview, if they are of this task."""
        with self._lock:
            return (self._progress, self._preview) if task_id == self._task_id else (None, b"")

    def open(self) -> None:
        """Connect, unless it is connected. Without a socket there is no progress, and that is all."""
        if self._connection is not None:
            return
        with contextlib.suppress(OSError, WebSocketException):
            self._connection = connect(
                self._url, max_size=_MAX_MESSAGE, open_timeout=_CONNECT_SECONDS, proxy=None
            )
            thread = threading.Thread(target=self._listen, args=(self._connection,), daemon=True)
            thread.start()

    def close(self) -> None:
        if self._connection is not None:
            self._connection.close()

    def _listen(self, connection: ClientConnection) -> None:
        with contextlib.suppress(OSError, WebSocketException), connection as messages:
            for message in messages:
                with self._lock:
                    self._take(message)
        self._connection = None

    def _take(self, message: str | bytes) -> None:
        """Previews do not name their task: they are of the one whose progress was reported last."""
        if isinstance(message, bytes):
            self._preview = message[_PREVIEW_HEAD:]
            return
        with contextlib.suppress(ValueError, TypeError, KeyError, ZeroDivisionError, AttributeError):
            parsed: Any = json.loads(message)
            data = parsed.get("data") or {}
            if parsed.get("type") in ("executing", "progress") and data.get("prompt_id"):
                self._begin(str(data["prompt_id"]))
                if parsed["type"] == "progress":
                    self._progress = min(1.0, float(data["value"]) / float(data["max"]))

    def _begin(self, task_id: str) -> None:
        if task_id != self._task_id:
            self._task_id, self._progress, self._preview = task_id, None, b""
