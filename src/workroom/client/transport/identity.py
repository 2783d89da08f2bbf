"""The token of this process: obtained by login, renewed, and stored between runs.

A guest also stores a secret for its name. With it, a login returns the same guest again when a token is lost,
expired or refused by a server whose clock is wrong.
"""

from __future__ import annotations

import asyncio
import base64
import binascii
import json
import logging
import os
import secrets
import sys
import time
from collections.abc import Awaitable, Callable, Sequence
from contextlib import nullcontext
from pathlib import Path
from typing import IO, Any

from workroom.client.requests import Request, log_in_guest, login, renew
from workroom.errors import Unauthenticated

if sys.platform != "win32":
    import fcntl

log = logging.getLogger(__name__)

Exchange = Callable[[Request, dict[str, str]], Awaitable[Any]]
_RENEW_AT = 0.5  # of a token's lifetime


class Identity:
    """Uses the given token, or logs in. A guest without a password keeps the token of the last run."""

    def __init__(
        self, urls: Sequence[str], user: str, password: str | None, token: str | None, send: Exchange
    ) -> None:
        """`urls` are the addresses of one server, or of several that share a store."""
        self.user = self._name = user
        self._password = password
        self._is_given = bool(token)
        self._token = token or None
        self._file = TokenFile(f"{urls[0]} {user}")
        self._secret = GuestSecret(urls, user)
        self._send = send
        self._lock = asyncio.Lock()

    async def token(self) -> str:
        async with self._lock:
            if self._token is None:
                self._token = await self._log_in()
            return self._token

    async def reject(self, token: str) -> None:
        """Forget a token that the server rejected, so that the next login gets a new one."""
        if self._is_given:
            raise Unauthenticated("the server no longer accepts this token: get a new one")
        if token == self._token:
            self._token = None
            self._file.forget(token)

    def renewal_in(self) -> float | None:
        """Seconds until the token should be renewed; None if it has no expiry."""
        times = _times(self._token)
        if times is None:
            return None
        issued, expires = times
        return max(0.0, issued + (expires - issued) * _RENEW_AT - time.time())

    async def renew(self) -> str:
        token = await self.token()
        reply = await self._send(renew(), {"Authorization": f"Bearer {token}"})
        self._token = str(reply["token"])
        if not self._is_given and self._password is None:
            self._file.store(self._token)
        return self._token

    async def _log_in(self) -> str:
        if self._password is not None:
            return self._accept(await self._send(login(self.user, self._password), {}))
        with await asyncio.to_thread(self._file.lock) or nullcontext():
            token = self._file.load()
            if token is None:
                token = self._accept(await self._send(log_in_guest(self._name, self._secret.value()), {}))
                self._file.store(token)
        self.user = _claims(token).get("sub", self.user)
        return token

    def _accept(self, reply: Any) -> str:
        self.user = reply["user"]
        known_as = (self.user, str(reply["display_name"]).casefold())
        if self._password is None and self._name.casefold() not in known_as:
            log.warning("the name '%s' is taken: you are '%s' there", self._name, reply["display_name"])
        return str(reply["token"])


class TokenFile:
    """Stores one token in a file of the user. Where that cannot be written, nothing is stored."""

    def __init__(self, key: str, name: str = "tokens.json") -> None:
        self._key = key
        self._path = state_dir() / name

    def lock(self) -> IO[str] | None:
        """Wait for other processes, so that two do not log in as two guests. Closing the file unlocks."""
        try:
            self._path.parent.mkdir(parents=True, exist_ok=True, mode=0o700)
            lock = self._path.with_suffix(".lock").open("w")
        except OSError:
            return None
        if sys.platform != "win32":
            fcntl.flock(lock, fcntl.LOCK_EX)
        return lock

    def load(self) -> str | None:
        token = self._read().get(self._key)
        return token if isinstance(token, str) else None

    def store(self, token: str) -> None:
        self._write({**self._read(), self._key: token})

    def forget(self, token: str) -> None:
        tokens = self._read()
        if tokens.get(self._key) == token:
            del tokens[self._key]
            self._write(tokens)

    def _read(self) -> dict[str, Any]:
        try:
            tokens = json.loads(self._path.read_text())
        except (OSError, ValueError):
            return {}
        return tokens if isinstance(tokens, dict) else {}

    def _write(self, tokens: dict[str, Any]) -> None:
        fresh = self._path.with_suffix(f".{os.getpid()}")
        try:
            self._path.parent.mkdir(parents=True, exist_ok=True, mode=0o700)
            with os.fdopen(os.open(fresh, os.O_WRONLY | os.O_CREAT | os.O_TRUNC, 0o600), "w") as file:
                json.dump(tokens, file)
            fresh.replace(self._path)
        except OSError:
            return


class GuestSecret:
    """The secret of a guest's name, stored for each address, and kept while this process runs."""

    def __init__(self, urls: Sequence[str], user: str) -> None:
        self._files = [TokenFile(f"{url} {user}", "secrets.json") for url in urls]
        self._value: str | None = None

    def value(self) -> str:
        """The stored secret, or a new one. The caller holds the lock of the tokens."""
        if self._value is None:
            stored = [found for file in self._files if (found := file.load()) is not None]
            self._value = stored[0] if stored else secrets.token_urlsafe(32)
            if len(stored) < len(self._files):
                for file in self._files:
                    file.store(self._value)
        return self._value


def state_dir() -> Path:
    """The directory for state between runs: WORKROOM_STATE_DIR, or the XDG default."""
    override = os.environ.get("WORKROOM_STATE_DIR")
    if override:
        return Path(override)
    home = os.environ.get("XDG_STATE_HOME")
    return (Path(home) if home else Path.home() / ".local" / "state") / "workroom"


def _claims(token: str | None) -> dict[str, Any]:
    """The claims of a JWT, unverified: only the server can verify them."""
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
