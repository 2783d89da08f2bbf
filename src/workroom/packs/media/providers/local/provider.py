"""The local provider: tasks that draw in threads of this process."""

from __future__ import annotations

import hashlib
import io
import threading
from collections.abc import Iterator, Mapping
from dataclasses import dataclass, field
from pathlib import Path
from typing import Any
from uuid import uuid4

import numpy as np
from PIL import Image

from workroom.packs.media.providers.download import Downloaded, DownloadLimits
from workroom.packs.media.providers.errors import BadRequest, GenerationFailed, TaskNotFound
from workroom.packs.media.providers.local.palette import Pixels, colour, gradient, seed_of
from workroom.packs.media.providers.local.styles import STYLES
from workroom.packs.media.providers.media_types import sniff
from workroom.packs.media.providers.outbound import OutboundGuard
from workroom.packs.media.providers.provider import (
    Accepted,
    Action,
    Cost,
    Look,
    LookState,
    MediaProvider,
    Order,
)

SCHEME = "local:"
_MIN_SIZE, _MAX_SIZE = 64, 1536
_MAX_COUNT = 8
_MAX_PAUSE_S = 120
_MAX_TASKS = 50
_VIDEO_FRAMES = 24
_PREVIEW_SIZE = 256


def _side(title: str) -> dict[str, Any]:
    return {"title": title, "type": "integer", "minimum": _MIN_SIZE, "maximum": _MAX_SIZE, "default": 512}


@dataclass(slots=True)
class _Task:
    order: Order
    progress: float = 0.0
    preview: bytes = b""
    images: list[bytes] = field(default_factory=list)
    error: Exception | None = None
    is_done: bool = False
    cancelled: threading.Event = field(default_factory=threading.Event)

    def pause(self) -> None:
        """For those who want to watch; a cancelled task goes on at once."""
        self.cancelled.wait(_pause_s(self.order.params))


class LocalProvider(MediaProvider):
    """Draws by itself: flow fields, Voronoi cells, plants, reaction-diffusion. Free, and needs no key.

    Parameters: `style` (one of the four, or chosen by the prompt), `width`, `height`, `count`, `seed`, and
    `pause`, the seconds between the steps of a picture, for those who want to watch.
    """

    name = "local"
    actions = frozenset(Action)
    can_find = False
    is_free = True
    params_schema: Mapping[str, Any] = {
        "type": "object",
        "properties": {
            "style": {"title": "Style", "type": "string", "enum": ["", *STYLES], "default": ""},
            "width": _side("Width"),
            "height": _side("Height"),
            "count": {"title": "Count", "type": "integer", "minimum": 1, "maximum": _MAX_COUNT, "default": 1},
            "seed": {"title": "Seed", "type": "integer", "minimum": 0, "default": 0},
            "strength": {
                "title": "Strength",
                "description": "how far it goes from the image that it begins with",
                "type": "number",
                "minimum": 0,
                "maximum": 1,
                "default": 0.6,
            },
        },
    }
    poll_s = 0.2

    def __init__(self) -> None:
        self._tasks: dict[str, _Task] = {}
        self._lock = threading.Lock()

    def submit(self, order: Order) -> Accepted:
        _size(order.params)
        _count(order.params)
        _pause_s(order.params)
        style = order.params.get("style")
        if style not in (None, "", *STYLES):
            raise BadRequest(f"the styles are {', '.join(STYLES)}, not '{style}'")
        task_id, task = uuid4().hex, _Task(order)
        with self._lock:
            self._tasks[task_id] = task
            while len(self._tasks) > _MAX_TASKS:
                self._tasks.pop(next(iter(self._tasks)))
        threading.Thread(target=self._run, args=(task,), name="workroom-media", daemon=True).start()
        return Accepted(task_id, Cost(0.0, "credits"))

    def look(self, task_id: str) -> Look:
        task = self._task(task_id)
        if task.error is not None:
            return Look(LookState.FAILED, error=GenerationFailed(str(task.error)))
        if not task.is_done:
            return Look(LookState.RUNNING, task.progress, "drawing", preview=task.preview)
        urls = tuple(f"{SCHEME}{task_id}/{index}" for index in range(len(task.images)))
        return Look(LookState.DONE, 1.0, urls=urls, raw={"style": _style(task.order)})

    def content(self, url: str) -> bytes:
        """The bytes behind one of its own addresses."""
        task_id, _, index = url.removeprefix(SCHEME).partition("/")
        images = self._task(task_id).images
        if not index.isdigit() or int(index) >= len(images):
            raise TaskNotFound("there is no such picture")
        return images[int(index)]

    def fetch(
        self, url: str, folder: Path, name: str, guard: OutboundGuard, limits: DownloadLimits
    ) -> Downloaded:
        content = self.content(url)
        media_type = sniff(content)
        assert media_type is not None
        path = folder / f"{name}.{media_type.extension}"
        path.write_bytes(content)
        digest = hashlib.sha256(content).hexdigest()
        return Downloaded(path, media_type.name, media_type.extension, len(content), digest)

    def cancel(self, task_id: str) -> bool:
        self._task(task_id).cancelled.set()
        return True

    def close(self) -> None:
        """Nothing is open."""

    def estimate(self, order: Order) -> Cost:
        return Cost(0.0, "credits")

    def _task(self, task_id: str) -> _Task:
        task = self._tasks.get(task_id)
        if task is None:
            raise TaskNotFound("the process that drew it has ended")
        return task

    def _run(self, task: _Task) -> None:
        try:
            if task.order.action is Action.IMG2VID:
                task.images.append(_video(task))
            else:
                for number in range(_count(task.order.params)):
                    task.images.append(_picture(task, number))
            task.is_done = True
        except Exception as error:  # reported by `look`
            task.error = error


def _picture(task: _Task, number: int) -> bytes:
    count = _count(task.order.params)
    pixels: Pixels | None = None
    for step, pixels in enumerate(_steps(task.order, number), 1):
        if task.cancelled.is_set():
            raise RuntimeError("cancelled")
        task.progress = min(0.99, (number + step / 12) / count)
        task.preview = _preview(pixels)
        task.pause()
    assert pixels is not None
    return _png(_final(task.order, pixels))


def _steps(order: Order, number: int) -> Iterator[Pixels]:
    seed = seed_of(order.prompt, {**order.params, "number": number, "action": str(order.action)})
    generator = np.random.default_rng(seed)
    width, height = _size(order.params)
    if order.source is None:
        yield from STYLES[_style(order)](generator, width, height)
        return
    source = _opened(order)
    colours = gradient(generator)
    grey = np.asarray(source.convert("L")) / 255.0
    strength = 0.15 if order.action is Action.UPSCALE else float(order.params.get("strength", 0.6))
    original = np.asarray(source.convert("RGB")).astype(np.float64)
    for step in range(1, 13):
        share = strength * step / 12
        yield (original * (1 - share) + colour(grey, colours) * share).astype(np.uint8)


def _final(order: Order, pixels: Pixels) -> Image.Image:
    image = Image.fromarray(pixels)
    if order.action is Action.UPSCALE:
        size = (min(image.width * 2, _MAX_SIZE), min(image.height * 2, _MAX_SIZE))
        return image.resize(size, Image.Resampling.LANCZOS)
    return image


def _video(task: _Task) -> bytes:
    """An animated WebP that zooms slowly into the image."""
    source = _opened(task.order).convert("RGB")
    frames = []
    for number in range(_VIDEO_FRAMES):
        if task.cancelled.is_set():
            raise RuntimeError("cancelled")
        zoom = 1 + 0.25 * number / _VIDEO_FRAMES
        width, height = int(source.width / zoom), int(source.height / zoom)
        left, top = (source.width - width) // 2, (source.height - height) // 2
        part = source.crop((left, top, left + width, top + height))
        frames.append(part.resize(source.size, Image.Resampling.BILINEAR))
        task.progress = number / _VIDEO_FRAMES
        task.preview = _preview(np.asarray(frames[-1]))
        task.pause()
    target = io.BytesIO()
    frames[0].save(target, "WEBP", save_all=True, append_images=frames[1:], duration=80, loop=0, quality=70)
    return target.getvalue()


def _opened(order: Order) -> Image.Image:
    if order.source is None or not order.source.content:
        raise BadRequest("the local provider needs the image itself")
    image = Image.open(io.BytesIO(order.source.content))
    image.thumbnail((_MAX_SIZE // 2, _MAX_SIZE // 2))
    return image


def _style(order: Order) -> str:
    """The style that was chosen, that the prompt names, or that its hash picks."""
    chosen = order.params.get("style")
    named = [name for name in STYLES if name in order.prompt.lower()]
    names = [str(chosen)] if chosen else named or list(STYLES)
    return names[seed_of(order.prompt, {}) % len(names)]


def _size(params: Mapping[str, Any]) -> tuple[int, int]:
    width, height = (_integer(params, name, 512) for name in ("width", "height"))
    if not (_MIN_SIZE <= width <= _MAX_SIZE and _MIN_SIZE <= height <= _MAX_SIZE):
        raise BadRequest(f"a side has {_MIN_SIZE} to {_MAX_SIZE} pixels")
    return width, height


def _count(params: Mapping[str, Any]) -> int:
    count = _integer(params, "count", 1)
    if not 1 <= count <= _MAX_COUNT:
        raise BadRequest(f"1 to {_MAX_COUNT} pictures are made at once")
    return count


def _pause_s(params: Mapping[str, Any]) -> float:
    try:
        seconds = float(params.get("pause", 0.0))
    except (TypeError, ValueError) as error:
        raise BadRequest("'pause' is not a number") from error
    if not 0 <= seconds <= _MAX_PAUSE_S:
        raise BadRequest(f"it pauses for 0 to {_MAX_PAUSE_S} s")
    return seconds


def _integer(params: Mapping[str, Any], name: str, default: int) -> int:
    try:
        return int(params.get(name, default))
    except (TypeError, ValueError) as error:
        raise BadRequest(f"'{name}' is not a number") from error


def _preview(pixels: Pixels) -> bytes:
    image = Image.fromarray(pixels)
    image.thumbnail((_PREVIEW_SIZE, _PREVIEW_SIZE))
    return _png(image)


def _png(image: Image.Image) -> bytes:
    target = io.BytesIO()
    image.save(target, "PNG")
    return target.getvalue()
