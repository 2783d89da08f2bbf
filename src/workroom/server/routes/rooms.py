"""Rooms, who is in them, and what each of them sees."""

from __future__ import annotations

from fastapi import Response

from workroom.domain.identity import user_name
from workroom.domain.policy import Act
from workroom.domain.queries import FindRooms, FindWorkers
from workroom.domain.room import room_name
from workroom.errors import (
    AccountNotFound,
    Forbidden,
    InvalidName,
    InvalidRequest,
    NameTaken,
    RoomNotFound,
    TooManyRequests,
)
from workroom.server import documents, shapes
from workroom.server.context import Inside, Room, Who, answer
from workroom.server.openapi import refused
from workroom.server.paging import After, Limit
from workroom.server.router import Router
from workroom.server.wire import InviteBody, MemberBody, PairBody, RoomBody, RoomChange

router = Router(prefix="/api/rooms", tags=["rooms"])


@router.get("", response_model=shapes.RoomPage, responses=refused(Forbidden))
async def list_rooms(who: Who, inside: Inside, after: After = "", limit: Limit = 100) -> Response:
    """The rooms that I may enter, by name."""
    inside.access.check(who, Act.LIST_ROOMS)
    viewer = None if who.is_admin else who.user
    rooms = await inside.store.read(FindRooms(viewer, after, limit + 1))
    return answer(documents.room_page(rooms, limit))


@router.post(
    "", status_code=201, response_model=shapes.Room, responses=refused(Forbidden, NameTaken, InvalidName)
)
async def create_room(body: RoomBody, who: Who, inside: Inside) -> Response:
    """A new room of mine; 409 if the name is taken."""
    inside.access.check(who, Act.CREATE_ROOM)
    name = room_name(body.name)
    room = await inside.rooms.create(who, name, title=body.title, private=body.private)
    return answer(documents.room(room), 201)


@router.get("/{room}", response_model=shapes.Room, responses=refused(RoomNotFound))
async def read_room(room: Room, who: Who, inside: Inside) -> Response:
    """What it is called, and whose it is."""
    return answer(documents.room(await inside.access.room(who, room, Act.SEE_ROOM)))


@router.patch("/{room}", response_model=shapes.Room, responses=refused(Forbidden, RoomNotFound))
async def change_room(room: Room, body: RoomChange, who: Who, inside: Inside) -> Response:
    """Another title; private or open."""
    found = await inside.access.room(who, room, Act.MANAGE_ROOM)
    return answer(documents.room(await inside.rooms.change(found, title=body.title, private=body.private)))


@router.delete("/{room}", response_model=shapes.Nothing, responses=refused(Forbidden, RoomNotFound))
async def delete_room(room: Room, who: Who, inside: Inside) -> Response:
    """Gone for everyone, for good: what is unfinished is cancelled, what was done stays on record."""
    await inside.rooms.delete(who, await inside.access.room(who, room, Act.MANAGE_ROOM))
    return answer({})


@router.get("/{room}/members", response_model=shapes.Members, responses=refused(RoomNotFound))
async def list_members(room: Room, who: Who, inside: Inside) -> Response:
    """The owner, and the members besides."""
    found = await inside.access.room(who, room, Act.SEE_ROOM)
    return answer({"owner": found.owner, "items": sorted(found.members)})


@router.post(
    "/{room}/members",
    status_code=201,
    response_model=shapes.Room,
    responses=refused(Forbidden, RoomNotFound, AccountNotFound, TooManyRequests),
)
async def add_member(room: Room, body: MemberBody, who: Who, inside: Inside) -> Response:
    """With a code: I become a member. With a user: the owner makes them one."""
    if body.code is not None:
        inside.access.check(who, Act.LIST_ROOMS)
        inside.throttles.guesses.take(who.user)
        return answer(documents.room(await inside.rooms.join(who, room, body.code)), 201)
    if body.user is None:
        raise InvalidRequest("give a code, or the user to add")
    found = await inside.access.room(who, room, Act.MANAGE_ROOM)
    return answer(documents.room(await inside.rooms.add_member(found, user_name(body.user))), 201)


@router.delete(
    "/{room}/members/{user}", response_model=shapes.Room, responses=refused(Forbidden, RoomNotFound)
)
async def remove_member(room: Room, user: str, who: Who, inside: Inside) -> Response:
    """By the room's owner, or by who leaves."""
    name = user_name(user)
    act = Act.LEAVE_ROOM if name == who.user else Act.MANAGE_ROOM
    found = await inside.access.room(who, room, act)
    return answer(documents.room(await inside.rooms.remove_member(found, name)))


@router.post(
    "/{room}/invite",
    status_code=201,
    response_model=shapes.IssuedCode,
    responses=refused(Forbidden, RoomNotFound),
)
async def create_invite(room: Room, body: InviteBody, who: Who, inside: Inside) -> Response:
    """A code that makes its holders members."""
    found = await inside.access.room(who, room, Act.MANAGE_ROOM)
    issued = await inside.rooms.invite(who, found, seconds=body.seconds, uses=body.uses)
    return answer(documents.issued(issued), 201)


@router.delete("/{room}/invite", response_model=shapes.Nothing, responses=refused(Forbidden, RoomNotFound))
async def withdraw_invites(room: Room, who: Who, inside: Inside) -> Response:
    """No invite of this room lets anybody in any more."""
    await inside.rooms.withdraw_invites(await inside.access.room(who, room, Act.MANAGE_ROOM))
    return answer({})


@router.post(
    "/{room}/pair", status_code=201, response_model=shapes.IssuedCode, responses=refused(RoomNotFound)
)
async def create_pairing_code(room: Room, body: PairBody, who: Who, inside: Inside) -> Response:
    """A short code that makes one machine a worker of this room: `workroom join CODE script.py`."""
    found = await inside.access.room(who, room, Act.PAIR)
    return answer(documents.issued(await inside.rooms.pair(who, found, seconds=body.seconds)), 201)


@router.get("/{room}/workers", response_model=shapes.Workers, responses=refused(RoomNotFound))
async def list_room_workers(room: Room, who: Who, inside: Inside) -> Response:
    """Workers that serve this room."""
    await inside.access.enter(who, room, Act.SEE_ROOM)
    workers = await inside.store.read(FindWorkers(room))
    return answer(
        {"items": [documents.worker(each, lambda key: key.room in (None, room)) for each in workers]}
    )
