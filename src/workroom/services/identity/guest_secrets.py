"""Secrets of guests: a client makes one at random, and is the same guest again whenever it sends it.

They are long and random, so a fast hash is enough. It is kept where users have the hash of a password, with a
prefix that no password's hash has.
"""

from __future__ import annotations

import hashlib
import hmac

from workroom.domain.identity import Account, Role

_PREFIX = "guest-secret:"


def hash_secret(secret: str) -> str:
    return _PREFIX + hashlib.sha256(secret.encode()).hexdigest()


def is_own(account: Account, secret: str) -> bool:
    """Whether this guest logged in with the secret at first. Users need their password."""
    kept = account.password_hash or ""
    return account.role is Role.GUEST and hmac.compare_digest(kept, hash_secret(secret))


def has_password(account: Account) -> bool:
    return account.password_hash is not None and not account.password_hash.startswith(_PREFIX)
