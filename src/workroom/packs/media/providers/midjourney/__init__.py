"""Midjourney, which has no official API: two HTTP dialects of services that drive it.

Both act for a Discord account, which may break Midjourney's terms of service: see `docs/howto/media.md`.
"""

from __future__ import annotations

from workroom.packs.media.providers.midjourney.midapi import MidapiProvider
from workroom.packs.media.providers.midjourney.proxy import MidjourneyProxyProvider
from workroom.packs.media.providers.provider import MediaProvider

DIALECTS = ("midapi", "proxy")


def midjourney(api_key: str, *, dialect: str = "proxy", base_url: str = "") -> MediaProvider:
    """A Midjourney provider of one of the dialects."""
    if dialect == "midapi":
        return MidapiProvider(api_key, **({"base_url": base_url} if base_url else {}))
    if dialect == "proxy" and base_url:
        return MidjourneyProxyProvider(api_key, base_url=base_url)
    if dialect == "proxy":
        raise ValueError("midjourney-proxy is self-hosted: it needs a base URL")
    raise ValueError(f"the dialects of Midjourney are {' and '.join(DIALECTS)}, not '{dialect}'")


__all__ = ["DIALECTS", "MidapiProvider", "MidjourneyProxyProvider", "midjourney"]
