"""A transport for httpx with limits on the time of a whole request, and on the time of sending it.

httpx limits only the time between two bytes, so that a server which sends one now and then would never be
given up, and a process that was frozen would go on sending hours later.
"""

from __future__ import annotations

import contextlib
import socket
import ssl
import threading
import time
from collections.abc import Iterable, Iterator
from typing import Any

import httpcore
import httpx

_FAILURES = (httpcore.NetworkError, httpcore.ProtocolError, httpcore.TimeoutException)
_SLICE = 65_536
_current = threading.local()


@contextlib.contextmanager
def time_limit(seconds: float) -> Iterator[None]:
    """Everything that this thread reads and writes through a `PoolTransport` ends by then."""
    before = getattr(_current, "deadline", None)
    _current.deadline = time.monotonic() + seconds
    try:
        yield
    finally:
        _current.deadline = before


@contextlib.contextmanager
def send_limit(seconds: float) -> Iterator[None]:
    """What this thread sends through a `PoolTransport` arrives by then, or never.

    The first half is for writing, also by a process that was frozen meanwhile. What was written and is not
    acknowledged is given up by the kernel in the second half, even after the process was killed.
    """
    before = getattr(_current, "sending", None)
    _current.sending = (_uptime() + seconds / 2, seconds / 2)
    try:
        yield
    finally:
        _current.sending = before


def check_send_limit() -> None:
    """Raises httpx.WriteTimeout if it is too late to send anything."""
    try:
        _left_to_send(None)
    except httpcore.WriteTimeout as error:
        raise httpx.WriteTimeout(str(error)) from error


def _uptime() -> float:
    """Seconds of a clock that also counts while the machine sleeps, where there is one."""
    clock: int = getattr(time, "CLOCK_BOOTTIME", time.CLOCK_MONOTONIC)
    return time.clock_gettime(clock)


def _left_to_send(timeout: float | None) -> float | None:
    sending: tuple[float, float] | None = getattr(_current, "sending", None)
    if sending is None:
        return timeout
    left = sending[0] - _uptime()
    if left <= 0:
        raise httpcore.WriteTimeout("it was not sent in time")
    return left if timeout is None else min(timeout, left)


def _give_up_unacknowledged(stream: httpcore.NetworkStream) -> None:
    """Set on each write, because a connection outlives a request. Zero is the default of the kernel."""
    option: int | None = getattr(socket, "TCP_USER_TIMEOUT", None)
    connection = stream.get_extra_info("socket")
    if option is None or connection is None:
        return
    sending: tuple[float, float] | None = getattr(_current, "sending", None)
    connection.setsockopt(socket.IPPROTO_TCP, option, 0 if sending is None else int(sending[1] * 1000))


def _left(timeout: float | None) -> float | None:
    deadline: float | None = getattr(_current, "deadline", None)
    if deadline is None:
        return timeout
    left = deadline - time.monotonic()
    if left <= 0:
        raise httpcore.ReadTimeout("it took too long")
    return left if timeout is None else min(timeout, left)


class LimitedBackend(httpcore.SyncBackend):
    """Connections whose operations end within the time limit."""

    def connect_tcp(
        self,
        host: str,
        port: int,
        timeout: float | None = None,
        local_address: str | None = None,
        socket_options: Iterable[Any] | None = None,
    ) -> httpcore.NetworkStream:
        return _LimitedStream(super().connect_tcp(host, port, _left(timeout), local_address, socket_options))


class _LimitedStream(httpcore.NetworkStream):
    def __init__(self, stream: httpcore.NetworkStream) -> None:
        self._stream = stream

    def read(self, max_bytes: int, timeout: float | None = None) -> bytes:
        return self._stream.read(max_bytes, _left(timeout))

    def write(self, buffer: bytes, timeout: float | None = None) -> None:
        _give_up_unacknowledged(self._stream)
        for start in range(0, len(buffer), _SLICE):
            self._stream.write(buffer[start : start + _SLICE], _left(_left_to_send(timeout)))

    def close(self) -> None:
        self._stream.close()

    def start_tls(
        self,
        ssl_context: ssl.SSLContext,
        server_hostname: str | None = None,
        timeout: float | None = None,
    ) -> httpcore.NetworkStream:
        return _LimitedStream(self._stream.start_tls(ssl_context, server_hostname, _left(timeout)))

    def get_extra_info(self, info: str) -> Any:
        return self._stream.get_extra_info(info)


class PoolTransport(httpx.BaseTransport):
    """Connections of one backend. It uses no proxy."""

    def __init__(self, backend: httpcore.NetworkBackend) -> None:
        self._pool = httpcore.ConnectionPool(
            ssl_context=ssl.create_default_context(), network_backend=backend
        )

    def handle_request(self, request: httpx.Request) -> httpx.Response:
        assert isinstance(request.stream, httpx.SyncByteStream)
        with _as_httpx(request):
            response = self._pool.handle_request(
                httpcore.Request(
                    request.method,
                    _url(request.url),
                    headers=request.headers.raw,
                    content=request.stream,
                    extensions=request.extensions,
                )
            )
        return httpx.Response(
            response.status,
            headers=response.headers,
            stream=_Body(response, request),
            extensions=response.extensions,
        )

    def close(self) -> None:
        self._pool.close()


class _Body(httpx.SyncByteStream):
    def __init__(self, response: httpcore.Response, request: httpx.Request) -> None:
        self._response = response
        self._request = request

    def __iter__(self) -> Iterator[bytes]:
        with _as_httpx(self._request):
            yield from self._response.iter_stream()

    def close(self) -> None:
        self._response.close()


@contextlib.contextmanager
def _as_httpx(request: httpx.Request) -> Iterator[None]:
    """The exceptions of httpx have the names of those of httpcore."""
    try:
        yield
    except _FAILURES as error:
        kind: type[httpx.TransportError] = getattr(httpx, type(error).__name__, httpx.TransportError)
        raise kind(str(error) or type(error).__name__, request=request) from error


def _url(url: httpx.URL) -> httpcore.URL:
    return httpcore.URL(scheme=url.raw_scheme, host=url.raw_host, port=url.port, target=url.raw_path)
