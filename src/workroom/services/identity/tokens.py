"""Tokens: issuing, reading and revoking them."""

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
from workroom.domain.queries import RevokedTokens
from workroom.errors import StartRefused, Unauthenticated

_ALGORITHM = "HS256"
_NAME = "workroom"
_DAY = 86_400
_KNOWN = 10_000
STREAM = "workroom:stream"
VIEW = "workroom:view"
_TICKET_SECONDS = {STREAM: 30, VIEW: 120}
LEEWAY_SECONDS = 60  # by which the clocks of two servers may differ where a validity is short
_KEY_BYTES = 32
_KEY_REMEDY = "restore it, or delete it to make a new one, which logs everybody out"
_NOT_VALID = "this token is not valid: log in again"


class Tokens:
    """Issues and reads JWTs. The signature of a token is verified once, then cached."""

    def __init__(self, key: bytes, days: float, *, guests: bool = True) -> None:
        self.key = key
        self._days = days
        self._guests = guests
        self._known: dict[str, Principal] = {}
        self._revoked = RevokedTokens(frozenset(), {}, frozenset())

    def set_revoked(self, revoked: RevokedTokens) -> None:
        """Tokens of these sessions, accounts and epochs are no longer valid."""
        self._revoked = revoked

    def issue(self, who: Principal, days: float | None = None) -> str:
        """A token of the same login session, or of a new one if the principal has none."""
        return self._sign(who, _NAME, (days or self._days) * _DAY)

    def issue_ticket(self, who: Principal, purpose: str = STREAM) -> str:
        """A ticket that opens one stream or frame, once, within a short time by the clock of this server."""
        return self._sign(who, purpose, _TICKET_SECONDS[purpose])

    def renew(self, who: Principal, days: float | None = None) -> str:
        """A newer token of the same session."""
        if who.is_identified:
            days = max(0.0, who.expires - time.time()) / _DAY
        return self.issue(who, days)

    def session_end(self, who: Principal) -> float:
        """When the last token of the session expires, even if it is never revoked."""
        return max(who.session_expires, time.time() + self._days * _DAY)

    def read_ticket(self, ticket: str, purpose: str = STREAM) -> tuple[str, Principal]:
        """The id of the ticket, which the caller must use up, and its principal."""
        claims = self._decode(ticket, purpose)
        who = replace(_principal(claims), expires=float("inf"))
        if float(claims["exp"]) + LEEWAY_SECONDS < time.time() or not self.is_valid(who):
            raise Unauthenticated("this ticket has expired: request a new one")
        return str(claims["jti"]), who

    def read(self, token: object) -> Principal:
        if not isinstance(token, str) or not token:
            raise Unauthenticated()
        who = self._known.get(token) or self._verified(token)
        if self.is_valid(who):
            return who
        what = "has expired" if who.expires < time.time() else "was revoked"
        raise Unauthenticated(f"this token {what}: log in again")

    def is_valid(self, who: Principal) -> bool:
        """Whether the token is neither expired nor revoked. A job's token is read each time instead."""
        return who.role is Role.JOB or (
            who.expires >= time.time()
            and who.session not in self._revoked.token_ids
            and who.user not in self._revoked.disabled
            and self._revoked.epochs.get(who.user, 0) == who.epoch
            and (self._guests or who.role is not Role.GUEST)
        )

    def _sign(self, who: Principal, audience: str, seconds: float) -> str:
        now = time.time()
        claims: dict[str, Any] = {
            "jti": secrets.token_hex(12),
            "sid": who.session or secrets.token_hex(12),
            "session_exp": max(who.session_expires, int(now + seconds)),
            "sub": who.user,
            "role": who.role,
            "epoch": who.epoch,
            "room": who.room,
            "iat": int(now),
            "exp": int(now + seconds),
            "aud": audience,
            "iss": _NAME,
        }
        if who.is_identified:
            claims["identified"] = True
        return jwt.encode(claims, self.key, _ALGORITHM)

    def _verified(self, token: str) -> Principal:
        who = _principal(self._decode(token, _NAME))
        if len(self._known) >= _KNOWN:
            self._known.clear()
        self._known[token] = who
        return who

    def _decode(self, token: str, audience: str) -> dict[str, Any]:
        """When it was issued does not matter: another server's clock, or this one's before a restart, may be
        ahead, and anyone who can sign a time can sign any.
        """
        try:
            claims: dict[str, Any] = jwt.decode(
                token,
                self.key,
                [_ALGORITHM],
                audience=audience,
                issuer=_NAME,
                options={
                    "require": ["exp", "sub", "jti", "sid"],
                    "verify_exp": False,
                    "verify_iat": False,
                    "verify_nbf": False,
                },
            )
        except jwt.InvalidTokenError as error:
            raise Unauthenticated(_NOT_VALID) from error
        return claims


def _principal(claims: dict[str, Any]) -> Principal:
    try:
        return Principal(
            user=str(claims["sub"]),
            role=Role(claims["role"]),
            session=str(claims["sid"]),
            epoch=int(claims["epoch"]),
            expires=float(claims["exp"]),
            session_expires=float(claims["session_exp"]),
            room=claims["room"],
            is_identified=claims.get("identified") is True,
        )
    except (KeyError, ValueError, TypeError) as error:
        raise Unauthenticated(_NOT_VALID) from error


def for_job(fence: Fence, user: str, room: str) -> Principal:
    return Principal(user, Role.JOB, room=room, job=fence)


def signing_key(data_dir: Path, given: str | None = None) -> bytes:
    """The given key, which all servers on a store share, or one that this server makes on its first start."""
    if given is not None:
        return hashlib.sha256(given.encode()).digest()
    path = data_dir / "signing.key"
    try:
        if not path.exists():
            _make_key(path)
        key = bytes.fromhex(path.read_text().strip())
    except OSError as error:
        raise StartRefused(f"cannot read the signing key {path}: {error.strerror}. {_KEY_REMEDY}") from error
    except ValueError as error:
        raise StartRefused(f"the signing key {path} is damaged: {_KEY_REMEDY}") from error
    if len(key) != _KEY_BYTES:
        raise StartRefused(f"the signing key {path} is {'damaged' if key else 'empty'}: {_KEY_REMEDY}")
    return key


def _make_key(path: Path) -> None:
    """Write it whole or not at all: a server may be killed at any time."""
    path.parent.mkdir(parents=True, exist_ok=True)
    written = path.with_suffix(".new")
    written.unlink(missing_ok=True)
    with os.fdopen(os.open(written, os.O_WRONLY | os.O_CREAT | os.O_EXCL, 0o600), "w") as file:
        file.write(secrets.token_hex(_KEY_BYTES))
        file.flush()
        os.fsync(file.fileno())
    written.rename(path)
