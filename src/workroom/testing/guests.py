"""Guest tokens that plain REST calls share with the SDK."""

from __future__ import annotations

import httpx

from workroom.client.transport.identity import GuestSecret, TokenFile


def guest_token(url: str, user: str) -> str:
    """Return the token that the SDK has stored for this name, or log in as that guest and store one."""
    memory = TokenFile(f"{url} {user}")
    token = memory.load()
    if token is None:
        guest = {"name": user, "secret": GuestSecret([url], user).value()}
        token = str(httpx.post(f"{url}/api/login", json=guest).json()["token"])
        memory.store(token)
    return token
