"""Clients of media services. They know nothing of servers, workers or jobs, and can be used without them."""

from workroom.packs.media.providers.download import (
    Downloaded,
    DownloadLimits,
    download_media,
)
from workroom.packs.media.providers.errors import (
    AddressRefused,
    BadRequest,
    ContentRejected,
    DownloadError,
    GenerationFailed,
    OutcomeUnknown,
    ProviderDown,
    ProviderError,
    ProviderTimeout,
    QuotaExhausted,
    RateLimited,
    TaskNotFound,
)
from workroom.packs.media.providers.outbound import OutboundGuard
from workroom.packs.media.providers.provider import (
    Accepted,
    Action,
    Cost,
    GenerationResult,
    Look,
    LookState,
    MediaProvider,
    Order,
    ProgressCallback,
    SourceImage,
    watch,
)
from workroom.packs.media.providers.registry import MediaProviderRegistry

__all__ = [
    "Accepted",
    "Action",
    "AddressRefused",
    "BadRequest",
    "ContentRejected",
    "Cost",
    "DownloadError",
    "DownloadLimits",
    "Downloaded",
    "GenerationFailed",
    "GenerationResult",
    "Look",
    "LookState",
    "MediaProvider",
    "MediaProviderRegistry",
    "Order",
    "OutboundGuard",
    "OutcomeUnknown",
    "ProgressCallback",
    "ProviderDown",
    "ProviderError",
    "ProviderTimeout",
    "QuotaExhausted",
    "RateLimited",
    "SourceImage",
    "TaskNotFound",
    "download_media",
    "watch",
]
