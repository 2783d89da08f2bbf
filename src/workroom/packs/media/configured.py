"""Registers the providers that the settings configure. `local` needs none."""

from __future__ import annotations

import importlib
import json
from contextlib import suppress
from functools import cache, partial

from pydantic import SecretStr

from workroom.packs.media.providers import Action, Cost, MediaProvider, MediaProviderRegistry, Order
from workroom.packs.media.providers.comfyui import ComfyTemplate, ComfyUIProvider
from workroom.packs.media.providers.leonardo import BASE_URL, LeonardoProvider
from workroom.packs.media.providers.local import LocalProvider
from workroom.packs.media.providers.midjourney import midjourney
from workroom.packs.media.settings import MediaSettings, read_settings

LEONARDO_AT_ONCE = 3
LEONARDO_RATE = "100/min"  # its documented limit
MIDJOURNEY_AT_ONCE = 1
LOCAL_AT_ONCE = 2


@cache
def register_providers() -> None:
    """Once per process. Raises what a module of `WORKROOM_PACK_MEDIA_PROVIDERS` raises."""
    settings = read_settings()
    register = MediaProviderRegistry.register
    register("local", LocalProvider, concurrency=LOCAL_AT_ONCE)
    if settings.leonardo_key is not None:
        make = partial(_leonardo, settings)
        register("leonardo", make, concurrency=LEONARDO_AT_ONCE, rate=LEONARDO_RATE)
    if settings.midjourney_key is not None or settings.midjourney_url:
        register("midjourney", partial(_midjourney, settings), concurrency=MIDJOURNEY_AT_ONCE)
    if settings.comfyui_url:
        register("comfyui", partial(_comfyui, settings))
    for module in filter(None, map(str.strip, settings.providers.split(","))):
        importlib.import_module(module)


def concurrency_limits() -> dict[str, int]:
    """How many orders of each provider run at once."""
    names = MediaProviderRegistry.list_providers()
    return {name: concurrency_of(name) for name in names}


def concurrency_of(name: str) -> int:
    return read_settings().concurrency.get(name) or MediaProviderRegistry.get_concurrency(name)


def estimate_of(name: str, order: Order) -> Cost | None:
    """What the provider states that an order will cost, or the configured price."""
    price = read_settings().prices.get(name)
    with suppress(Exception):  # a provider that cannot estimate is no reason not to order
        found = MediaProviderRegistry.get(name).estimate(order)
        if found is not None:
            return found
    return None if price is None else Cost(price, "")


def rates() -> dict[str, str]:
    """How many orders may start in a time, of those providers for which that is limited."""
    names = MediaProviderRegistry.list_providers()
    found = {name: rate for name in names if (rate := MediaProviderRegistry.get_rate(name))}
    return found | {name: rate for name, rate in read_settings().rates.items() if name in names}


def _leonardo(settings: MediaSettings) -> MediaProvider:
    key = _secret(settings.leonardo_key)
    url = settings.leonardo_url or BASE_URL
    return LeonardoProvider(key, base_url=url, guard=settings.guard)


def _midjourney(settings: MediaSettings) -> MediaProvider:
    return midjourney(
        _secret(settings.midjourney_key),
        dialect=settings.midjourney_dialect,
        base_url=settings.midjourney_url,
    )


def _comfyui(settings: MediaSettings) -> MediaProvider:
    """The file has a workflow and its inputs for each action: `{"txt2img": {"workflow":, "inputs":}}`."""
    if settings.comfyui_workflows is None:
        raise ValueError("ComfyUI needs workflows: set WORKROOM_PACK_MEDIA_COMFYUI_WORKFLOWS")
    found = json.loads(settings.comfyui_workflows.read_text())
    templates = {
        Action(action): ComfyTemplate(
            each["workflow"], {name: (node, field) for name, (node, field) in each["inputs"].items()}
        )
        for action, each in found.items()
    }
    return ComfyUIProvider(settings.comfyui_url, templates)


def _secret(key: SecretStr | None) -> str:
    return "" if key is None else key.get_secret_value()
