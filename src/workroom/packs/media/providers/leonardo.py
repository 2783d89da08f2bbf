"""Leonardo: images and short videos.

Written from its public documentation; it was never called. Not verified: whether an order that answers 5xx
was charged (so it counts as unknown), which parameters its pricing calculator needs, whether the account's
generations are listed newest first, and the newer `/v2/generations`, which is not used.
"""

from __future__ import annotations

import contextlib
import json
from collections.abc import Callable, Mapping
from dataclasses import replace
from datetime import UTC, datetime
from typing import Any
from urllib.parse import quote

import httpx

from workroom.packs.media.providers.errors import (
    BadRequest,
    DownloadError,
    GenerationFailed,
    OutcomeUnknown,
    ProviderDown,
)
from workroom.packs.media.providers.http import ProviderHttp
from workroom.packs.media.providers.outbound import GuardedTransport, OutboundGuard, host_of
from workroom.packs.media.providers.provider import (
    Accepted,
    Action,
    Cost,
    Look,
    LookState,
    MediaProvider,
    Order,
    SourceImage,
)
from workroom.packs.media.providers.transport import time_limit

BASE_URL = "https://cloud.leonardo.ai/api/rest/v1"
_PRICED = {"width": "imageWidth", "height": "imageHeight", "num_images": "numImages"}
_STATES = {"PENDING": LookState.RUNNING, "COMPLETE": LookState.DONE, "FAILED": LookState.FAILED}
_UPLOAD_TIMEOUT = 60.0
_MAX_UPLOAD_S = 120.0  # the form is good for two minutes
_LISTED = {"width": "imageWidth", "height": "imageHeight", "seed": "seed", "modelId": "modelId"}
_PAGE = 50
_MAX_PAGES = 10
_CLOCK_SLACK_S = 60.0
_MAX_SEED = 2**32 - 1


def _number(title: str, least: int, most: int, default: int) -> dict[str, Any]:
    return {"title": title, "type": "integer", "minimum": least, "maximum": most, "default": default}


_SCHEMA: dict[str, Any] = {
    "type": "object",
    "properties": {
        "modelId": {"title": "Model", "description": "id of a model at Leonardo", "type": "string"},
        "width": _number("Width", 32, 1536, 1024),
        "height": _number("Height", 32, 1536, 768),
        "num_images": _number("Count", 1, 8, 1),
        "negative_prompt": {"title": "Not in the image", "type": "string", "maxLength": 1000},
        "seed": {"title": "Seed", "type": "integer", "minimum": 0, "maximum": _MAX_SEED},
        "init_strength": {
            "title": "Strength of the image to begin with",
            "type": "number",
            "minimum": 0.1,
            "maximum": 0.9,
        },
    },
}


class LeonardoProvider(MediaProvider):
    """It reports no progress and no reason of a failure. Orders are found again by listing the account's."""

    name = "leonardo"
    actions = frozenset({Action.TXT2IMG, Action.IMG2IMG, Action.IMG2VID})
    can_find = True
    params_schema = _SCHEMA

    def __init__(self, api_key: str, *, base_url: str = BASE_URL, guard: OutboundGuard | None = None) -> None:
        """Images are uploaded to an address that Leonardo names: `guard` must allow it."""
        self._http = ProviderHttp(base_url, {"Authorization": f"Bearer {api_key}"})
        transport = GuardedTransport(guard or OutboundGuard([host_of(base_url)]))
        self._uploads = httpx.Client(transport=transport, timeout=_UPLOAD_TIMEOUT, trust_env=False)

    def prepare(self, order: Order) -> Order:
        """With the id of the image to begin with, which is uploaded if Leonardo did not make it."""
        return order if order.source is None else replace(order, source_id=self._image_id(order.source))

    def submit(self, order: Order) -> Accepted:
        """Send an order that was prepared."""
        if order.action is Action.IMG2VID:
            return self._submit_video(order)
        body = {**order.params, "prompt": order.prompt}
        if order.source is not None:
            kind = "init_generation_image_id" if order.source.task_id else "init_image_id"
            body[kind] = order.source_id
            body.setdefault("init_strength", 0.5)
        else:
            body.pop("init_strength", None)
        return _accepted(self._http.order("/generations", json=body), "sdGenerationJob")

    def _submit_video(self, order: Order) -> Accepted:
        source = order.source or SourceImage()
        kind = "GENERATED" if source.task_id else "UPLOADED"
        body = {
            **order.params,
            "prompt": order.prompt,
            "imageId": order.source_id,
            "imageType": kind,
        }
        answer = self._http.order("/generations-image-to-video", json=body)
        return _accepted(answer, "motionVideoGenerationJob")

    def _image_id(self, source: SourceImage) -> str:
        if source.task_id:
            images = self._generation(source.task_id).get("generated_images") or []
            if not 0 <= source.index < len(images):
                raise BadRequest(f"the task has no image {source.index}")
            return str(images[source.index]["id"])
        if not source.content:
            raise BadRequest("leonardo needs the image itself, not its address")
        return self._upload(source)

    def _upload(self, source: SourceImage) -> str:
        """Upload an image. The fields of the form are JSON inside JSON, and good for two minutes."""
        extension = source.media_type.rpartition("/")[2].replace("jpeg", "jpg")
        try:
            slot = self._http.call("/init-image", json={"extension": extension})["uploadInitImage"]
            fields = json.loads(slot["fields"])
            with time_limit(_MAX_UPLOAD_S):
                response = self._uploads.post(
                    slot["url"],
                    data=fields,
                    files={"file": (f"image.{extension}", source.content, source.media_type)},
                )
            response.raise_for_status()
        except (KeyError, TypeError, ValueError, httpx.HTTPError, DownloadError) as error:
            raise ProviderDown(f"the image could not be uploaded: {error}") from error
        return str(slot["id"])

    def look(self, task_id: str) -> Look:
        generation = self._generation(task_id)
        state = _STATES.get(str(generation.get("status")), LookState.RUNNING)
        if state is LookState.FAILED:
            return Look(state, error=GenerationFailed("Leonardo failed, and gives no reason"), raw=generation)
        images = generation.get("generated_images") or []
        urls = tuple(str(each.get("motionMP4URL") or each.get("url")) for each in images)
        if state is LookState.DONE and not urls:
            return Look(LookState.FAILED, error=GenerationFailed("it is complete, but has no image"))
        return Look(state, urls=urls, raw=generation)

    def _generation(self, task_id: str) -> Mapping[str, Any]:
        answer = self._http.read(f"/generations/{quote(task_id, safe='')}")
        found = answer.get("generations_by_pk") if isinstance(answer, dict) else None
        if not isinstance(found, dict):
            raise ProviderDown("its answer has no generation")
        return found

    def find(self, order: Order, since: float, is_known: Callable[[str], bool]) -> Accepted | None:
        """Orders carry no reference, so one is found by its prompt, its parameters and its time."""
        earliest = since - _CLOCK_SLACK_S
        try:
            user = self._http.read("/me")["user_details"][0]["user"]["id"]
            listed = self._listed(f"/generations/user/{user}", earliest)
            found = [each for each in listed if _is_of(each, order) and not is_known(str(each["id"]))]
        except (KeyError, IndexError, TypeError, ValueError) as error:
            raise ProviderDown("its list of generations is not as documented") from error
        if len(found) > 1:
            raise OutcomeUnknown("several generations have this prompt", ids=[each["id"] for each in found])
        return Accepted(str(found[0]["id"]), raw=found[0]) if found else None

    def _listed(self, path: str, earliest: float) -> list[dict[str, Any]]:
        """The generations since a time, newest first. What is not in a list that goes on may be behind it."""
        listed: list[dict[str, Any]] = []
        for page in range(_MAX_PAGES):
            found = self._http.read(path, params={"offset": page * _PAGE, "limit": _PAGE})["generations"]
            listed += [each for each in found if _created(each) >= earliest]
            if len(found) < _PAGE or _created(found[-1]) < earliest:
                return listed
        raise OutcomeUnknown(f"its list has more than {_MAX_PAGES * _PAGE} generations since then")

    def estimate(self, order: Order) -> Cost | None:
        """What its pricing calculator states, which knows images only."""
        if order.action is Action.IMG2VID:
            return None
        given = {theirs: order.params.get(ours) for ours, theirs in _PRICED.items()}
        params = {name: each for name, each in given.items() if each is not None}
        body = {"service": "IMAGE_GENERATION", "serviceParams": {"IMAGE_GENERATION": params}}
        answer = self._http.call("/pricing-calculator", json=body)
        found = answer.get("calculateProductionApiServiceCost") if isinstance(answer, dict) else None
        cost = found.get("cost") if isinstance(found, dict) else None
        return Cost(float(cost), "credits") if isinstance(cost, int | float) else None

    def close(self) -> None:
        self._http.close()
        self._uploads.close()


def _accepted(answer: Any, name: str) -> Accepted:
    job = answer.get(name) if isinstance(answer, dict) else None
    task_id = job.get("generationId") if isinstance(job, dict) else None
    if not isinstance(job, dict) or not task_id:
        raise OutcomeUnknown("its answer has no id", body=str(answer)[:1000])
    return Accepted(str(task_id), _cost(job), answer)


def _cost(job: Mapping[str, Any]) -> Cost | None:
    """The cost, which older answers have as a number of credits. The order was accepted, whatever it is."""
    cost, credits = job.get("cost"), job.get("apiCreditCost")
    with contextlib.suppress(TypeError, ValueError):
        if isinstance(cost, dict) and cost.get("amount") is not None:
            return Cost(float(cost["amount"]), str(cost.get("unit", "")))
        return None if credits is None else Cost(float(credits), "credits")
    return None


def _created(generation: Mapping[str, Any]) -> float:
    created = datetime.fromisoformat(str(generation["createdAt"]))
    return (created if created.tzinfo else created.replace(tzinfo=UTC)).timestamp()


def _is_of(generation: Mapping[str, Any], order: Order) -> bool:
    """Whether nothing that was ordered differs. What either leaves out is not compared."""
    pairs = ((order.params.get(ours), generation.get(theirs)) for ours, theirs in _LISTED.items())
    is_alike = all(str(one) == str(other) for one, other in pairs if one is not None and other is not None)
    return is_alike and generation.get("prompt") == order.prompt
