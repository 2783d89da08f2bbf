"""A room, its members and its chat."""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from typing import Annotated

from pydantic import Field
from typing_extensions import TypedDict

from workroom.domain import room as domain
from workroom.domain.identity import Principal
from workroom.domain.permissions import RoomRole, role_in
from workroom.domain.queries import Page
from workroom.domain.room import WorkersFrom
from workroom.server.http.views.values import Time, format_time
from workroom.services.rooms.rooms import Issued


class Room(TypedDict):
    name: str
    title: str
    owner: str
    private: bool
    workers: WorkersFrom
    created_at: Time


class EnteredRoom(Room):
    role: Annotated[RoomRole, Field(description="what the caller is to the room; a viewer reads only")]


class RoomPage(TypedDict):
    items: list[Room]
    next_after: Annotated[str | None, Field(description="`after` of the next page, if there is one")]


class Members(TypedDict):
    owner: str
    items: list[str]
    viewers: Annotated[list[str], Field(description="those of the members who may only read")]


class Present(TypedDict):
    """Somebody who has the room open."""

    user: str
    since: Time


class People(TypedDict):
    items: list[Present]


class IssuedCode(TypedDict):
    code: str
    expires_at: Time


class ChatMessage(TypedDict):
    """The server writes a message with a `job_id` when that job fails."""

    seq: int
    room: str
    user: str
    text: str
    job_id: str | None
    by_job: Annotated[str | None, Field(description="the user's job that wrote it; null: a person did")]
    at: Time


class ChatPage(TypedDict):
    items: list[ChatMessage]
    next_cursor: Annotated[int | None, Field(description="`cursor` of the next page, if there is one")]


def render_room(room: domain.Room) -> Room:
    return {
        "name": room.name,
        "title": room.title,
        "owner": room.owner,
        "private": room.private,
        "workers": room.workers,
        "created_at": format_time(room.created_at_us),
    }


def render_entered_room(room: domain.Room, caller: Principal) -> EnteredRoom:
    return {**render_room(room), "role": role_in(caller, room)}


def render_room_page(rooms: Sequence[domain.Room], limit: int) -> RoomPage:
    """`rooms` has one room more than `limit` if there is a next page."""
    shown = rooms[:limit]
    return {
        "items": [render_room(each) for each in shown],
        "next_after": shown[-1].name if len(rooms) > limit else None,
    }


def render_members(room: domain.Room) -> Members:
    return {"owner": room.owner, "items": sorted(room.members), "viewers": sorted(room.viewers)}


def render_issued_code(issued: Issued) -> IssuedCode:
    return {"code": issued.code, "expires_at": format_time(issued.expires_us)}


def render_chat_message(message: domain.ChatMessage) -> ChatMessage:
    return {
        "seq": message.sequence,
        "room": message.room,
        "user": message.user,
        "text": message.text,
        "job_id": message.job_id,
        "by_job": message.by_job,
        "at": format_time(message.at_us),
    }


def render_chat_page(page: Page[domain.ChatMessage]) -> ChatPage:
    return {"items": [render_chat_message(each) for each in page.items], "next_cursor": page.next_cursor}


def render_present(people: Mapping[str, int]) -> People:
    return {"items": [{"user": user, "since": format_time(since_us)} for user, since_us in people.items()]}
