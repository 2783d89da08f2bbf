"""What can go wrong with a media provider.

ProviderError
├── RateLimited        it answered 429: send again after `retry_after` seconds
├── ContentRejected    it refuses to make this
├── QuotaExhausted     no credits are left
├── BadRequest         it does not understand the request, or does not know the key
├── ProviderDown       it could not be reached, or is under maintenance
├── ProviderTimeout    it did not finish in time
├── GenerationFailed   it accepted the request, and then failed
├── TaskNotFound       it does not know the task, or not any more
├── OutcomeUnknown     the request was sent, but whether it was accepted is not known
└── DownloadError      a result could not be fetched
    ├── AddressRefused it is at an address that must not be fetched from
    └── ResultRefused  it is too large, or no image or video
"""

from __future__ import annotations

from typing import Any, ClassVar


class ProviderError(Exception):
    """A media provider did not do its part."""

    is_temporary: ClassVar[bool] = False
    """Whether the same request may succeed later."""

    def __init__(self, message: str | None = None, **details: Any) -> None:
        super().__init__(message or (self.__doc__ or "").splitlines()[0])
        self.details = details


class RateLimited(ProviderError):
    """The provider accepts no more requests for now."""

    is_temporary = True

    def __init__(self, message: str | None = None, retry_after: float | None = None, **details: Any) -> None:
        super().__init__(message, **details)
        self.retry_after = retry_after


class ContentRejected(ProviderError):
    """The provider refuses to make this."""


class QuotaExhausted(ProviderError):
    """The account at the provider has no credits left."""


class BadRequest(ProviderError):
    """The provider does not accept this request."""


class ProviderDown(ProviderError):
    """The provider cannot be reached."""

    is_temporary = True


class ProviderTimeout(ProviderError):
    """The provider did not finish in time."""


class GenerationFailed(ProviderError):
    """The provider accepted the request, but failed."""


class TaskNotFound(ProviderError):
    """The provider does not know this task."""


class OutcomeUnknown(ProviderError):
    """The request was sent, but it is not known whether the provider accepted it."""


class DownloadError(ProviderError):
    """A result could not be fetched."""


class AddressRefused(DownloadError):
    """Nothing may be fetched from this address."""


class ResultRefused(DownloadError):
    """The result is too large, or no image or video."""
