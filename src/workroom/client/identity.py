"""Who this process is to the server: its token, kept, renewed, and remembered from run to run."""

from __future__ import annotations

import asyncio
import base64
import binascii
import json
import os
import sys
import time
from collections.abc import Awaitable, Callable
from contextlib import nullcontext
from pathlib import Path
from typing import IO, Any

from workroom.client.requests import Request, login, renew
from workroom.errors import Unauthenticated

if sys.platform != "win32":
    import fcntl

Exchange = Callable[[Request, dict[str, str]], Awaitable[Any]]
_RENEW_SHARE = 0.5  # of a token's life may pass before it is renewed


class Identity:
    """A token that was given is used as it is; else a guest is the same guest as the last time."""

    def __init__(self, url: str, user: str, password: str | None, token: str | None, send: Exchange) -> None:
        self.user = user
        self._password = password
        self._is_given = bool(token)
        self._token = token or None
        self._memory = Memory(f"{url} {user}")
        self._send = send
        self._turn = asyncio.Lock()

    async def token(self) -> str:
        async with self._turn:
            if self._token is None:
                self._token = await self._log_in()
            return self._token

    async def refused(self, token: str) -> None:
        """The server does not take this token: forget it, so that the next one is new."""
        if self._is_given:
            raise Unauthenticated("the server does not take this token any more: get a new one")
        if token == self._token:
            self._token = None
            self._memory.forget(token)

    def renewal_in(self) -> float | None:
        """Seconds until the token wants renewing; None for one that does not tell."""
        times = _times(self._token)
        if times is None:
            return None
        issued, expires = times
        return max(0.0, issued + (expires - issued) * _RENEW_SHARE - time.time())

    async def renew(self) -> str:
        token = await self.token()
        answer = await self._send(renew(), {"Authorization": f"Bearer {token}"})
        self._token = str(answer["token"])
        if not self._is_given and self._password is None:
            self._memory.keep(self._token)
        return self._token

    async def _log_in(self) -> str:
        if self._password is not None:
            return self._welcome(await self._send(login(self.user, self._password), {}))
        with await asyncio.to_thread(self._memory.lock) or nullcontext():
            token = self._memory.recall()
            if token is None:
                token = self._welcome(await self._send(login(self.user, None), {}))
                self._memory.keep(token)
        self.user = _claims(token).get("sub", self.user)
        return token

    def _welcome(self, answer: Any) -> str:
        self.user = answer["user"]
        return str(answer["token"])


class Memory:
    """One token in a file of the user's own. Without a place to write, nothing is remembered."""

    def __init__(self, name: str) -> None:
        self._name = name
        self._file = state_dir() / "tokens.json"

    def lock(self) -> IO[str] | None:
        """One process at a time, so that two do not become two guests. Closing it ends the turn."""
        try:
            self._file.parent.mkdir(parents=True, exist_ok=True, mode=0o700)
            lock = self._file.with_suffix(".lock").open("w")
        except OSError:
            return None
        if sys.platform != "win32":
            fcntl.flock(lock, fcntl.LOCK_EX)
        return lock

    def recall(self) -> str | None:
        token = self._all().get(self._name)
        return token if isinstance(token, str) else None

    def keep(self, token: str) -> None:
        self._write({**self._all(), self._name: token})

    def forget(self, token: str) -> None:
        known = self._all()
        if known.get(self._name) == token:
            del known[self._name]
            self._write(known)

    def _all(self) -> dict[str, Any]:
        try:
            known = json.loads(self._file.read_text())
        except (OSError, ValueError):
            return {}
        return known if isinstance(known, dict) else {}

    def _write(self, known: dict[str, Any]) -> None:
        fresh = self._file.with_suffix(f".{os.getpid()}")
        try:
            self._file.parent.mkdir(parents=True, exist_ok=True, mode=0o700)
            with os.fdopen(os.open(fresh, os.O_WRONLY | os.O_CREAT | os.O_TRUNC, 0o600), "w") as file:
                json.dump(known, file)
            fresh.replace(self._file)
        except OSError:
            return


def state_dir() -> Path:
    """Where this user's programs keep what they know: WORKROOM_STATE_DIR, or where the system says."""
    given = os.environ.get("WORKROOM_STATE_DIR")
    if given:
        return Path(given)
    home = os.environ.get("XDG_STATE_HOME")
    return (Path(home) if home else Path.home() / ".local" / "state") / "workroom"


def _claims(token: str | None) -> dict[str, Any]:
    """What a token says of itself. It is the server that knows whether it is true."""
    try:
        part = (token or "").split(".")[1]
        claims = json.loads(base64.urlsafe_b64decode(part + "=" * (-len(part) % 4)))
    except (IndexError, ValueError, binascii.Error):
        return {}
    return claims if isinstance(claims, dict) else {}


def _times(token: str | None) -> tuple[float, float] | None:
    claims = _claims(token)
    try:
        return float(claims["iat"]), float(claims["exp"])
    except (KeyError, TypeError, ValueError):
        return None
