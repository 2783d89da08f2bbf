"""The web page, built from `web/` into the package; every path of the page serves the same document."""

from __future__ import annotations

import mimetypes
from functools import cache
from html import escape
from importlib.resources import files
from urllib.parse import quote

from fastapi import Request, Response

from workroom.errors import NotFound
from workroom.server.http.context import Services
from workroom.server.http.dependencies import ServicesDep
from workroom.server.http.mount import Mount, mount_of
from workroom.server.http.router import Router

router = Router(include_in_schema=False)

_METHODS = ["GET", "HEAD"]
_PAGE = files("workroom.server") / "page"
_TITLE = b"<title>"
_META = b'<meta name="%s" content="%s">\n'
_OWN = b'="./'  # how the document begins the addresses of its own files
_UNBUILT = b"""<!doctype html>
<html lang="en"><head><meta charset="utf-8"><title>Workroom</title></head>
<body>
<p>Workroom is running, but its page was not built. In a checkout of its source, type:
<code>make page</code></p>
<p><a href="./docs">REST documentation</a></p></body></html>
"""
_FOREVER = {"Cache-Control": "public, max-age=31536000, immutable", "Vary": "Accept-Encoding"}


@router.api_route("/", methods=_METHODS)
@router.api_route("/admin", methods=_METHODS)
@router.api_route("/admin/{path:path}", methods=_METHODS)
@router.api_route("/fleet", methods=_METHODS)
@router.api_route("/join", methods=_METHODS)
@router.api_route("/rooms/{path:path}", methods=_METHODS)
async def page(request: Request, services: ServicesDep) -> Response:
    """The document names the path of its server, and the cookie that shows whether there is a token."""
    document = _part("index.html") or _UNBUILT
    mount = mount_of(request.scope)
    prefix = quote(mount.prefix).encode()
    named = document.replace(_OWN, b'="%s/' % prefix).replace(_TITLE, _meta(mount, services) + _TITLE, 1)
    return Response(named, media_type="text/html", headers={"Cache-Control": "no-cache"})


def _meta(mount: Mount, services: Services) -> bytes:
    values = {"prefix": quote(mount.prefix)}
    if mount.has_own_users:
        values |= {"login-url": escape(mount.login_url), "logout-url": escape(mount.logout_url)}
    else:
        values["session-cookie"] = services.settings.session_cookie
    return b"".join(_META % (name.encode(), value.encode()) for name, value in values.items())


@router.api_route("/icon.svg", methods=_METHODS)
async def icon() -> Response:
    return Response(_existing("icon.svg"), media_type="image/svg+xml")


@router.api_route("/assets/{name}", methods=_METHODS)
async def asset(name: str, request: Request) -> Response:
    """File names contain a hash of the content, so browsers may cache them forever."""
    media_type = mimetypes.guess_type(name)[0] or "application/octet-stream"
    packed = _part(f"assets/{name}.gz") if "gzip" in request.headers.get("accept-encoding", "") else None
    if packed is not None:
        return Response(packed, media_type=media_type, headers=_FOREVER | {"Content-Encoding": "gzip"})
    return Response(_existing(f"assets/{name}"), media_type=media_type, headers=_FOREVER)


def _existing(name: str) -> bytes:
    found = _part(name)
    if found is None:
        raise NotFound("there is nothing at this path")
    return found


def _part(name: str) -> bytes | None:
    return _read(name) if name in _names() else None


@cache
def _names() -> frozenset[str]:
    """Listed once, so that requests for unknown names read no disk."""
    folders = {"": _PAGE, "assets/": _PAGE / "assets"}
    return frozenset(
        f"{prefix}{part.name}"
        for prefix, folder in folders.items()
        if folder.is_dir()
        for part in folder.iterdir()
        if part.is_file()
    )


@cache
def _read(name: str) -> bytes | None:
    """None if the page was rebuilt while the server runs, and the file is gone."""
    try:
        return (_PAGE / name).read_bytes()
    except FileNotFoundError:
        return None
