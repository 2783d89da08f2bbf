"""The dialect of midjourney-proxy, which is open source and much copied.

Written from its public documentation and source; it was never called.
"""

from __future__ import annotations

import base64
from collections.abc import Callable
from typing import Any
from urllib.parse import quote

from workroom.packs.media.providers.errors import (
    BadRequest,
    ContentRejected,
    GenerationFailed,
    OutcomeUnknown,
    ProviderDown,
    ProviderError,
    RateLimited,
    TaskNotFound,
)
from workroom.packs.media.providers.http import ProviderHttp
from workroom.packs.media.providers.provider import (
    Accepted,
    Action,
    Look,
    LookState,
    MediaProvider,
    Order,
    SourceImage,
)

ASPECT_RATIO: dict[str, Any] = {
    "title": "Aspect ratio",
    "type": "string",
    "enum": ["", "1:1", "4:3", "3:4", "3:2", "2:3", "16:9", "9:16"],
    "default": "",
}
_CHANGES = {Action.UPSCALE: "UPSCALE", Action.VARY: "VARIATION"}
_STATES = {
    "NOT_START": LookState.QUEUED,
    "SUBMITTED": LookState.QUEUED,
    "IN_PROGRESS": LookState.RUNNING,
    "FAILURE": LookState.FAILED,
    "SUCCESS": LookState.DONE,
}
_SCHEMA: dict[str, Any] = {
    "type": "object",
    "properties": {
        "aspectRatio": ASPECT_RATIO,
        "version": {"title": "Model", "description": "version of Midjourney, like 7", "type": "string"},
        "seed": {"title": "Seed", "type": "integer", "minimum": 0, "maximum": 2**32 - 1},
        "index": {
            "title": "Number",
            "description": "which of the four images of a grid to upscale or vary",
            "type": "integer",
            "minimum": 1,
            "maximum": 4,
        },
    },
}
_FLAGS = {"aspectRatio": "ar", "version": "v", "seed": "seed"}
_OK, _EXISTS, _QUEUED, _QUEUE_FULL, _BANNED = 1, 21, 22, 23, 24


class MidjourneyProxyProvider(MediaProvider):
    """It reports progress, shows previews, and finds an order by the reference in its `state`."""

    name = "midjourney"
    actions = frozenset({Action.TXT2IMG, Action.IMG2IMG, *_CHANGES})
    own_sources = frozenset(_CHANGES)
    can_find = True
    params_schema = _SCHEMA
    poll_s = 3.0

    def __init__(self, api_key: str, *, base_url: str) -> None:
        self._http = ProviderHttp(base_url, {"mj-api-secret": api_key})

    def submit(self, order: Order) -> Accepted:
        body: dict[str, Any] = {**order.params, "state": order.reference}
        source = order.source or SourceImage()
        if order.action in _CHANGES:
            index = body.get("index") or source.index + 1
            body |= {"taskId": source.task_id, "action": _CHANGES[order.action], "index": index}
            return _accepted(self._http.order("/mj/submit/change", json=body))
        body.pop("index", None)
        body["prompt"] = _prompt(order.prompt, body)
        if source.content:
            image = base64.b64encode(source.content).decode()
            body["base64Array"] = [f"data:{source.media_type};base64,{image}"]
        elif order.source is not None:
            raise BadRequest("midjourney-proxy needs the image itself")
        return _accepted(self._http.order("/mj/submit/imagine", json=body))

    def look(self, task_id: str) -> Look:
        task = self._http.read(f"/mj/task/{quote(task_id, safe='')}/fetch")
        if not isinstance(task, dict):
            raise TaskNotFound(f"it does not know the task {task_id}")
        state = _STATES.get(str(task.get("status")), LookState.RUNNING)
        image = str(task.get("imageUrl") or "")
        if state is LookState.FAILED:
            reason = str(task.get("failReason") or "it gives no reason")
            return Look(state, error=GenerationFailed(reason), raw=task)
        if state is LookState.DONE:
            return Look(state, 1.0, urls=(image,), raw=task)
        return Look(state, _fraction(task.get("progress")), preview_url=image, raw=task)

    def find(self, order: Order, since: float, is_known: Callable[[str], bool]) -> Accepted | None:
        listed = self._http.read("/mj/task/list")
        if not isinstance(listed, list):
            raise ProviderDown("its list of tasks is not as documented")
        found = [each for each in listed if each.get("state") == order.reference]
        return Accepted(str(found[0]["id"]), raw=found[0]) if found and order.reference else None

    def close(self) -> None:
        self._http.close()


def _prompt(prompt: str, params: dict[str, Any]) -> str:
    """The prompt with parameters as Midjourney writes them: `a fox --ar 3:2`. Takes them out of `params`."""
    values = {flag: params.pop(name, None) for name, flag in _FLAGS.items()}
    flags = [f"--{flag} {value}" for flag, value in values.items() if value not in (None, "")]
    return " ".join([prompt, *flags])


def _fraction(text: Any) -> float | None:
    """The progress, which is text such as "65%"."""
    digits = str(text or "").strip().removesuffix("%")
    return min(int(digits), 100) / 100 if digits.isdigit() else None


def _accepted(answer: Any) -> Accepted:
    if not isinstance(answer, dict):
        raise OutcomeUnknown("its answer is not as documented")
    code, task_id = answer.get("code"), answer.get("result")
    if code in (_OK, _EXISTS, _QUEUED) and task_id:
        return Accepted(str(task_id), raw=answer)
    if code in (None, _OK, _EXISTS, _QUEUED):
        raise OutcomeUnknown("its answer has no id", body=str(answer)[:1000])
    raise _refusal(code, str(answer.get("description") or f"it answered {code}"))


def _refusal(code: Any, message: str) -> ProviderError:
    if code == _QUEUE_FULL:
        return RateLimited(message)
    if code == _BANNED:
        return ContentRejected(message)
    return BadRequest(message, code=code)
