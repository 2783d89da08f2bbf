"""The dialect of midapi.ai (kie.ai has the same paths).

Written from its public documentation; it was never called. Not verified: whether `imageIndex` counts from 0
or from 1 (its notes and its schema disagree; 1 is sent for the first image).
"""

from __future__ import annotations

from collections.abc import Mapping
from typing import Any

from workroom.packs.media.providers.errors import (
    BadRequest,
    ContentRejected,
    GenerationFailed,
    OutcomeUnknown,
    ProviderDown,
    ProviderError,
    QuotaExhausted,
    RateLimited,
)
from workroom.packs.media.providers.http import ProviderHttp
from workroom.packs.media.providers.midjourney.proxy import ASPECT_RATIO
from workroom.packs.media.providers.provider import (
    Accepted,
    Action,
    Look,
    LookState,
    MediaProvider,
    Order,
    SourceImage,
)

BASE_URL = "https://api.midapi.ai"
_TYPES = {Action.TXT2IMG: "mj_txt2img", Action.IMG2IMG: "mj_img2img", Action.IMG2VID: "mj_video"}
_PATHS = {Action.UPSCALE: "/api/v1/mj/generateUpscale", Action.VARY: "/api/v1/mj/generateVary"}
_SCHEMA: dict[str, Any] = {
    "type": "object",
    "properties": {
        "speed": {
            "title": "Speed",
            "enum": ["relaxed", "fast", "turbo"],
            "default": "fast",
        },
        "aspectRatio": ASPECT_RATIO,
        "version": {"title": "Model", "description": "version of Midjourney, like 7", "type": "string"},
    },
}
_GENERATING, _SUCCESS = 0, 1
_FIRST_INDEX = 1


class MidapiProvider(MediaProvider):
    """It reports no progress and lists no tasks. It keeps files for 15 days."""

    name = "midjourney"
    actions = frozenset({*_TYPES, *_PATHS})
    own_sources = frozenset(_PATHS)
    params_schema = _SCHEMA
    poll_s = 5.0

    def __init__(self, api_key: str, *, base_url: str = BASE_URL) -> None:
        self._http = ProviderHttp(base_url, {"Authorization": f"Bearer {api_key}"})

    def submit(self, order: Order) -> Accepted:
        source = order.source or SourceImage()
        params = {name: each for name, each in order.params.items() if each not in (None, "")}
        if order.action in _PATHS:
            index = source.index + _FIRST_INDEX
            body: dict[str, Any] = {**params, "taskId": source.task_id, "imageIndex": index}
            return _accepted(self._http.order(_PATHS[order.action], json=body))
        if order.source is not None and not source.url:
            raise BadRequest("midapi needs the address of the image: it fetches it itself")
        body = {**params, "taskType": _TYPES[order.action], "prompt": order.prompt}
        if source.url:
            body["fileUrls"] = [source.url]
        return _accepted(self._http.order("/api/v1/mj/generate", json=body))

    def look(self, task_id: str) -> Look:
        answer = self._http.read("/api/v1/mj/record-info", params={"taskId": task_id})
        data = answer.get("data") if isinstance(answer, dict) else None
        if not isinstance(data, dict):
            raise ProviderDown("its answer has no task")
        flag = data.get("successFlag")
        if flag == _GENERATING:
            return Look(LookState.RUNNING, raw=answer)
        if flag == _SUCCESS:
            return Look(LookState.DONE, urls=_urls(data), raw=answer)
        reason = str(data.get("errorMessage") or "it gives no reason")
        return Look(LookState.FAILED, error=GenerationFailed(reason, code=data.get("errorCode")), raw=answer)

    def close(self) -> None:
        self._http.close()


def _urls(data: Mapping[str, Any]) -> tuple[str, ...]:
    try:
        found = (data.get("resultInfoJson") or {}).get("resultUrls") or []
        return tuple(str(each["resultUrl"]) for each in found)
    except (AttributeError, KeyError, TypeError) as error:
        raise ProviderDown("its results are not as documented") from error


def _accepted(answer: Any) -> Accepted:
    """An answer has a code of its own, whatever the status of the response."""
    if not isinstance(answer, dict):
        raise OutcomeUnknown("its answer is not as documented")
    code, data = answer.get("code"), answer.get("data")
    if code == 200 and isinstance(data, dict) and data.get("taskId"):
        return Accepted(str(data["taskId"]), raw=answer)
    raise _refusal(code, str(answer.get("msg") or f"it answered {code}"))


def _refusal(code: Any, message: str) -> ProviderError:
    if code == 429:
        return RateLimited(message)
    if code == 402:
        return QuotaExhausted(message)
    if code == 455:
        return ProviderDown(f"it is under maintenance: {message}")
    if code == 422:
        return ContentRejected(message) if "prompt" in message.lower() else BadRequest(message)
    return BadRequest(message) if code in (400, 401, 404) else OutcomeUnknown(message)
