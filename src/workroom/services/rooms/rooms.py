"""Rooms: created, changed and deleted, with their members, invites and pairing codes."""

from __future__ import annotations

from collections.abc import Callable, Sequence
from dataclasses import dataclass, replace

from workroom.domain.identity import ADMIN, SERVER, Code, CodeKind, MemberRole, Principal, Role
from workroom.domain.job import JobState
from workroom.domain.queries import FindAccount, FindJobs, FindRoom, FindWorkers
from workroom.domain.quotas import Charge, Kind, in_room
from workroom.domain.room import Room, WorkersFrom, is_own_room, own_room, room_name
from workroom.errors import AccountNotFound, Forbidden, InvalidRequest, NameTaken, RoomNotFound
from workroom.ports import Clock, Directory
from workroom.services.identity import codes
from workroom.services.jobs.catalog import Catalog
from workroom.services.limits.quotas import QuotaKeeper
from workroom.services.rooms.room_steps import RoomSteps
from workroom.services.steps import Steps
from workroom.services.workers.consent import Consent

_INVITE_LETTERS = 12
_SECOND_US = 1_000_000
_KNOWN = 10_000
_BATCH = 500
_UNFINISHED = (JobState.PENDING, JobState.ASSIGNED, JobState.RUNNING)


@dataclass(frozen=True, slots=True)
class Issued:
    """A code, and when it expires."""

    code: str
    expires_us: int


class Rooms:
    """`on_change` is called with every changed room: it ends the subscriptions of users who lost access."""

    def __init__(
        self,
        store: Directory,
        room_steps: RoomSteps,
        clock: Clock,
        steps: Steps,
        catalog: Catalog,
        consent: Consent,
        on_change: Callable[[Room], None],
        quotas: QuotaKeeper,
    ) -> None:
        self._quotas = quotas
        self._store = store
        self._room_steps = room_steps
        self._clock = clock
        self._steps = steps
        self._catalog = catalog
        self._consent = consent
        self._on_change = on_change
        self._known: dict[str, Room] = {}
        self._changes = 0

    async def read(self, name: str) -> Room | None:
        """The room, also if it was deleted; from the cache if it was read before."""
        known = self._known.get(name)
        if known is not None:
            return known
        changes = self._changes
        room = await self._store.read(FindRoom(name))
        if room is not None and changes == self._changes:  # else it may be older than the change
            if len(self._known) >= _KNOWN:
                self._known.clear()
            self._known[name] = room
        return room

    async def find(self, name: str) -> Room:
        room = await self.read(name)
        if room is None or room.deleted:
            raise RoomNotFound(f"there is no room '{name}'", room=name)
        return room

    async def create(self, who: Principal, name: str, *, title: str = "", private: bool = False) -> Room:
        """A new room, which must not exist yet."""
        if is_own_room(name):
            raise NameTaken("such names are reserved for users' own rooms: choose another name", room=name)
        if await self.read(name) is not None:
            raise _taken(name)
        async with self._quotas.reserving(who, Charge(Kind.ROOMS)):
            if not await self._store.create_room(Room(name, who.user, title, private)):
                raise _taken(name)
        return await self.find(name)

    async def provide(self, names: Sequence[str]) -> None:
        """Create the rooms of the settings, unless they exist."""
        for name in names:
            await self._store.create_room(Room(room_name(name), ADMIN))

    async def own(self, who: Principal) -> Room:
        """The caller's own private room, created on first use."""
        name = own_room(who.user)
        if await self.read(name) is None:
            await self._store.create_room(Room(name, who.user, private=True))
        return await self.find(name)

    async def change(
        self,
        who: Principal,
        room: Room,
        *,
        title: str | None,
        private: bool | None,
        workers: WorkersFrom | None = None,
    ) -> Room:
        await self._room_steps.change(room.name, title=title, private=private, workers=workers)
        changed = await self._changed(room.name)
        if workers is WorkersFrom.ANYONE:
            await self._consent.accept_all(who.user, room.name)
        if changed.private and not room.private:
            await self._dismiss_strangers(changed)
        return changed

    async def delete(self, who: Principal, room: Room) -> None:
        """Hide the room at once and for good. Unfinished jobs are cancelled; ended ones stay on record."""
        if is_own_room(room.name):
            raise InvalidRequest("this is the own room of a user, where their tasks go: it cannot be deleted")
        await self._room_steps.delete(room.name)
        self._forget(room.name)
        self._catalog.forget_room(room.name)
        try:
            await self._cancel_all(who, room.name)
        finally:
            self._on_change(replace(room, deleted=True))

    async def _cancel_all(self, who: Principal, room: str) -> None:
        for status in _UNFINISHED:
            query = FindJobs(room, status=status, limit=_BATCH, brief=True)
            while jobs := (await self._store.read(query)).items:
                ids = [job.id for job in jobs]
                await self._steps.cancel(ids, who.user, "the room was deleted")

    async def invite(
        self,
        who: Principal,
        room: Room,
        *,
        seconds: float,
        uses: int,
        role: MemberRole = MemberRole.MEMBER,
    ) -> Issued:
        """A code that makes its holder a member or a viewer."""
        _refuse_viewers_if_open(room, role)
        async with self._quotas.reserving(who, in_room(Kind.INVITES, room.name)):
            return await self._issue(CodeKind.INVITE, who.user, role, room, _INVITE_LETTERS, seconds, uses)

    async def withdraw_invites(self, room: Room) -> None:
        await self._store.drop_codes(CodeKind.INVITE, room.name)

    async def pair(self, who: Principal, room: Room, *, seconds: float) -> Issued:
        """A code that makes one machine a worker of this room, as long as its creator is admitted.

        An admin who is not in the room creates it in the owner's name.
        """
        user = who.user if room.admits_as_member(who.user) else room.owner
        async with self._quotas.reserving(who, in_room(Kind.PAIRINGS, room.name)):
            return await self._issue(CodeKind.PAIR, user, Role.WORKER, room, 8, seconds, 1)

    async def join(self, who: Principal, room: str, code: str) -> Room:
        """Become a member or a viewer with an invite. Members use nothing up, and a viewer can become one."""
        known = await self.read(room)
        if known is not None and not known.deleted and _is_full_member(known, who.user):
            return known
        digest = codes.digest(code, room, is_typed=True)
        taken = await self._store.take_code(CodeKind.INVITE, digest, who.user)
        if taken is None:
            raise Forbidden("this invite is not valid, was used up or has expired")
        await self._admit(who, room, who.user, MemberRole(taken.role))
        return await self._changed(room)

    async def add_member(
        self, who: Principal, room: Room, user: str, role: MemberRole = MemberRole.MEMBER
    ) -> Room:
        """Add a member, or change the role of one. The workers of a viewer are dismissed."""
        _refuse_viewers_if_open(room, role)
        if await self._store.read(FindAccount(user)) is None:
            raise AccountNotFound(f"there is no user '{user}'", name=user)
        await self._admit(who, room.name, user, role)
        changed = await self._changed(room.name)
        if role is MemberRole.VIEWER:
            await self._dismiss_strangers(changed)
        return changed

    async def _admit(self, who: Principal, name: str, user: str, role: MemberRole) -> None:
        room = await self.find(name)
        more = 0 if user in room.members else 1
        async with self._quotas.reserving(who, in_room(Kind.MEMBERS, name, more)):
            await self._room_steps.add_member(name, user, role)

    async def remove_member(self, who: Principal, room: Room, user: str) -> Room:
        """Remove a member and their workers. One who leaves by themselves may use the same invite again."""
        if user == room.owner:
            raise InvalidRequest("the owner of a room cannot leave it")
        await self._room_steps.remove_member(room.name, user, banned=who.user != user)
        changed = await self._changed(room.name)
        await self._dismiss_strangers(changed)
        return changed

    async def _dismiss_strangers(self, room: Room) -> None:
        """Dismiss workers of users whom the room no longer admits as members."""
        for worker in await self._store.read(FindWorkers(room.name)):
            user = worker.spec.user
            is_serving = any(key.room == room.name for key in worker.keys)
            if is_serving and not room.admits_as_member(user) and not await self._is_admin(user):
                reason = f"{user} is not a member of the room {room.name} any more"
                await self._consent.dismiss(SERVER, worker, {room.name}, reason, bans=False)

    async def _is_admin(self, user: str) -> bool:
        account = await self._store.read(FindAccount(user))
        return account is not None and account.role is Role.ADMIN

    async def _issue(
        self,
        kind: CodeKind,
        user: str,
        role: Role | MemberRole,
        room: Room,
        letters: int,
        seconds: float,
        uses: int,
    ) -> Issued:
        code = codes.short_code(letters)
        expires_us = self._clock.now_us() + int(seconds * _SECOND_US)
        bound_to = room.name if kind is CodeKind.INVITE else ""  # a try in another room uses nothing up
        digest = codes.digest(code, bound_to, is_typed=True)
        await self._store.put_code(Code(digest, kind, user, role, room.name, expires_us, uses))
        return Issued(code, expires_us)

    def clear(self) -> None:
        """Drop the cache: it may be outdated."""
        self._changes += 1
        self._known.clear()

    async def changed_elsewhere(self, name: str) -> None:
        """Another server has changed the room: end the subscriptions of users who lost access here too."""
        self._forget(name)
        room = await self.read(name)
        self._catalog.forget_room(name)
        self._on_change(room or Room(name, "", deleted=True))

    def _forget(self, name: str) -> None:
        self._changes += 1
        self._known.pop(name, None)

    async def _changed(self, name: str) -> Room:
        self._forget(name)
        room = await self.find(name)
        self._on_change(room)
        return room


def _is_full_member(room: Room, user: str) -> bool:
    return user == room.owner or user in room.members - room.viewers


def _refuse_viewers_if_open(room: Room, role: MemberRole) -> None:
    if role is MemberRole.VIEWER and not room.private:
        raise InvalidRequest("everybody may work in an open room: make it private to have viewers")


def _taken(name: str) -> NameTaken:
    return NameTaken(f"there is a room '{name}' already: choose another name", room=name)
