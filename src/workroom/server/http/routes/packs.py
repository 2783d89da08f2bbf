"""The packs of the server, and the modules of their views."""

from __future__ import annotations

from typing import Annotated

from fastapi import Request, Response
from pydantic import Field
from typing_extensions import TypedDict

from workroom.errors import NotFound
from workroom.server.http.dependencies import Caller, json_response
from workroom.server.http.packs import ServedPack, ServedView
from workroom.server.http.router import Router

router = Router(tags=["packs"])

_FOREVER = {"Cache-Control": "public, max-age=31536000, immutable"}


class PackView(TypedDict):
    name: str
    title: str
    module: Annotated[
        str | None,
        Field(description="the path of a JavaScript module with `mount`; none for a view of the page itself"),
    ]


class Pack(TypedDict):
    name: str
    views: list[PackView]
    error: Annotated[str | None, Field(description="why it is left out; only admins see the reason")]


class Packs(TypedDict):
    items: list[Pack]


@router.get("/api/packs", response_model=Packs)
async def list_packs(request: Request, caller: Caller) -> Response:
    """The installed packs, with the views that they add to each room."""
    packs: list[ServedPack] = request.app.state.packs
    return json_response({"items": [_render(pack, is_admin=caller.is_admin) for pack in packs]})


@router.get("/packs/{pack}/{file}", include_in_schema=False)
async def read_module(pack: str, file: str, request: Request) -> Response:
    """The module of a view. Its name has a hash of its content, so that browsers may keep it."""
    packs: list[ServedPack] = request.app.state.packs
    for view in (view for each in packs if each.name == pack for view in each.views):
        if view.file and view.file == file:
            return Response(view.module, media_type="text/javascript", headers=_FOREVER)
    raise NotFound("there is nothing at this path")


def _render(pack: ServedPack, *, is_admin: bool) -> Pack:
    error = None if pack.error is None else pack.error if is_admin else "it cannot be used"
    return {
        "name": pack.name,
        "views": [_render_view(pack.name, view) for view in pack.views],
        "error": error,
    }


def _render_view(pack: str, view: ServedView) -> PackView:
    module = f"/packs/{pack}/{view.file}" if view.file else None
    return {"name": view.name, "title": view.title, "module": module}
