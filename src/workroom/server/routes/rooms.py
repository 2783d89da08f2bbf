"""Rooms, and what each of them sees."""

from __future__ import annotations

from fastapi import APIRouter, Response

from workroom.domain.queries import FindRooms, FindWorkers
from workroom.domain.room import room_name
from workroom.server import documents
from workroom.server.context import Inside, Room, Who, answer
from workroom.server.json_route import JsonRoute
from workroom.server.wire import RoomBody

router = APIRouter(prefix="/api/rooms", tags=["rooms"], route_class=JsonRoute)


@router.get("")
async def list_rooms(who: Who, inside: Inside) -> Response:
    rooms = await inside.store.read(FindRooms())
    return answer({"items": [documents.room(room) for room in rooms]})


@router.post("", status_code=201)
async def create_room(body: RoomBody, who: Who, inside: Inside) -> Response:
    return answer(documents.room(await inside.rooms.ensure(who, room_name(body.name))), 201)


@router.get("/{room}")
async def read_room(room: Room, who: Who, inside: Inside) -> Response:
    return answer(documents.room(await inside.rooms.find(room)))


@router.get("/{room}/workers")
async def list_room_workers(room: Room, who: Who, inside: Inside) -> Response:
    """Workers that serve this room."""
    workers = await inside.store.read(FindWorkers(room))
    return answer({"items": [documents.worker(worker) for worker in workers]})
