"""Limits the warnings that clients can provoke to one log line a minute per kind, with a count."""

from __future__ import annotations

import asyncio
import logging
from typing import Any

import structlog

log = structlog.get_logger()

_SECONDS = 60.0
_MAX_KINDS = 100


class WarningFilter(logging.Filter):
    """Logs the first warning of a kind at once, and a minute later how many followed."""

    def __init__(self) -> None:
        super().__init__()
        self._counts: dict[str, int] = {}

    def filter(self, record: logging.LogRecord) -> bool:
        if record.levelno != logging.WARNING:
            return True
        kind = str(record.msg)[:100]
        if kind in self._counts:
            self._counts[kind] += 1
        elif len(self._counts) < _MAX_KINDS:
            self._open_window(kind)
        return False

    def _open_window(self, kind: str) -> None:
        try:
            asyncio.get_running_loop().call_later(_SECONDS, self._close_window, kind)
        except RuntimeError:
            self._log(kind, 1)
            return
        self._counts[kind] = 0
        self._log(kind, 1)

    def _close_window(self, kind: str) -> None:
        count = self._counts.pop(kind)
        if count:
            self._log(kind, count, seconds=_SECONDS)

    def _log(self, kind: str, count: int, **fields: Any) -> None:
        log.warning("unexpected_request", kind=kind, count=count, **fields)
