"""The routes of the media pack: under `/api/packs/media`, and the paths of workflows."""

from __future__ import annotations

import time
from collections.abc import Iterable, Iterator
from typing import Annotated, Any

from fastapi import Depends, Query, Response
from fastapi.concurrency import run_in_threadpool
from pydantic import BaseModel, ConfigDict, Field
from uuid_utils import uuid7

from workroom import PackRequest, PackRoom, PackRouter
from workroom.errors import InvalidRequest, RecordNotFound
from workroom.packs.media.budgets import Spending, spending_of
from workroom.packs.media.configured import concurrency_of, estimate_of
from workroom.packs.media.generate import Generate
from workroom.packs.media.providers import Action, Cost, MediaProviderRegistry, Order
from workroom.packs.media.records import (
    CONTENT,
    GENERATIONS,
    INTERACTIONS,
    Content,
    Generation,
    media_url,
    month_of,
)
from workroom.packs.media.settings import read_settings
from workroom.packs.media.settlement import is_open, settled

router = PackRouter()
root_router = PackRouter()

Caller = Annotated[PackRequest, Depends(PackRequest.of)]
Cursor = Annotated[int | None, Query(ge=1, le=2**53)]
Limit = Annotated[int, Query(ge=1, le=200)]
Search = Annotated[str, Query(max_length=200, description="words that the prompt has")]
InteractionId = Annotated[str, Query(max_length=200)]

Dated = tuple[Content, str]  # with the time at which its record was created

_MAX_EXAMINED = 2000
_MAX_COUNTED = 20_000
_PAGE = 200


class _Body(BaseModel):
    model_config = ConfigDict(extra="forbid")


class InteractionBody(_Body):
    """A request for media, which any number of generations may serve."""

    title: str = Field("", max_length=200)
    prompt: str = Field("", max_length=8000)
    data: dict[str, Any] = Field({}, description="anything that the caller wants to keep with it")


class EstimateBody(_Body):
    provider: str = Field("local", max_length=100)
    action_type: Action = Action.TXT2IMG
    params: dict[str, Any] = {}


class SubActionBody(EstimateBody):
    prompt_id: str = Field("", max_length=200)
    source_data: dict[str, Any] | None = None


@router.get("/providers")
async def list_providers(at: Caller) -> dict[str, Any]:
    """The providers, what each can do, and how many orders of each run at once."""
    return {"items": [_provider(name) for name in MediaProviderRegistry.list_providers()]}


@router.get("/{room}/spending")
async def read_spending(room: str, at: Caller) -> dict[str, Any]:
    """What each provider cost in the room in this month, and its budget."""
    found = await at.room(room)
    names = MediaProviderRegistry.list_providers()
    return {"items": [_rendered(await _spending(found, name)) for name in names]}


@router.post("/{room}/estimate")
async def estimate_cost(room: str, body: EstimateBody, at: Caller) -> dict[str, Any]:
    """What an order would cost, as far as the provider or the settings know; nothing is ordered."""
    await (await at.room(room)).require_member()
    cost = await run_in_threadpool(_estimate, body)
    return {"amount": None, "unit": ""} if cost is None else {"amount": cost.amount, "unit": cost.unit}


def _estimate(body: EstimateBody) -> Cost | None:
    if body.provider not in MediaProviderRegistry.list_providers():
        raise InvalidRequest(f"there is no provider '{body.provider}'")
    params = {name: value for name, value in body.params.items() if name != "prompt"}
    order = Order(body.action_type, str(body.params.get("prompt") or ""), params)
    return estimate_of(body.provider, order)


@router.get("/{room}/content")
async def list_content(
    room: str,
    at: Caller,
    q: Search = "",
    interaction_id: InteractionId = "",
    job_id: InteractionId = "",
    parent: InteractionId = "",
    cursor: Cursor = None,
    limit: Limit = 50,
) -> dict[str, Any]:
    """Images and videos, newest first. A search examines 2,000 of them; the cursor goes on from there."""
    found = await at.room(room)
    wanted = {"interaction": interaction_id, "job": job_id, "parent": parent}
    where = {name: value for name, value in wanted.items() if value}
    items, next_cursor = await _matching(found, where, q.casefold().split(), cursor, limit)
    shown = [_with_urls(found.name, content, created_at) for content, created_at in items]
    return {"items": shown, "next_cursor": next_cursor}


@root_router.post("/api/rooms/{room}/interactions", status_code=201)
async def create_interaction(room: str, body: InteractionBody, at: Caller) -> dict[str, Any]:
    """A new interaction, with its `interaction_id`."""
    found = await at.room(room)
    id = f"in_{uuid7()}"
    return _interaction(await found.put_record(INTERACTIONS, id, body.model_dump()))


@root_router.get("/api/rooms/{room}/interactions")
async def list_interactions(
    room: str, at: Caller, cursor: Cursor = None, limit: Limit = 50
) -> dict[str, Any]:
    """Newest first."""
    found = await at.room(room)
    items, next_cursor = await found.records(INTERACTIONS, cursor=cursor, limit=limit)
    return {"items": [_interaction(each) for each in items], "next_cursor": next_cursor}


@root_router.post("/workflow/{room}/interaction/{interaction_id}/sub-action", status_code=202)
async def create_sub_action(
    room: str, interaction_id: str, body: SubActionBody, at: Caller
) -> dict[str, str]:
    """Order media for an interaction. 404 if there is no such interaction."""
    found = await at.room(room)
    if await found.record(INTERACTIONS, interaction_id) is None:
        raise RecordNotFound(f"there is no interaction '{interaction_id[:100]}'")
    payload = {
        **body.model_dump(mode="json"),
        "workflow_run_id": found.name,
        "interaction_id": interaction_id,
    }
    job = await found.submit(Generate.category, Generate.extension_name, payload)
    return {"task_id": f"tq_{job['id']}"}


@root_router.head("/workflow/{room}/media/{file}", include_in_schema=False)
@root_router.get("/workflow/{room}/media/{file}", response_class=Response)
async def read_media(room: str, file: str, at: Caller) -> Response:
    """An image or a video, or the part that `Range` names; `ID.thumb.webp` is a small picture of it."""
    found = await at.room(room)
    content_id = file.partition(".")[0]
    record = await found.record(CONTENT, content_id) if content_id else None
    content = None if record is None else Content.read(record["body"])
    if content is None or file not in (f"{content_id}.{content.extension}", content.thumbnail):
        raise RecordNotFound("there is no such media in this room")
    name = content.thumbnail if file == content.thumbnail else content.file
    return await found.send_artifact(content.job_id, name)


def _provider(name: str) -> dict[str, Any]:
    try:
        provider = MediaProviderRegistry.get(name)
    except Exception as error:
        return {"name": name, "error": str(error)[:500] or "it cannot be used"}
    return {
        "name": name,
        "concurrency": concurrency_of(name),
        "actions": sorted(str(each) for each in provider.actions),
        "params_schema": provider.params_schema,
        "is_free": provider.is_free,
        "can_find": provider.can_find,
        "own_sources": sorted(str(each) for each in provider.own_sources),
        "price": read_settings().prices.get(name),
        "error": None,
    }


async def _spending(room: PackRoom, provider: str) -> Spending:
    month = month_of(time.time())
    generations: list[Generation] = []
    cursor: int | None = None
    where = {"provider": provider, "month": month}
    for _ in range(_MAX_COUNTED // _PAGE):
        items, cursor = await room.records(GENERATIONS, where, cursor=cursor, limit=_PAGE)
        generations += [each for each in (Generation.read(record["body"]) for record in items) if each]
        if cursor is None:
            break
    known = [await _settled(room, each) for each in generations]
    return spending_of(provider, month, known, read_settings().budgets.get(provider))


async def _settled(room: PackRoom, generation: Generation) -> Generation:
    return settled(generation, await room.job(generation.job_id)) if is_open(generation) else generation


def _rendered(spending: Spending) -> dict[str, Any]:
    return {
        "provider": spending.provider,
        "month": spending.month,
        "spent": spending.spent,
        "limit": spending.limit,
        "left": spending.left,
        "unit": spending.unit,
    }


async def _matching(
    room: PackRoom, where: dict[str, Any], words: list[str], cursor: int | None, limit: int
) -> tuple[list[Dated], int | None]:
    if not words:
        items, cursor = await room.records(CONTENT, where, cursor=cursor, limit=limit)
        return list(_contents(items)), cursor
    found: list[Dated] = []
    for _ in range(_MAX_EXAMINED // _PAGE):
        items, cursor = await room.records(CONTENT, where, cursor=cursor, limit=_PAGE)
        found += [each for each in _contents(items) if _has(each[0], words)]
        if cursor is None or len(found) >= limit:
            break
    return found, cursor


def _contents(records: Iterable[dict[str, Any]]) -> Iterator[Dated]:
    for record in records:
        content = Content.read(record["body"])
        if content is not None:
            yield content, record["created_at"]


def _has(content: Content, words: list[str]) -> bool:
    prompt = content.request.prompt.casefold()
    return all(word in prompt for word in words)


def _with_urls(room: str, content: Content, created_at: str) -> dict[str, Any]:
    thumbnail = f"/workflow/{room}/media/{content.thumbnail}" if content.thumbnail else None
    return {
        **content.body,
        "url": media_url(room, content),
        "thumbnail_url": thumbnail,
        "created_at": created_at,
    }


def _interaction(record: dict[str, Any]) -> dict[str, Any]:
    return {
        **record["body"],
        "interaction_id": record["id"],
        "user": record["user"],
        "created_at": record["created_at"],
    }
