"""The guard of all requests that are made on behalf of users: nothing inside the network can be reached.

An address is checked after its name was resolved, and the connection goes to the address that was checked, so
that a name that resolves differently the second time gains nothing. Redirects pass through the same check.
"""

from __future__ import annotations

import ipaddress
import socket
from collections.abc import Iterable, Iterator
from typing import Any
from urllib.parse import urlsplit

import httpcore
import httpx

from workroom.packs.media.providers.errors import AddressRefused, DownloadError
from workroom.packs.media.providers.transport import LimitedBackend, PoolTransport

_Address = ipaddress.IPv4Address | ipaddress.IPv6Address
_UNICAST = ipaddress.ip_network("2000::/3")
_NAT64 = ipaddress.ip_network("64:ff9b::/96")


class OutboundGuard:
    """Which addresses may be connected to: all public ones, and those that are allowed by name.

    `allowed` has host names, `host:port`, addresses and networks (`10.1.0.0/16`).
    """

    def __init__(self, allowed: Iterable[str] = ()) -> None:
        self._names: set[str] = set()
        self._networks: list[ipaddress.IPv4Network | ipaddress.IPv6Network] = []
        for each in allowed:
            self._allow(each.strip().lower())

    def _allow(self, text: str) -> None:
        try:
            self._networks.append(ipaddress.ip_network(text, strict=False))
        except ValueError:
            if text:
                self._names.add(text)

    def resolve(self, host: str, port: int) -> str:
        """The address to connect to. Raises AddressRefused, also if one of several addresses is private.

        A name that cannot be resolved now may be later: that is a DownloadError.
        """
        try:
            found = socket.getaddrinfo(host, port, type=socket.SOCK_STREAM)
        except (OSError, UnicodeError) as error:
            raise DownloadError(f"'{host}' cannot be resolved") from error
        addresses = [str(each[4][0]) for each in found]
        if not self._is_named(host, port):
            for address in addresses:
                self._check(host, address)
        return addresses[0]

    def _is_named(self, host: str, port: int) -> bool:
        name = _bracketed(host.lower())
        return not self._names.isdisjoint({name, f"{name}:{port}"})

    def _check(self, host: str, text: str) -> None:
        address = ipaddress.ip_address(text.partition("%")[0])
        if any(address in network for network in self._networks):
            return
        if not all(_is_public(each) for each in _embedded(address)):
            raise AddressRefused(f"'{host}' is at {address}, which is not a public address")


def _is_public(address: _Address) -> bool:
    """IPv6 has its public addresses in one range, so that old and unassigned ones need no list."""
    if isinstance(address, ipaddress.IPv6Address) and address not in _UNICAST and address not in _NAT64:
        return False
    return address.is_global and not address.is_multicast


def _bracketed(host: str) -> str:
    """An IPv6 address in brackets, as it has them before a port."""
    return f"[{host}]" if ":" in host else host


def host_of(url: str) -> str:
    """The host of an address, with its port if it has one, as `OutboundGuard` takes it."""
    parts = urlsplit(url)
    host = _bracketed(parts.hostname or "")
    return f"{host}:{parts.port}" if parts.port else host


def _embedded(address: _Address) -> Iterator[_Address]:
    """An address, and the IPv4 addresses that it stands for."""
    yield address
    if isinstance(address, ipaddress.IPv6Address):
        if address.ipv4_mapped is not None:
            yield address.ipv4_mapped
        if address.sixtofour is not None:
            yield address.sixtofour
        if address.teredo is not None:
            yield from address.teredo
        if address in _NAT64:
            yield ipaddress.IPv4Address(int(address) & 0xFFFFFFFF)


class _GuardedBackend(LimitedBackend):
    def __init__(self, guard: OutboundGuard) -> None:
        super().__init__()
        self._guard = guard

    def connect_tcp(
        self,
        host: str,
        port: int,
        timeout: float | None = None,
        local_address: str | None = None,
        socket_options: Iterable[Any] | None = None,
    ) -> httpcore.NetworkStream:
        address = self._guard.resolve(host, port)
        return super().connect_tcp(address, port, timeout, local_address, socket_options)

    def connect_unix_socket(self, path: str, *args: Any, **options: Any) -> httpcore.NetworkStream:
        raise AddressRefused("Unix sockets are not fetched from")


class GuardedTransport(PoolTransport):
    """A transport for httpx whose connections pass the guard. It uses no proxy."""

    def __init__(self, guard: OutboundGuard) -> None:
        super().__init__(_GuardedBackend(guard))

    def handle_request(self, request: httpx.Request) -> httpx.Response:
        if request.url.scheme not in ("http", "https"):
            raise AddressRefused(f"'{request.url.scheme}' is not fetched, only http and https")
        return super().handle_request(request)
