"""The settings of the media pack: `WORKROOM_PACK_MEDIA_*`. Keys are secrets, and never logged."""

from __future__ import annotations

import os
from functools import cache
from pathlib import Path
from typing import Annotated

from pydantic import Field, SecretStr
from pydantic_settings import BaseSettings, SettingsConfigDict

from workroom.packs.media.providers import DownloadLimits, OutboundGuard, host_of

ALLOWED = "WORKROOM_OUTBOUND_ALLOW"


class MediaSettings(BaseSettings):
    model_config = SettingsConfigDict(
        env_prefix="WORKROOM_PACK_MEDIA_", env_ignore_empty=True, extra="ignore"
    )

    leonardo_key: SecretStr | None = None
    leonardo_url: str = ""
    midjourney_key: SecretStr | None = None
    midjourney_url: str = ""
    midjourney_dialect: str = "proxy"
    comfyui_url: str = ""
    comfyui_workflows: Path | None = Field(None, description="a JSON file with a workflow for each action")
    providers: str = Field("", description="modules that register more providers, separated by commas")
    budgets: dict[str, float] = Field(
        {}, description="what each provider may cost in a room in a month, in the provider's unit"
    )
    concurrency: dict[str, Annotated[int, Field(ge=1)]] = Field(
        {}, description="how many orders of a provider run at once, where its own number does not fit"
    )
    rates: dict[str, str] = Field({}, description="how many orders of a provider start in a time: 100/min")
    prices: dict[str, float] = Field({}, description="the cost of an order, where a provider gives none")
    max_bytes: int = Field(500_000_000, gt=0, description="of one result")
    max_s: float = Field(300, gt=0, description="to fetch one result")

    @property
    def limits(self) -> DownloadLimits:
        return DownloadLimits(self.max_bytes, self.max_s)

    @property
    def guard(self) -> OutboundGuard:
        """Everything public may be fetched, and what the configured providers serve."""
        urls = (self.leonardo_url, self.midjourney_url, self.comfyui_url)
        hosts = [host_of(url) for url in urls if url]
        return OutboundGuard([*hosts, *os.environ.get(ALLOWED, "").split(",")])


@cache
def read_settings() -> MediaSettings:
    return MediaSettings()
