"""Guests by name, the same for plain REST and for the SDK."""

from __future__ import annotations

import httpx

from workroom.client.identity import Memory


def guest_token(url: str, user: str) -> str:
    """The token that the SDK remembers for this name here, or a new one that it will."""
    memory = Memory(f"{url} {user}")
    token = memory.recall()
    if token is None:
        token = str(httpx.post(f"{url}/api/login", json={"name": user}).json()["token"])
        memory.keep(token)
    return token
