"""Consent to workers: they are accepted beside those of others, refused, or dismissed."""

from __future__ import annotations

from collections.abc import Collection, Sequence

from workroom.domain.extension import ExtensionKey
from workroom.domain.identity import Account, Principal, Role
from workroom.domain.queries import FindAccount, FindWorkers
from workroom.domain.room import Room, WorkersFrom
from workroom.domain.worker import Worker
from workroom.ports import ReadableStore
from workroom.services.workers.worker_steps import WorkerSteps

_MAY_OFFER_PUBLIC = frozenset({Role.ADMIN, Role.WORKER, Role.RUNNER})


class Consent:
    def __init__(self, store: ReadableStore, steps: WorkerSteps) -> None:
        self._store = store
        self._steps = steps

    async def trusts(self, who: Principal, room: Room | None) -> bool:
        """Whether the workers of this principal need no consent in the room.

        Admins and the room's owner need none, nor does a worker that a member or an admin paired. In an open
        room anyone can make a pairing code, so the code of a stranger proves nothing.
        """
        if who.is_admin or who.is_runner:
            return True
        if room is None:
            return False
        if room.workers is WorkersFrom.ANYONE or who.user == room.owner:
            return True
        is_paired = who.role is Role.WORKER and who.room == room.name
        return is_paired and (who.user in room.members or await self._is_admin(who.user))

    async def accept(self, by: str, worker: str, keys: Sequence[ExtensionKey]) -> None:
        """Let the worker offer these extensions; their jobs are dispatched to it at once."""
        await self._steps.accept(worker, keys, by)

    async def accept_all(self, by: str, room: str) -> None:
        """Accept every worker that awaits consent in the room."""
        for worker in await self._store.read(FindWorkers(room)):
            keys = [request.key for request in worker.awaiting if request.key.room == room]
            if keys:
                await self.accept(by, worker.spec.id, keys)

    async def refuse(self, by: str, worker: str, keys: Sequence[ExtensionKey], reason: str) -> None:
        await self._steps.refuse(worker, keys, by, reason)

    async def dismiss(
        self,
        by: str,
        worker: Worker,
        rooms: Collection[str | None] | None,
        reason: str,
        *,
        bans: bool | None = None,
    ) -> None:
        """Unless the worker's own user dismisses it, that user needs consent to come back."""
        is_banned = by != worker.spec.user if bans is None else bans
        await self._steps.dismiss(worker.spec.id, rooms, by, reason, bans=is_banned)

    async def account_changed(self, by: str, account: Account) -> None:
        """Dismiss the workers of a disabled account, and the public ones of an account without that right."""
        if account.disabled:
            await self._dismiss_of(by, account.name, None, f"the account {account.name} was disabled")
        elif account.role not in _MAY_OFFER_PUBLIC:
            reason = f"{account.name} is {account.role} now and may not offer to all rooms"
            await self._dismiss_of(by, account.name, frozenset({None}), reason)

    async def tokens_revoked(self, by: str, user: str) -> None:
        """Dismiss the workers of a machine account: unlike a person, it cannot log in again."""
        account = await self._store.read(FindAccount(user))
        if account is not None and account.role in (Role.WORKER, Role.RUNNER):
            await self._dismiss_of(by, user, None, f"the tokens of {user} were revoked")

    async def _dismiss_of(self, by: str, user: str, rooms: frozenset[str | None] | None, reason: str) -> None:
        for worker in await self._store.read(FindWorkers()):
            is_affected = rooms is None or any(key.room in rooms for key in worker.keys)
            if worker.spec.user == user and is_affected:
                await self.dismiss(by, worker, rooms, reason, bans=False)

    async def _is_admin(self, user: str) -> bool:
        account = await self._store.read(FindAccount(user))
        return account is not None and account.role is Role.ADMIN
