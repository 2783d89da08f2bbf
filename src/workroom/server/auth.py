"""Tokens: who they stand for, and how they are made."""

from __future__ import annotations

import hmac
import os
import secrets
import time
from pathlib import Path
from typing import Any

import jwt

from workroom.domain.identity import Principal, Role
from workroom.errors import Unauthenticated

_ALGORITHM = "HS256"
_NAME = "workroom"
_DAY = 86_400


class Tokens:
    """Issues and reads JWTs. Reading one costs a signature once, then a look-up."""

    def __init__(self, key: bytes, days: float) -> None:
        self._key = key
        self._seconds = days * _DAY
        self._known: dict[str, tuple[Principal, float]] = {}

    def issue(self, principal: Principal) -> str:
        now = time.time()
        claims = {
            "sub": principal.user,
            "role": principal.role,
            "iat": int(now),
            "exp": int(now + self._seconds),
            "aud": _NAME,
            "iss": _NAME,
        }
        return jwt.encode(claims, self._key, _ALGORITHM)

    def read(self, token: object) -> Principal:
        if not isinstance(token, str) or not token:
            raise Unauthenticated()
        principal, expires = self._known.get(token) or self._verify(token)
        if expires < time.time():
            raise Unauthenticated("this token has expired: log in again")
        return principal

    def _verify(self, token: str) -> tuple[Principal, float]:
        try:
            claims: dict[str, Any] = jwt.decode(
                token,
                self._key,
                [_ALGORITHM],
                audience=_NAME,
                issuer=_NAME,
                options={"require": ["exp", "sub"]},
            )
            known = (Principal(claims["sub"], Role(claims["role"])), float(claims["exp"]))
        except (jwt.InvalidTokenError, KeyError, ValueError) as error:
            raise Unauthenticated("this token is not valid: log in again") from error
        if len(self._known) > 10_000:
            self._known.clear()
        self._known[token] = known
        return known


def signing_key(data_dir: Path) -> bytes:
    """The key of this server, made on its first start."""
    path = data_dir / "signing.key"
    if not path.exists():
        data_dir.mkdir(parents=True, exist_ok=True)
        with os.fdopen(os.open(path, os.O_WRONLY | os.O_CREAT | os.O_EXCL, 0o600), "w") as file:
            file.write(secrets.token_hex(32))
    return bytes.fromhex(path.read_text().strip())


def matches(given: str, expected: str) -> bool:
    return hmac.compare_digest(given.encode(), expected.encode())
