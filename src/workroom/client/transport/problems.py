"""What went wrong with a request, as an exception: problem documents and failed connections."""

from __future__ import annotations

from collections.abc import Mapping
from typing import Any

import aiohttp
import orjson

from workroom.client.transport.addresses import DEFAULT_URL
from workroom.errors import ServerUnreachable, WorkroomError, from_code

GATEWAY_STATUSES = frozenset({502, 503, 504})  # what a proxy responds with for a server that is down
_STANDARD_FIELDS = {"type", "title", "status", "code", "detail", "retryable"}


async def read_response(response: aiohttp.ClientResponse) -> Any:
    """Return the document of a response, or raise the error that it reports."""
    document = _decode(await response.read())
    if response.status >= 400:
        raise problem(document, response.status)
    return document


async def read_bytes(response: aiohttp.ClientResponse) -> tuple[bytes, Mapping[str, str]]:
    """Return the body and the headers of a response, or raise the error that it reports."""
    body = await response.read()
    if response.status >= 400:
        raise problem(_decode(body), response.status)
    return body, response.headers


def problem(document: Any, status: int) -> WorkroomError:
    """The exception for a problem document."""
    if not isinstance(document, dict) or "code" not in document:
        kind = ServerUnreachable if status in GATEWAY_STATUSES else WorkroomError
        return kind(f"the server responded with status {status}")
    fields = {name: value for name, value in document.items() if name not in _STANDARD_FIELDS}
    error = from_code(document["code"], document.get("detail"), **fields)
    error.retryable = document.get("retryable", error.retryable)
    return error


def unreachable(url: str, error: Exception) -> ServerUnreachable:
    """The exception for a failed connection: what happened and what to do about it."""
    match error:
        case aiohttp.InvalidURL() | aiohttp.NonHttpUrlClientError():
            return ServerUnreachable(f"'{url}' is not a server address. Example: {DEFAULT_URL}")
        case aiohttp.ClientConnectorCertificateError():
            advice = "Set SSL_CERT_FILE to that of its authority"
            return ServerUnreachable(f"Cannot reach {url}: its certificate is not trusted here. {advice}.")
        case aiohttp.ClientSSLError():
            return ServerUnreachable(f"Cannot reach {url}: the TLS handshake failed. Is it http, not https?")
        case aiohttp.ClientConnectorError() | aiohttp.ConnectionTimeoutError():
            return ServerUnreachable(
                f"Cannot reach {url}. Is the server running? Start one with `workroom serve`."
            )
        case TimeoutError():
            return ServerUnreachable(f"{url} did not respond in time.")
    return ServerUnreachable(f"Lost the connection to {url}: {error or type(error).__name__}")


def is_wrong_address(error: WorkroomError) -> bool:
    """Whether no server can ever respond at this address."""
    return isinstance(
        error.__cause__, aiohttp.InvalidURL | aiohttp.NonHttpUrlClientError | aiohttp.ClientSSLError
    )


def was_never_sent(error: ServerUnreachable) -> bool:
    """Whether no connection was made, so that the request cannot have had an effect."""
    return isinstance(error.__cause__, aiohttp.ClientConnectorError | aiohttp.ConnectionTimeoutError)


def _decode(content: bytes) -> Any:
    try:
        return orjson.loads(content) if content else None
    except orjson.JSONDecodeError:
        return None
