"""Where in another application this server is mounted."""

from __future__ import annotations

from dataclasses import dataclass, replace

from starlette.types import Scope

_KEY = "workroom.mount"


@dataclass(frozen=True, slots=True)
class Mount:
    """`prefix` is the path in front of every path of this server, such as /jobs."""

    prefix: str = ""
    has_own_users: bool = False  # identified by the application around this server
    login_url: str = ""
    logout_url: str = ""


_NOWHERE = Mount()


def mount_of(scope: Scope) -> Mount:
    found: Mount = scope.get(_KEY, _NOWHERE)
    return found


def at_own_root(scope: Scope, mount: Mount) -> Scope:
    """The scope as this server sees it: with paths that begin at its own root."""
    matched = _matched(scope)
    raw: bytes = scope.get("raw_path") or scope["path"].encode()
    own_raw = raw.split(b"/", matched.count("/") + 1)[matched.count("/") + 1 :]
    return {
        **scope,
        "path": scope["path"][len(matched) :] or "/",
        "raw_path": b"/" + b"".join(own_raw),
        "root_path": "",
        _KEY: replace(mount, prefix=scope.get("root_path", "").rstrip("/")),
    }


def _matched(scope: Scope) -> str:
    """The part of the path that belongs to the application around this server.

    Starlette keeps the whole path, and puts the matched part into `root_path`, after what a proxy removed.
    """
    path: str = scope["path"]
    root: str = scope.get("root_path", "").rstrip("/")
    for matched in (root, root[len(scope.get("app_root_path", "")) :]):
        if path == matched or path.startswith(f"{matched}/"):
            return matched
    return ""
