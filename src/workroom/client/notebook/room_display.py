"""A room in a notebook: its page in a frame, and a picture where that is not shown."""

from __future__ import annotations

import base64
from dataclasses import dataclass
from html import escape
from typing import TYPE_CHECKING, Any

from workroom.errors import WorkroomError

if TYPE_CHECKING:
    from workroom.client.sync_room import Room

_KEYS = ("positions", "numbers", "cell")
_HEIGHT = 560  # pixels of the frame
_ALLOWED = "allow-scripts allow-same-origin allow-downloads allow-popups allow-popups-to-escape-sandbox"


@dataclass(frozen=True)
class Shown:
    """What a notebook shows of a room. `frame_url` is None where the server allows no frames."""

    room: str
    url: str
    caption: str = ""
    picture: bytes | None = None
    frame_url: str | None = None


def mimebundle(shown: Shown) -> dict[str, str]:
    text = f"Room '{shown.room}' at {shown.url}" + (f": {shown.caption}" if shown.caption else "")
    bundle = {"text/plain": text, "text/html": _html(shown)}
    if shown.picture is not None:
        bundle["image/png"] = _base64(shown.picture)
    return bundle


def look_at(room: Room) -> Shown:
    """Read what is to be shown. Without a server, or without a right, there is a link at least."""
    url, frame_url, caption, picture = room.view_url, None, "", None
    try:
        frame_url = room.frame_url()
        caption, picture = _snapshot(room)
    except WorkroomError as error:
        caption = caption or error.detail
    return Shown(room.name, url, caption, picture, frame_url)


def _snapshot(room: Room) -> tuple[str, bytes | None]:
    length = len(room.frames)
    if length == 0:
        return "no frames yet", None
    step = _step(room.step, length)
    try:
        frame = room.frames.get(step, keys=_KEYS, dtype="f32")
    except ModuleNotFoundError:  # frames need NumPy, which is optional for a client
        return f"frame {step} of {length}", None
    return f"frame {step} of {length}, {_count(frame)} atoms", _draw(frame, room.camera)


def _draw(frame: Any, camera: Any) -> bytes | None:
    from workroom.client.notebook import snapshot  # noqa: PLC0415 - it needs NumPy

    return snapshot.draw_snapshot(frame, camera) if _count(frame) <= snapshot.MAX_ATOMS else None


def _step(step: Any, length: int) -> int:
    return min(step, length - 1) if isinstance(step, int) and step >= 0 else 0


def _count(frame: Any) -> int:
    return len(frame.get("numbers", ()))


def _html(shown: Shown) -> str:
    """Notebooks that remove the frame, because scripts are not allowed, show what is below it."""
    parts = [_picture(shown), _frame(shown)]
    link = (
        f'<a href="{escape(shown.url)}" target="_blank" rel="noopener">{escape(shown.room)} in Workroom</a>'
    )
    caption = f": {escape(shown.caption)}" if shown.caption else ""
    return f"{_box(shown, ''.join(parts))}<p>{link}{caption}</p>"


def _box(shown: Shown, content: str) -> str:
    height = f"height:{_HEIGHT}px;" if shown.frame_url else ""
    return f'<div style="position:relative;{height}">{content}</div>' if content else ""


def _picture(shown: Shown) -> str:
    if shown.picture is None:
        return ""
    return f'<img alt="{escape(shown.caption)}" src="data:image/png;base64,{_base64(shown.picture)}">'


def _frame(shown: Shown) -> str:
    if shown.frame_url is None:
        return ""
    style = "position:absolute;inset:0;width:100%;height:100%;border:0"
    return (
        f'<iframe title="Room {escape(shown.room)}" src="{escape(shown.frame_url)}" style="{style}" '
        f'sandbox="{_ALLOWED}" referrerpolicy="no-referrer" allow="fullscreen"></iframe>'
    )


def _base64(content: bytes) -> str:
    return base64.b64encode(content).decode()
