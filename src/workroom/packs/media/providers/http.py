"""HTTP calls to providers, with the errors distinguished that matter for money: sent, not sent, unknown."""

from __future__ import annotations

import contextlib
import email.utils
import time
import urllib.parse
import urllib.request
from collections.abc import Mapping
from typing import Any

import httpx

from workroom.packs.media.providers.errors import (
    BadRequest,
    OutcomeUnknown,
    ProviderDown,
    ProviderError,
    QuotaExhausted,
    RateLimited,
    TaskNotFound,
)
from workroom.packs.media.providers.transport import (
    LimitedBackend,
    PoolTransport,
    check_send_limit,
    time_limit,
)

TIMEOUT = httpx.Timeout(60.0, connect=10.0)
MAX_REQUEST_S = 300.0
MAX_RESPONSE_BYTES = 10_000_000
_MAX_RETRY_AFTER_S = 86_400.0
_MIN_SECRET = 6
_NEVER_SENT = (httpx.ConnectError, httpx.ConnectTimeout, httpx.PoolTimeout, httpx.UnsupportedProtocol)


class ProviderHttp:
    """A client of one provider's API.

    What `headers` has is secret: a provider that repeats it in an error has it masked.
    """

    def __init__(self, base_url: str, headers: Mapping[str, str], timeout: httpx.Timeout = TIMEOUT) -> None:
        self._client = httpx.Client(
            base_url=base_url,
            headers=dict(headers),
            timeout=timeout,
            follow_redirects=False,
            transport=None if _has_proxy(base_url) else PoolTransport(LimitedBackend()),
        )
        words = {word for value in headers.values() for word in value.split()}
        self._secrets = [word for word in words if len(word) >= _MIN_SECRET and word != "Bearer"]

    def order(self, path: str, **options: Any) -> Any:
        """A POST that may be charged, sent once. Raises OutcomeUnknown if it may have been accepted."""
        try:
            check_send_limit()
            response = self._send("POST", path, options)
        except _NEVER_SENT as error:
            raise ProviderDown(_reason(error)) from error
        except httpx.HTTPError as error:
            raise OutcomeUnknown(f"no answer was received: {_reason(error)}") from error
        if response.status_code >= 500:
            raise OutcomeUnknown(f"it answered {response.status_code}", body=self._text(response))
        self._check(response)
        try:
            return response.json()
        except ValueError as error:
            raise OutcomeUnknown("its answer is not JSON", body=self._text(response)) from error

    def read(self, path: str, **options: Any) -> Any:
        """A GET, which can be repeated."""
        return self._repeatable("GET", path, options)

    def call(self, path: str, **options: Any) -> Any:
        """A POST that can be repeated: nothing is charged for it."""
        return self._repeatable("POST", path, options)

    def _repeatable(self, method: str, path: str, options: dict[str, Any]) -> Any:
        try:
            response = self._send(method, path, options)
        except httpx.HTTPError as error:
            raise ProviderDown(_reason(error)) from error
        if response.status_code >= 500:
            raise ProviderDown(f"it answered {response.status_code}", body=self._text(response))
        self._check(response)
        try:
            return response.json() if response.content else None
        except ValueError as error:
            raise ProviderDown("its answer is not JSON", body=self._text(response)) from error

    def _send(self, method: str, path: str, options: dict[str, Any]) -> httpx.Response:
        """Read at most `MAX_RESPONSE_BYTES` of the answer."""
        with time_limit(MAX_REQUEST_S), self._client.stream(method, path, **options) as response:
            body = bytearray()
            for chunk in response.iter_bytes():
                body += chunk
                if len(body) > MAX_RESPONSE_BYTES:
                    raise httpx.ReadError("the answer is too large")
            return httpx.Response(
                response.status_code,
                headers=_plain(response.headers),
                content=bytes(body),
                request=response.request,
            )

    def _check(self, response: httpx.Response) -> None:
        status = response.status_code
        if status >= 400:
            message = self._masked(_message(response))
            raise _error(status, message, retry_after(response.headers.get("retry-after")))
        if status >= 300:
            raise BadRequest(f"it answered with a redirect ({status}): is the base URL right?")

    def _text(self, response: httpx.Response) -> str:
        return self._masked(response.text)[:1000]

    def _masked(self, text: str) -> str:
        for secret in self._secrets:
            text = text.replace(secret, "***")
        return text

    def close(self) -> None:
        self._client.close()


def _has_proxy(url: str) -> bool:
    """Whether the environment names a proxy for an address."""
    parts = urllib.parse.urlsplit(url)
    return parts.scheme in urllib.request.getproxies() and not urllib.request.proxy_bypass(
        parts.hostname or ""
    )


def _plain(headers: httpx.Headers) -> list[tuple[str, str]]:
    """The headers without those of a body that has been decoded."""
    decoded = ("content-encoding", "content-length", "transfer-encoding")
    return [(name, value) for name, value in headers.multi_items() if name.lower() not in decoded]


def _error(status: int, message: str, seconds: float | None) -> ProviderError:
    if status == 429:
        return RateLimited(message, seconds)
    if status == 402:
        return QuotaExhausted(message)
    if status == 404:
        return TaskNotFound(message)
    if status in (401, 403):
        return BadRequest(f"it refused the key: {message}", status=status)
    return BadRequest(message, status=status)


def _message(response: httpx.Response) -> str:
    try:
        body = response.json()
    except ValueError:
        return response.text[:500] or f"it answered {response.status_code}"
    for name in ("error", "message", "msg", "detail", "description"):
        found = body.get(name) if isinstance(body, dict) else None
        if isinstance(found, dict):
            found = found.get("message")
        if found:
            return str(found)[:500]
    return f"it answered {response.status_code}"


def retry_after(value: str | None) -> float | None:
    """The seconds of a Retry-After header, which may be a number or a date."""
    if value is None:
        return None
    with contextlib.suppress(ValueError):
        return _bounded(float(value))
    with contextlib.suppress(ValueError):
        return _bounded(email.utils.parsedate_to_datetime(value).timestamp() - time.time())
    return None


def _bounded(seconds: float) -> float:
    """What a service sends may be negative, endless or no number."""
    return min(max(0.0, seconds), _MAX_RETRY_AFTER_S)


def _reason(error: Exception) -> str:
    return str(error) or type(error).__name__
