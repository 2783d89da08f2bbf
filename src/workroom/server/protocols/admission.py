"""Which connections are accepted: so many in all, and so many of one network."""

from __future__ import annotations

import ipaddress
from collections import Counter
from collections.abc import Callable, Sequence

from fastapi import Request
from starlette.types import ASGIApp, Receive, Scope, Send
from uvicorn.middleware.proxy_headers import _TrustedHosts

from workroom.errors import TooManyConnections, TooManyRequests, WorkroomError
from workroom.server.http import problems

_LOCAL = frozenset({"127.0.0.1", "::1"})  # a proxy on this machine connects from here
_RETRY_MS = 10_000
_IPV6_HOST_BITS = 64

Release = Callable[[], None]


def network_of(host: str) -> str:
    """An IPv4 address, or the /64 of an IPv6 address: one host usually owns all of it."""
    try:
        address = ipaddress.ip_address(host.partition("%")[0])
    except ValueError:
        return host
    if isinstance(address, ipaddress.IPv4Address):
        return str(address)
    if address.ipv4_mapped is not None:
        return str(address.ipv4_mapped)
    return str(ipaddress.IPv6Network((int(address) >> _IPV6_HOST_BITS << _IPV6_HOST_BITS, _IPV6_HOST_BITS)))


def client_network(request: Request) -> str:
    return network_of(request.client.host if request.client else "")


class NetworkLimit:
    """Counts the open connections of each network."""

    def __init__(self, max_per_network: int) -> None:
        self._max = max_per_network
        self._open: Counter[str] = Counter()

    def admit(self, host: str) -> Release:
        """Count a connection until the returned function is called. Raises beyond the limit."""
        network = network_of(host)
        if host in _LOCAL or network in _LOCAL:
            return _release_nothing
        if self._open[network] >= self._max:
            raise TooManyRequests(
                f"one address may have {self._max} connections open: close some first",
                max_address_connections=self._max,
                retry_after_ms=_RETRY_MS,
            )
        self._open[network] += 1
        return lambda: self._release(network)

    def _release(self, network: str) -> None:
        self._open[network] -= 1
        if not self._open[network]:
            del self._open[network]


class ConnectionLimit:
    """Admits or refuses a connection before anything is read from it.

    Trusted proxies are not counted as a network: `ForwardedLimit` counts the addresses they forward.
    """

    def __init__(self, max_connections: int, max_per_network: int, proxies: Sequence[str]) -> None:
        self._max = max_connections
        self._networks = NetworkLimit(max_per_network)
        self._proxies = _TrustedHosts(list(proxies))

    def admit(self, client: tuple[str, int] | None, open_connections: int) -> Release:
        if open_connections > self._max:
            raise TooManyConnections(
                f"the server has {self._max} connections open, its limit: try again later",
                max_connections=self._max,
                retry_after_ms=_RETRY_MS,
            )
        if client is None or client[0] in self._proxies:
            return _release_nothing
        return self._networks.admit(client[0])


class ForwardedLimit:
    """ASGI middleware behind a proxy: limits the requests and sockets of one forwarded address."""

    def __init__(self, app: ASGIApp, max_per_network: int) -> None:
        self._app = app
        self._networks = NetworkLimit(max_per_network)

    async def __call__(self, scope: Scope, receive: Receive, send: Send) -> None:
        client = scope.get("client")
        if client is None or scope["type"] not in ("http", "websocket"):
            await self._app(scope, receive, send)
            return
        try:
            release = self._networks.admit(client[0])
        except WorkroomError as refusal:
            await problems.response(refusal)(scope, receive, send)
            return
        try:
            await self._app(scope, receive, send)
        finally:
            release()


def _release_nothing() -> None:
    """For a connection that is not counted."""
