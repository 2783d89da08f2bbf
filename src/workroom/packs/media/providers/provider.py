"""What every media provider is: submit an order, look at it, fetch its results."""

from __future__ import annotations

import time
from abc import ABC, abstractmethod
from collections.abc import Callable, Mapping
from dataclasses import dataclass, field
from enum import StrEnum
from pathlib import Path
from typing import Any, ClassVar

from workroom.packs.media.providers.download import Downloaded, DownloadLimits, download_media
from workroom.packs.media.providers.errors import (
    BadRequest,
    GenerationFailed,
    OutcomeUnknown,
    ProviderDown,
    ProviderError,
    ProviderTimeout,
    RateLimited,
)
from workroom.packs.media.providers.outbound import OutboundGuard

ProgressCallback = Callable[[int, str], None]
"""Called with the elapsed milliseconds and a message. What it raises ends the generation."""

MAX_WAIT_S = 900.0
_MAX_POLL_S = 10.0


class Action(StrEnum):
    TXT2IMG = "txt2img"
    IMG2IMG = "img2img"
    IMG2VID = "img2vid"
    UPSCALE = "upscale"
    VARY = "vary"


class LookState(StrEnum):
    QUEUED = "queued"
    RUNNING = "running"
    DONE = "done"
    FAILED = "failed"


@dataclass(frozen=True, slots=True)
class SourceImage:
    """An image to begin with: its bytes, an address that the provider can fetch, or a result of the provider.

    `task_id` and `index` name the result of an earlier task; the first has index 0.
    """

    content: bytes = b""
    media_type: str = "image/png"
    url: str = ""
    task_id: str = ""
    index: int = 0


@dataclass(frozen=True, slots=True)
class Order:
    """A request to a provider. `reference` is our own id of it: some providers can find it by that.

    `source_id` is what the provider calls the source, once `prepare` has uploaded or found it.
    """

    action: Action
    prompt: str = ""
    params: Mapping[str, Any] = field(default_factory=dict)
    source: SourceImage | None = None
    reference: str = ""
    source_id: str = ""


@dataclass(frozen=True, slots=True)
class Cost:
    amount: float
    unit: str


@dataclass(frozen=True, slots=True)
class Accepted:
    """The provider has accepted an order, and may charge for it."""

    task_id: str
    cost: Cost | None = None
    raw: Any = None


@dataclass(frozen=True, slots=True)
class Look:
    """How a task stands. `progress` is a fraction, where the provider reports one.

    A preview is at an address, or here as the bytes of an image.
    """

    state: LookState
    progress: float | None = None
    message: str = ""
    urls: tuple[str, ...] = ()
    preview_url: str = ""
    preview: bytes = b""
    error: ProviderError | None = None
    cost: Cost | None = None
    raw: Any = None


@dataclass(frozen=True, slots=True)
class GenerationResult:
    urls: list[str]
    raw_response: Any
    provider_task_id: str


class MediaProvider(ABC):
    """A service that makes images or videos.

    A provider implements `submit` and `look`; where the service can list its tasks, also `find`, so that an
    order whose answer was lost is not sent twice.
    """

    name: ClassVar[str]
    actions: frozenset[Action] = frozenset({Action.TXT2IMG})
    can_find: ClassVar[bool] = False
    is_free: ClassVar[bool] = False
    """Sending an order twice costs nothing."""

    own_sources: ClassVar[frozenset[Action]] = frozenset()
    """What begins with a result of the provider only."""

    params_schema: Mapping[str, Any] = {"type": "object", "properties": {}}
    """The parameters of its orders, as JSON Schema. Others may be sent too."""

    poll_s: float = 2.0
    max_wait_s: float = MAX_WAIT_S
    listed_after_s: float = 10.0
    """How long after it was sent an order may be missing in the list that `find` reads."""

    max_send_s: float = 120.0
    """How long after it was intended an order may arrive: what was not sent by then is given up."""

    def prepare(self, order: Order) -> Order:
        """Do what an order needs and what is not charged, such as an upload. Raises ProviderError.

        It comes before the intent, so that little time passes between the intent and the order.
        """
        return order

    @abstractmethod
    def submit(self, order: Order) -> Accepted:
        """Send an order, once.

        Raises OutcomeUnknown if it may have been accepted. After any other ProviderError it was not.
        """

    @abstractmethod
    def look(self, task_id: str) -> Look:
        """How a task stands. Raises ProviderDown and RateLimited, which mean nothing for the task."""

    def find(self, order: Order, since: float, is_known: Callable[[str], bool]) -> Accepted | None:
        """Find an order whose answer was lost, sent at or after a Unix time. Called only where `can_find`.

        `is_known` is true for a task that belongs to another order. None: it was not accepted. Raises
        OutcomeUnknown if that is uncertain.
        """
        raise OutcomeUnknown(f"{self.name} cannot list its tasks")

    def fetch(
        self, url: str, folder: Path, name: str, guard: OutboundGuard, limits: DownloadLimits
    ) -> Downloaded:
        """Fetch one result into a folder as `name.EXTENSION`. Raises DownloadError."""
        return download_media(url, folder, name, guard=guard, limits=limits)

    def cancel(self, task_id: str) -> bool:
        """Stop a task. Return False if the provider cannot."""
        return False

    def estimate(self, order: Order) -> Cost | None:
        """What an order will cost, if that can be known."""
        return None

    @abstractmethod
    def close(self) -> None:
        """Close connections."""

    def txt2img(
        self, prompt: str, params: Mapping[str, Any], progress_callback: ProgressCallback | None = None
    ) -> GenerationResult:
        return self.generate(Order(Action.TXT2IMG, prompt, params), progress_callback)

    def img2img(
        self,
        source_image: SourceImage | str | bytes,
        prompt: str,
        params: Mapping[str, Any],
        progress_callback: ProgressCallback | None = None,
    ) -> GenerationResult:
        order = Order(Action.IMG2IMG, prompt, params, source_of(source_image))
        return self.generate(order, progress_callback)

    def img2vid(
        self,
        source_image: SourceImage | str | bytes,
        prompt: str,
        params: Mapping[str, Any],
        progress_callback: ProgressCallback | None = None,
    ) -> GenerationResult:
        order = Order(Action.IMG2VID, prompt, params, source_of(source_image))
        return self.generate(order, progress_callback)

    def upscale(
        self,
        source_image: SourceImage | str | bytes,
        params: Mapping[str, Any],
        progress_callback: ProgressCallback | None = None,
    ) -> GenerationResult:
        """Enlarge an image, where the provider can: see `actions`."""
        return self.generate(Order(Action.UPSCALE, "", params, source_of(source_image)), progress_callback)

    def vary(
        self,
        source_image: SourceImage | str | bytes,
        prompt: str,
        params: Mapping[str, Any],
        progress_callback: ProgressCallback | None = None,
    ) -> GenerationResult:
        """Make a variation of an image, where the provider can: see `actions`."""
        return self.generate(Order(Action.VARY, prompt, params, source_of(source_image)), progress_callback)

    def generate(self, order: Order, progress_callback: ProgressCallback | None = None) -> GenerationResult:
        """Submit an order and wait for its results."""
        self.check(order)
        return self.wait(self.submit(self.prepare(order)).task_id, progress_callback)

    def check(self, order: Order) -> None:
        """Refuse what this provider cannot do, before anything is sent."""
        if order.action not in self.actions:
            raise BadRequest(f"{self.name} cannot do {order.action}")
        if order.source is None and order.action is not Action.TXT2IMG:
            raise BadRequest(f"{order.action} needs an image to begin with")
        needs_own = order.action in self.own_sources
        if needs_own and order.source is not None and not order.source.task_id:
            raise BadRequest(f"{order.action} needs an image that {self.name} made itself")

    def wait(self, task_id: str, progress_callback: ProgressCallback | None = None) -> GenerationResult:
        """Look until the task is done."""
        began = time.monotonic()
        look = watch(self, task_id, lambda look: _report(progress_callback, began, look))
        return GenerationResult(list(look.urls), look.raw, task_id)


def watch(
    provider: MediaProvider,
    task_id: str,
    report: Callable[[Look], None],
    wait: Callable[[float], object] = time.sleep,
) -> Look:
    """Look at a task until it is done, and report each look. `wait` is called with seconds.

    The service may be down for a while: that is no reason to give up before `max_wait_s`. Raises what the
    task failed with, or ProviderTimeout.
    """
    deadline = time.monotonic() + provider.max_wait_s
    pause = provider.poll_s
    while True:
        try:
            look = provider.look(task_id)
        except (ProviderDown, RateLimited) as error:
            look = Look(LookState.QUEUED, message=str(error))
            pause = _longer(pause, error)
        else:
            pause = provider.poll_s
        report(look)
        if look.state is LookState.DONE:
            if not any(look.urls):
                raise GenerationFailed("it is done, but has no result")
            return look
        if look.state is LookState.FAILED:
            raise look.error or GenerationFailed(look.message or None)
        if time.monotonic() >= deadline:
            raise ProviderTimeout(f"not done after {provider.max_wait_s:.0f} s", task_id=task_id)
        wait(min(pause, max(0.0, deadline - time.monotonic())))


def _longer(pause: float, error: ProviderError) -> float:
    wanted = error.retry_after if isinstance(error, RateLimited) else None
    return max(min(pause * 2, _MAX_POLL_S), wanted or 0.0)


def _report(callback: ProgressCallback | None, began: float, look: Look) -> None:
    if callback is not None:
        share = "" if look.progress is None else f"{look.progress:.0%}"
        callback(int((time.monotonic() - began) * 1000), look.message or share or look.state)


def source_of(image: SourceImage | str | bytes) -> SourceImage:
    """An image given as an address or as bytes."""
    if isinstance(image, SourceImage):
        return image
    return SourceImage(url=image) if isinstance(image, str) else SourceImage(content=image)
