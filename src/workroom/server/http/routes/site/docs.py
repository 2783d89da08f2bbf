"""The OpenAPI document and Swagger UI, from files installed with the server."""

from __future__ import annotations

from functools import cache
from importlib.resources import files
from urllib.parse import quote

import orjson
from fastapi import Request, Response

from workroom.errors import NotFound
from workroom.server.http.mount import mount_of
from workroom.server.http.router import Router

router = Router(include_in_schema=False)

_PAGE = """<!doctype html>
<html lang="en">
<head>
<meta charset="utf-8"><meta name="viewport" content="width=device-width, initial-scale=1">
<title>Workroom: REST</title>
<link rel="icon" href="{0}/docs/favicon-32x32.png"><link rel="stylesheet" href="{0}/docs/swagger-ui.css">
<link rel="stylesheet" href="{0}/docs/page.css">
</head>
<body>
<div id="docs"></div>
<script src="{0}/docs/swagger-ui-bundle.js"></script><script src="{0}/docs/start.js"></script>
</body>
</html>
"""
_START = """const dark = matchMedia("(prefers-color-scheme: dark)");
const follow = () => document.documentElement.classList.toggle("dark-mode", dark.matches);
dark.addEventListener("change", follow);
follow();
SwaggerUIBundle({{url: "{0}/openapi.json", dom_id: "#docs", deepLinking: true}});
"""
# For phones: no operation has links, whose column is wide; buttons without room beside a title go below it.
_STYLE = """body { margin: 0; }
.swagger-ui .response-col_links { display: none; }
.swagger-ui .opblock .opblock-section-header { flex-wrap: wrap; }
"""
_KINDS = {
    "swagger-ui-bundle.js": "text/javascript",
    "swagger-ui.css": "text/css",
    "favicon-32x32.png": "image/png",
}


@router.get("/openapi.json")
def document(request: Request) -> Response:
    """Runs in a thread: making the document blocks only the first request."""
    api = request.app.openapi()
    prefix = _prefix(request)
    return Response(
        orjson.dumps({**api, "servers": [{"url": prefix}]} if prefix else api), media_type="application/json"
    )


@router.get("/docs")
async def page(request: Request) -> Response:
    return Response(_PAGE.format(_prefix(request)), media_type="text/html")


@router.get("/docs/start.js")
async def start(request: Request) -> Response:
    return Response(_START.format(_prefix(request)), media_type="text/javascript")


@router.get("/docs/page.css")
async def style() -> Response:
    return Response(_STYLE, media_type="text/css")


@router.get("/docs/{name}")
async def part(name: str) -> Response:
    if name not in _KINDS:
        raise NotFound("there is nothing at this path")
    return Response(_part(name), media_type=_KINDS[name], headers={"Cache-Control": "max-age=86400"})


def _prefix(request: Request) -> str:
    return quote(mount_of(request.scope).prefix)


@cache
def _part(name: str) -> bytes:
    return (files("fastapi_swagger.resources") / name).read_bytes()
