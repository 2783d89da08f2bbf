"""Tokens: who they stand for, how they are made, and when they count no more."""

from __future__ import annotations

import hashlib
import os
import secrets
import time
from dataclasses import replace
from pathlib import Path
from typing import Any

import jwt

from workroom.domain.identity import Principal, Role
from workroom.domain.job import Fence
from workroom.domain.queries import Void
from workroom.errors import Unauthenticated

_ALGORITHM = "HS256"
_NAME = "workroom"
_DAY = 86_400
_KNOWN = 10_000
_STREAM = "workroom:stream"
_TICKET_SECONDS = 30
_NOT_VALID = "this token is not valid: log in again"


class Tokens:
    """Issues and reads JWTs. Reading one costs a signature once, then a look-up."""

    def __init__(self, key: bytes, days: float, *, guests: bool = True) -> None:
        self._key = key
        self._days = days
        self._guests = guests
        self._known: dict[str, Principal] = {}
        self._void = Void(frozenset(), {}, frozenset())

    def void(self, void: Void) -> None:
        """From now on these count no more."""
        self._void = void

    def issue(self, who: Principal, days: float | None = None) -> str:
        return self._sign(who, _NAME, secrets.token_hex(12), (days or self._days) * _DAY)

    def issue_ticket(self, who: Principal) -> str:
        """Opens one stream, once, within half a minute, for as long as the token counts that asked for it."""
        return self._sign(who, _STREAM, secrets.token_hex(12), _TICKET_SECONDS, parent=who.token_id)

    def read_ticket(self, ticket: str) -> tuple[str, Principal]:
        """The id of the ticket, to be used up, and who it stands for."""
        claims = self._decode(ticket, _STREAM)
        who = replace(_principal(claims), token_id=str(claims["parent"]), expires=float("inf"))
        if float(claims["exp"]) < time.time() or not self.counts(who):
            raise Unauthenticated("this ticket has run out: ask for a new one")
        return str(claims["jti"]), who

    def read(self, token: object) -> Principal:
        if not isinstance(token, str) or not token:
            raise Unauthenticated()
        who = self._known.get(token) or self._verified(token)
        if who.expires < time.time():
            raise Unauthenticated("this token has expired: log in again")
        if not self.counts(who):
            raise Unauthenticated("this token counts no more: log in again")
        return who

    def counts(self, who: Principal) -> bool:
        """A job's own token is looked up anew each time, so it cannot go stale here."""
        return who.role is Role.JOB or (
            who.expires >= time.time()
            and who.token_id not in self._void.token_ids
            and who.user not in self._void.disabled
            and self._void.epochs.get(who.user, 0) == who.epoch
            and (self._guests or who.role is not Role.GUEST)
        )

    def _sign(self, who: Principal, audience: str, token_id: str, seconds: float, **more: str) -> str:
        now = time.time()
        claims: dict[str, Any] = {
            "jti": token_id,
            "sub": who.user,
            "role": who.role,
            "epoch": who.epoch,
            "room": who.room,
            "iat": int(now),
            "exp": int(now + seconds),
            "aud": audience,
            "iss": _NAME,
            **more,
        }
        return jwt.encode(claims, self._key, _ALGORITHM)

    def _verified(self, token: str) -> Principal:
        who = _principal(self._decode(token, _NAME))
        if len(self._known) >= _KNOWN:
            self._known.clear()
        self._known[token] = who
        return who

    def _decode(self, token: str, audience: str) -> dict[str, Any]:
        try:
            claims: dict[str, Any] = jwt.decode(
                token,
                self._key,
                [_ALGORITHM],
                audience=audience,
                issuer=_NAME,
                options={"require": ["exp", "sub", "jti"], "verify_exp": False},
            )
        except jwt.InvalidTokenError as error:
            raise Unauthenticated(_NOT_VALID) from error
        return claims


def _principal(claims: dict[str, Any]) -> Principal:
    try:
        return Principal(
            user=str(claims["sub"]),
            role=Role(claims["role"]),
            token_id=str(claims["jti"]),
            epoch=int(claims["epoch"]),
            expires=float(claims["exp"]),
            room=claims["room"],
        )
    except (KeyError, ValueError, TypeError) as error:
        raise Unauthenticated(_NOT_VALID) from error


def for_job(fence: Fence, user: str, room: str) -> Principal:
    return Principal(user, Role.JOB, room=room, job=fence)


def signing_key(data_dir: Path, given: str | None = None) -> bytes:
    """The key that all servers on a store were given, or that of this one, made on its first start."""
    if given is not None:
        return hashlib.sha256(given.encode()).digest()
    path = data_dir / "signing.key"
    if not path.exists():
        data_dir.mkdir(parents=True, exist_ok=True)
        with os.fdopen(os.open(path, os.O_WRONLY | os.O_CREAT | os.O_EXCL, 0o600), "w") as file:
            file.write(secrets.token_hex(32))
    return bytes.fromhex(path.read_text().strip())
