"""Rooms come to be when somebody needs them; their owners open, close and delete them."""

from __future__ import annotations

from collections.abc import Callable
from dataclasses import dataclass, replace

from workroom.domain.events import RoomChanged
from workroom.domain.identity import Code, CodeKind, Principal, Role
from workroom.domain.job import JobState
from workroom.domain.queries import FindAccount, FindJobs, FindRoom, FindWorkers
from workroom.domain.room import Room
from workroom.errors import AccountNotFound, Forbidden, InvalidRequest, NameTaken, RoomNotFound
from workroom.ports import Clock, EventBus, Store
from workroom.services import codes
from workroom.services.catalog import Catalog
from workroom.services.membership import Membership
from workroom.services.outflow import Outflow

_INVITE_LETTERS = 12
_SECOND_US = 1_000_000
_KNOWN = 10_000
_BATCH = 500
_UNFINISHED = (JobState.PENDING, JobState.ASSIGNED, JobState.RUNNING)


@dataclass(frozen=True, slots=True)
class Issued:
    """A code, and until when it is good."""

    code: str
    expires_us: int


class Rooms:
    """`cut` is told whenever a room admits fewer: it closes the connections of who is out."""

    def __init__(
        self,
        store: Store,
        bus: EventBus,
        clock: Clock,
        outflow: Outflow,
        catalog: Catalog,
        membership: Membership,
        cut: Callable[[Room], None],
    ) -> None:
        self._store = store
        self._bus = bus
        self._clock = clock
        self._outflow = outflow
        self._catalog = catalog
        self._membership = membership
        self._cut = cut
        self._known: dict[str, Room] = {}
        self._changes = 0

    async def look(self, name: str) -> Room | None:
        """The room, from memory if it was asked for before; one that was deleted says so."""
        changes = self._changes
        room = self._known.get(name) or await self._store.read(FindRoom(name))
        if room is not None and changes == self._changes:  # else it may have been read before the change
            if len(self._known) >= _KNOWN:
                self._known.clear()
            self._known[name] = room
        return room

    async def find(self, name: str) -> Room:
        room = await self.look(name)
        if room is None or room.deleted:
            raise RoomNotFound(f"there is no room '{name}'", room=name)
        return room

    async def create(self, who: Principal, name: str, *, title: str = "", private: bool = False) -> Room:
        """A new room of somebody's; one that is there already is theirs to open only by finding it."""
        if not await self._store.create_room(Room(name, who.user, title, private)):
            raise NameTaken(f"there is a room '{name}' already: choose another name", room=name)
        return await self.find(name)

    async def ensure(self, room: Room) -> Room:
        """The room, made if it is not there."""
        await self._store.create_room(room)
        return await self.find(room.name)

    async def change(self, room: Room, *, title: str | None, private: bool | None) -> Room:
        await self._store.change_room(room.name, title=title, private=private)
        changed = await self._changed(room.name)
        if changed.private and not room.private:
            await self._dismiss_strangers(changed)
        return changed

    async def delete(self, who: Principal, room: Room) -> None:
        """Hidden at once, for good; what was not finished is cancelled, what was stays on record."""
        await self._store.delete_room(room.name)
        self._forget(room.name)
        self._catalog.forget_room(room.name)
        self._bus.publish([RoomChanged(room.name, is_deleted=True)])
        for status in _UNFINISHED:
            while jobs := (await self._store.read(FindJobs(room.name, status=status, limit=_BATCH))).items:
                ids = [job.id for job in jobs]
                self._outflow.follow(await self._store.cancel(ids, who.user, "the room was deleted"))
        self._cut(replace(room, deleted=True))

    async def invite(self, who: Principal, room: Room, *, seconds: float, uses: int) -> Issued:
        """A code that makes its holder a member."""
        return await self._issue(CodeKind.INVITE, who.user, Role.USER, room, _INVITE_LETTERS, seconds, uses)

    async def withdraw_invites(self, room: Room) -> None:
        await self._store.drop_codes(CodeKind.INVITE, room.name)

    async def pair(self, who: Principal, room: Room, *, seconds: float) -> Issued:
        """A code that makes one machine a worker of this room, for as long as the room admits who made it.

        An admin who is not in the room makes it in the owner's name.
        """
        user = who.user if room.admits(who.user) else room.owner
        return await self._issue(CodeKind.PAIR, user, Role.WORKER, room, 8, seconds, 1)

    async def join(self, who: Principal, room: str, code: str) -> Room:
        """Become a member by an invite."""
        taken = await self._store.take_code(CodeKind.INVITE, codes.digest(code, room, is_typed=True))
        if taken is None:
            raise Forbidden("this invite is not valid, or was used up, or has run out")
        await self._store.add_member(room, who.user)
        return await self._changed(room)

    async def add_member(self, room: Room, user: str) -> Room:
        if await self._store.read(FindAccount(user)) is None:
            raise AccountNotFound(f"there is nobody called '{user}'", name=user)
        await self._store.add_member(room.name, user)
        return await self._changed(room.name)

    async def remove_member(self, room: Room, user: str) -> Room:
        """Out, and so are their workers."""
        if user == room.owner:
            raise InvalidRequest("the owner of a room cannot leave it")
        await self._store.remove_member(room.name, user)
        changed = await self._changed(room.name)
        await self._dismiss_strangers(changed)
        return changed

    async def _dismiss_strangers(self, room: Room) -> None:
        """Send away the workers that serve the room for somebody whom it does not admit."""
        for worker in await self._store.read(FindWorkers(room.name)):
            user = worker.spec.user
            is_serving = any(key.room == room.name for key in worker.extensions)
            if is_serving and not room.admits(user) and not await self._is_admin(user):
                await self._membership.leave(worker.spec.id, f"{user} is not in the room any more")

    async def _is_admin(self, user: str) -> bool:
        account = await self._store.read(FindAccount(user))
        return account is not None and account.role is Role.ADMIN

    async def _issue(
        self, kind: CodeKind, user: str, role: Role, room: Room, letters: int, seconds: float, uses: int
    ) -> Issued:
        code = codes.short_code(letters)
        expires_us = self._clock.now_us() + int(seconds * _SECOND_US)
        bound_to = room.name if kind is CodeKind.INVITE else ""  # one tried on another room loses no use
        digest = codes.digest(code, bound_to, is_typed=True)
        await self._store.put_code(Code(digest, kind, user, role, room.name, expires_us, uses))
        return Issued(code, expires_us)

    def clear(self) -> None:
        """What is remembered may be old."""
        self._changes += 1
        self._known.clear()

    async def changed_elsewhere(self, name: str) -> None:
        """Another server has changed the room: who is not admitted any more is cut off here too."""
        self._forget(name)
        room = await self.look(name)
        if room is not None:
            self._catalog.forget_room(name)
            self._cut(room)

    def _forget(self, name: str) -> None:
        self._changes += 1
        self._known.pop(name, None)

    async def _changed(self, name: str) -> Room:
        self._forget(name)
        room = await self.find(name)
        self._bus.publish([RoomChanged(name)])
        self._cut(room)
        return room
