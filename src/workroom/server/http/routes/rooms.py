"""Rooms, their members, workers and chat."""

from __future__ import annotations

from fastapi import Request, Response

from workroom.domain.audit import AuditAction
from workroom.domain.identity import MemberRole
from workroom.domain.names import user_name
from workroom.domain.permissions import Permission
from workroom.domain.room import room_name
from workroom.errors import (
    AccountNotFound,
    Forbidden,
    InvalidName,
    InvalidRequest,
    NameTaken,
    RoomNotFound,
    StorageFull,
    TooManyRequests,
)
from workroom.server.http.bodies.fields import WEEK
from workroom.server.http.bodies.room import ChatBody, InviteBody, MemberBody, PairBody, RoomBody, RoomChange
from workroom.server.http.context import Services
from workroom.server.http.dependencies import (
    After,
    Caller,
    Cursor,
    Limit,
    RoomName,
    ServicesDep,
    json_response,
)
from workroom.server.http.openapi import STORING, refused
from workroom.server.http.router import Router
from workroom.server.http.views.room import (
    ChatMessage,
    ChatPage,
    EnteredRoom,
    IssuedCode,
    Members,
    People,
    Room,
    RoomPage,
    render_chat_message,
    render_chat_page,
    render_entered_room,
    render_issued_code,
    render_members,
    render_present,
    render_room,
    render_room_page,
)
from workroom.server.http.views.values import Nothing
from workroom.server.http.views.worker import Workers, render_workers
from workroom.server.protocols.admission import client_network
from workroom.services.limits.throttles import count_guess

router = Router(prefix="/api/rooms", tags=["rooms"])


@router.get("", response_model=RoomPage, responses=refused(Forbidden))
async def list_rooms(
    caller: Caller, services: ServicesDep, after: After = "", limit: Limit = 100
) -> Response:
    """The rooms that the caller may enter, by name."""
    services.access.check(caller, Permission.LIST_ROOMS)
    return json_response(render_room_page(await services.directory.rooms(caller, after, limit), limit))


@router.post(
    "",
    status_code=201,
    response_model=EnteredRoom,
    responses=refused(Forbidden, *STORING, NameTaken, InvalidName, TooManyRequests),
)
async def create_room(body: RoomBody, caller: Caller, services: ServicesDep) -> Response:
    """Create a room; 409 if the name is taken."""
    services.access.check(caller, Permission.CREATE_ROOM)
    name = room_name(body.name)
    services.throttles.rooms.check(caller.user)
    room = await services.rooms.create(caller, name, title=body.title, private=body.private)
    services.throttles.rooms.note(caller.user)
    return json_response(render_entered_room(room, caller), 201)


@router.get("/{room}", response_model=EnteredRoom, responses=refused(RoomNotFound))
async def read_room(room: RoomName, caller: Caller, services: ServicesDep) -> Response:
    """The room's title and owner, and what the caller is to it."""
    found = await services.access.room(caller, room, Permission.SEE_ROOM)
    return json_response(render_entered_room(found, caller))


@router.patch("/{room}", response_model=EnteredRoom, responses=refused(Forbidden, RoomNotFound))
async def change_room(room: RoomName, body: RoomChange, caller: Caller, services: ServicesDep) -> Response:
    """Change the title, the privacy, or whose workers may offer extensions without consent."""
    found = await services.access.room(caller, room, Permission.MANAGE_ROOM)
    changed = await services.rooms.change(
        caller, found, title=body.title, private=body.private, workers=body.workers
    )
    await services.audit.write(caller, AuditAction.ROOM_CHANGED, room, body.summary())
    return json_response(render_entered_room(changed, caller))


@router.delete("/{room}", response_model=Nothing, responses=refused(Forbidden, RoomNotFound, TooManyRequests))
async def delete_room(room: RoomName, caller: Caller, services: ServicesDep) -> Response:
    """Delete the room for good: unfinished jobs are cancelled, ended ones stay on record."""
    services.throttles.rooms.check(caller.user)
    await services.rooms.delete(caller, await services.access.room(caller, room, Permission.MANAGE_ROOM))
    await services.audit.write(caller, AuditAction.ROOM_DELETED, room)
    services.throttles.rooms.note(caller.user)
    return json_response({})


@router.get("/{room}/presence", response_model=People, responses=refused(RoomNotFound))
async def list_present(room: RoomName, caller: Caller, services: ServicesDep) -> Response:
    """Who has the room open now, on any server; who came first is first."""
    await services.access.room(caller, room, Permission.SEE_ROOM)
    return json_response(render_present(services.presence.of_room(room)))


@router.get("/{room}/members", response_model=Members, responses=refused(RoomNotFound))
async def list_members(room: RoomName, caller: Caller, services: ServicesDep) -> Response:
    """The room's owner and members."""
    found = await services.access.room(caller, room, Permission.SEE_ROOM)
    return json_response(render_members(found))


@router.post(
    "/{room}/members",
    status_code=201,
    response_model=EnteredRoom,
    responses=refused(Forbidden, *STORING, RoomNotFound, AccountNotFound, TooManyRequests),
)
async def add_member(
    room: RoomName, body: MemberBody, caller: Caller, request: Request, services: ServicesDep
) -> Response:
    """With `code`, the caller joins; with `user`, the owner adds that user or changes their role."""
    if body.code is not None:
        if body.role is not None:
            raise InvalidRequest("an invite already has a role: leave out the role")
        services.access.check(caller, Permission.LIST_ROOMS)
        invites = services.throttles.invites
        with count_guess((invites, client_network(request)), (invites, f"account {caller.user}")):
            joined = await services.rooms.join(caller, room, body.code)
            return json_response(render_entered_room(joined, caller), 201)
    if body.user is None:
        raise InvalidRequest("give a code, or the user to add")
    found = await services.access.room(caller, room, Permission.MANAGE_ROOM)
    user = await _user(body.user, services)
    changed = await services.rooms.add_member(caller, found, user, body.role or MemberRole.MEMBER)
    await services.audit.write(caller, AuditAction.MEMBER_ADDED, room, user)
    return json_response(render_entered_room(changed, caller), 201)


async def _user(typed: str, services: Services) -> str:
    """An id, or a display name."""
    account = await services.accounts.find(typed)
    if account is None:
        raise AccountNotFound(f"there is nobody called '{typed}'", name=typed)
    return account.name


@router.delete("/{room}/members/{user}", response_model=Room, responses=refused(Forbidden, RoomNotFound))
async def remove_member(room: RoomName, user: str, caller: Caller, services: ServicesDep) -> Response:
    """Remove a member: as the room's owner, or yourself."""
    name = user_name(user)
    permission = Permission.LEAVE_ROOM if name == caller.user else Permission.MANAGE_ROOM
    found = await services.access.room(caller, room, permission)
    changed = await services.rooms.remove_member(caller, found, name)
    await services.audit.write(caller, AuditAction.MEMBER_REMOVED, room, name)
    return json_response(render_room(changed))


@router.post(
    "/{room}/invite",
    status_code=201,
    response_model=IssuedCode,
    responses=refused(Forbidden, *STORING, RoomNotFound),
)
async def create_invite(room: RoomName, body: InviteBody, caller: Caller, services: ServicesDep) -> Response:
    """Create a code that makes its holders members, or viewers who may only read."""
    found = await services.access.room(caller, room, Permission.MANAGE_ROOM)
    longest = services.settings.max_invite_days * 86_400
    seconds = min(WEEK, longest) if body.seconds is None else body.seconds
    if seconds > longest:
        raise InvalidRequest(
            f"an invite is valid for {services.settings.max_invite_days:g} days at most",
            max_seconds=int(longest),
        )
    issued = await services.rooms.invite(caller, found, seconds=seconds, uses=body.uses, role=body.role)
    return json_response(render_issued_code(issued), 201)


@router.delete("/{room}/invite", response_model=Nothing, responses=refused(Forbidden, RoomNotFound))
async def withdraw_invites(room: RoomName, caller: Caller, services: ServicesDep) -> Response:
    """Revoke all invites of this room."""
    await services.rooms.withdraw_invites(await services.access.room(caller, room, Permission.MANAGE_ROOM))
    return json_response({})


@router.post(
    "/{room}/pair",
    status_code=201,
    response_model=IssuedCode,
    responses=refused(*STORING, RoomNotFound),
)
async def create_pairing_code(
    room: RoomName, body: PairBody, caller: Caller, services: ServicesDep
) -> Response:
    """Create a short code that makes one machine a worker of this room: `workroom join CODE script.py`."""
    found = await services.access.room(caller, room, Permission.PAIR_WORKER)
    return json_response(
        render_issued_code(await services.rooms.pair(caller, found, seconds=body.seconds)), 201
    )


@router.get("/{room}/workers", response_model=Workers, responses=refused(RoomNotFound))
async def list_room_workers(room: RoomName, caller: Caller, services: ServicesDep) -> Response:
    """The workers that serve this room, and those that did until they went offline lately."""
    await services.access.room(caller, room, Permission.SEE_ROOM)
    workers = await services.directory.workers(room)
    return json_response(render_workers(workers, lambda key: key.room in (None, room)))


@router.get("/{room}/chat", response_model=ChatPage, responses=refused(RoomNotFound))
async def read_chat(
    room: RoomName, caller: Caller, services: ServicesDep, cursor: Cursor = None, limit: Limit = 50
) -> Response:
    """Newest first: messages of people, and one line for each job that failed."""
    await services.access.room(caller, room, Permission.SEE_ROOM)
    return json_response(render_chat_page(await services.chat.page(room, cursor, limit)))


@router.post(
    "/{room}/chat",
    status_code=201,
    response_model=ChatMessage,
    responses=refused(StorageFull, RoomNotFound, TooManyRequests),
)
async def post_chat(room: RoomName, body: ChatBody, caller: Caller, services: ServicesDep) -> Response:
    """Post a message to everybody in the room."""
    await services.access.room(caller, room, Permission.POST_CHAT)
    services.throttles.chats.take(caller.user)
    services.quotas.check_disk()
    return json_response(render_chat_message(await services.chat.post(caller, room, body.text)), 201)
