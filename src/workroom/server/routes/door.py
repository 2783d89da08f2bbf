"""The front door: the admin's link and a name lead in from here."""

from __future__ import annotations

from functools import cache
from importlib.resources import files

from fastapi import APIRouter, Response

from workroom.errors import NotFound

router = APIRouter(include_in_schema=False)

_KINDS = {"door.js": "text/javascript", "door.css": "text/css"}


@router.get("/")
async def door() -> Response:
    return Response(_part("index.html"), media_type="text/html")


@router.get("/door/{name}")
async def part(name: str) -> Response:
    if name not in _KINDS:
        raise NotFound("there is nothing at this address")
    return Response(_part(name), media_type=_KINDS[name])


@cache
def _part(name: str) -> bytes:
    return (files("workroom.server") / "door" / name).read_bytes()
