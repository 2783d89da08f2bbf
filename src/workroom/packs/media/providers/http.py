"""HTTP calls to providers, with the errors distinguished that matter for money: sent, not sent, unknown."""

from __future__ import annotations

import email.utils
import time
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

TIMEOUT = httpx.Timeout(60.0, connect=10.0)
MAX_RESPONSE_BYTES = 10_000_000
_NEVER_SENT = (httpx.ConnectError, httpx.ConnectTimeout, httpx.PoolTimeout, httpx.UnsupportedProtocol)


class ProviderHttp:
    """A client of one provider's API."""

    def __init__(self, base_url: str, headers: Mapping[str, str], timeout: httpx.Timeout = TIMEOUT) -> None:
        self._client = httpx.Client(
            base_url=base_url, headers=dict(headers), timeout=timeout, follow_redirects=False
        )

    def order(self, path: str, **options: Any) -> Any:
        """A POST that may be charged, sent once. Raises OutcomeUnknown if it may have been accepted."""
        try:
            response = self._send("POST", path, options)
        except _NEVER_SENT as error:
            raise ProviderDown(_reason(error)) from error
        except httpx.HTTPError as error:
            raise OutcomeUnknown(f"no answer was received: {_reason(error)}") from error
        if response.status_code >= 500:
            raise OutcomeUnknown(f"it answered {response.status_code}", body=response.text[:1000])
        _check(response)
        try:
            return response.json()
        except ValueError as error:
            raise OutcomeUnknown("its answer is not JSON", body=response.text[:1000]) from error

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
            raise ProviderDown(f"it answered {response.status_code}", body=response.text[:1000])
        _check(response)
        try:
            return response.json() if response.content else None
        except ValueError as error:
            raise ProviderDown("its answer is not JSON", body=response.text[:1000]) from error

    def _send(self, method: str, path: str, options: dict[str, Any]) -> httpx.Response:
        """Read at most `MAX_RESPONSE_BYTES` of the answer."""
        with self._client.stream(method, path, **options) as response:
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

    def close(self) -> None:
        self._client.close()


def _plain(headers: httpx.Headers) -> list[tuple[str, str]]:
    """The headers without those of a body that has been decoded."""
    decoded = ("content-encoding", "content-length", "transfer-encoding")
    return [(name, value) for name, value in headers.multi_items() if name.lower() not in decoded]


def _check(response: httpx.Response) -> None:
    status = response.status_code
    if status < 400:
        if status >= 300:
            raise BadRequest(f"it answered with a redirect ({status}): is the base URL right?")
        return
    raise _error(status, _message(response), retry_after(response.headers.get("retry-after")))


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
    try:
        return max(0.0, float(value))
    except ValueError:
        pass
    try:
        return max(0.0, email.utils.parsedate_to_datetime(value).timestamp() - time.time())
    except ValueError:
        return None


def _reason(error: Exception) -> str:
    return str(error) or type(error).__name__
