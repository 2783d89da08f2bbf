"""People and machines log in, and are shut out."""

from __future__ import annotations

import asyncio
import secrets
from collections.abc import Callable
from dataclasses import dataclass

from argon2 import PasswordHasher
from argon2.exceptions import Argon2Error, InvalidHashError

from workroom.domain.identity import ADMIN, Account, Code, CodeKind, Principal, Role, user_name
from workroom.domain.job import Fence
from workroom.domain.job_tokens import fence_in
from workroom.domain.queries import FindAccount, FindRunning, FindVoid
from workroom.errors import AccountNotFound, Forbidden, InvalidRequest, NameTaken, Unauthenticated
from workroom.ports import Clock, Store
from workroom.services import codes
from workroom.services.tokens import Tokens, for_job

_WRONG = "the name or the password is wrong"
_VARIANTS = 20
_HASHES_AT_ONCE = 2
_MIN_PASSWORD = 8
_SECOND_US = 1_000_000
_TICKET_US = 60_000_000
_LINK_SECONDS = 86_400


@dataclass(frozen=True, slots=True)
class Granted:
    who: Principal
    token: str


class Accounts:
    """`cut` is told whenever tokens stopped counting: it closes what they had opened."""

    def __init__(
        self, store: Store, tokens: Tokens, clock: Clock, cut: Callable[[], None], *, guests: bool
    ) -> None:
        self._store = store
        self._tokens = tokens
        self._clock = clock
        self._cut = cut
        self._guests = guests
        self._hasher = PasswordHasher()
        self._hashing = asyncio.Semaphore(_HASHES_AT_ONCE)
        self._nobody = ""

    async def open(self, admin_password: str | None, admin_code: str | None) -> None:
        """Read what counts no more; let the admin in."""
        self._tokens.void(await self._store.read(FindVoid()))
        self._nobody = await self._hash(secrets.token_hex())
        await self._store.drop_codes(CodeKind.ADMIN, None)
        await self._store.add_account(Account(ADMIN, Role.ADMIN))  # before a guest takes the name
        if admin_password is not None:
            await self._set_admin_password(admin_password)
        if admin_code is not None:  # last, because another password voids the codes there were
            await self._put_code(CodeKind.ADMIN, admin_code, ADMIN, Role.ADMIN, None, _LINK_SECONDS)

    async def read(self, token: object) -> Principal:
        """Who a token stands for; a job's token stands for its attempt, as long as that runs."""
        fence = fence_in(token)
        if fence is None:
            return self._tokens.read(token)
        running = await self._store.read(FindRunning(fence))
        if running is None:
            raise Unauthenticated("this job's token counts no more: its attempt does not run")
        return for_job(fence, running.user, running.room)

    async def is_running(self, fence: Fence) -> bool:
        return await self._store.read(FindRunning(fence)) is not None

    async def log_in_guest(self, wanted: str) -> Granted:
        """The name, or one like it if somebody has it: nobody becomes somebody else by asking."""
        if not self._guests:
            raise Forbidden("guests are switched off here: log in with a password or a code")
        base = user_name(wanted)
        for name in _variants(base):
            guest = Account(name, Role.GUEST)
            if await self._store.read(FindAccount(name)) is None and await self._store.add_account(guest):
                return self._grant(guest)
        raise NameTaken(f"'{base}' and names like it are taken: choose another")

    async def log_in(self, name: str, password: str) -> Granted:
        account = await self._store.read(FindAccount(user_name(name)))
        kept = account.password_hash if account is not None else None
        is_right = await self._verify(kept or self._nobody, password)
        if account is None or kept is None or not is_right or account.disabled:
            raise Unauthenticated(_WRONG)
        return self._grant(account)

    async def log_in_with_code(self, code: str) -> Granted:
        """The admin's link, or a pairing code: each lets one in, once."""
        for kind, digest in (
            (CodeKind.ADMIN, codes.digest(code)),
            (CodeKind.PAIR, codes.digest(code, is_typed=True)),
        ):
            taken = await self._store.take_code(kind, digest)
            if taken is not None:
                return await self._grant_code(taken)
        raise Unauthenticated("this code is not valid, or was used, or has run out: ask for a new one")

    def renew(self, who: Principal) -> Granted:
        _refuse_job(who)
        return Granted(who, self._tokens.issue(who))

    def ticket(self, who: Principal) -> str:
        _refuse_job(who)
        return self._tokens.issue_ticket(who)

    async def read_ticket(self, ticket: str) -> Principal:
        ticket_id, who = self._tokens.read_ticket(ticket)
        if not await self._store.revoke(ticket_id, self._clock.now_us() + _TICKET_US):
            raise Unauthenticated("this ticket was used: ask for a new one")
        return who

    async def revoke_token(self, who: Principal) -> None:
        """Log out: this one token counts no more."""
        _refuse_job(who)
        await self._store.revoke(who.token_id, int(who.expires * _SECOND_US))
        await self._voided()

    async def revoke_all(self, name: str) -> None:
        """Every token of an account counts no more; it may log in again."""
        await self._change(name)

    async def add(self, name: str, role: Role, password: str | None) -> Account:
        hashed = None if password is None else await self._hash(_strong(password))
        account = Account(user_name(name), role, hashed)
        if not await self._store.add_account(account):
            raise NameTaken(f"there is an account '{account.name}' already", name=account.name)
        return account

    async def set_password(self, name: str, password: str) -> Account:
        return await self._change(name, password_hash=await self._hash(_strong(password)))

    async def set_role(self, name: str, role: Role) -> Account:
        return await self._change(name, role=role)

    async def set_disabled(self, name: str, *, disabled: bool) -> Account:
        return await self._change(name, disabled=disabled)

    async def machine_token(self, name: str, role: Role, days: float | None) -> Granted:
        """A token for a machine, with an account of its own that can be shut."""
        account = await self._store.read(FindAccount(user_name(name)))
        if account is None:
            account = await self.add(name, role, None)
        if account.role is not role or account.disabled:
            raise NameTaken(f"'{account.name}' is there with the role {account.role}", name=account.name)
        return self._grant(account, days)

    async def _change(
        self,
        name: str,
        *,
        role: Role | None = None,
        password_hash: str | None = None,
        disabled: bool | None = None,
    ) -> Account:
        changed = await self._store.change_account(
            user_name(name), role=role, password_hash=password_hash, disabled=disabled
        )
        if changed is None:
            raise AccountNotFound(f"there is no account '{name}'", name=name)
        await self._voided()
        return changed

    async def _voided(self) -> None:
        self._tokens.void(await self._store.read(FindVoid()))
        self._cut()

    def _grant(self, account: Account, days: float | None = None) -> Granted:
        who = Principal(account.name, account.role, epoch=account.epoch)
        return Granted(who, self._tokens.issue(who, days))

    async def _grant_code(self, code: Code) -> Granted:
        account = await self._store.read(FindAccount(code.user))
        if account is None:
            account = Account(code.user, code.role)
            await self._store.add_account(account)
        who = Principal(account.name, code.role, epoch=account.epoch, room=code.room)
        return Granted(who, self._tokens.issue(who))

    async def _put_code(
        self, kind: CodeKind, code: str, user: str, role: Role, room: str | None, seconds: float
    ) -> None:
        expires_us = self._clock.now_us() + int(seconds * _SECOND_US)
        await self._store.put_code(Code(codes.digest(code), kind, user, role, room, expires_us))

    async def _set_admin_password(self, password: str) -> None:
        account = await self._store.read(FindAccount(ADMIN))
        kept = None if account is None else account.password_hash
        if kept is None or not await self._verify(kept, password):
            await self._change(ADMIN, role=Role.ADMIN, password_hash=await self._hash(password))

    async def _hash(self, password: str) -> str:
        async with self._hashing:
            return await asyncio.to_thread(self._hasher.hash, password)

    async def _verify(self, hashed: str, password: str) -> bool:
        async with self._hashing:
            try:
                return await asyncio.to_thread(self._hasher.verify, hashed, password)
            except (Argon2Error, InvalidHashError):
                return False


def _variants(name: str) -> list[str]:
    return [
        name,
        *(f"{name[:60]}-{number}" for number in range(2, _VARIANTS)),
        f"{name[:50]}-{secrets.token_hex(4)}",
    ]


def _refuse_job(who: Principal) -> None:
    if who.role is Role.JOB:
        raise Forbidden("a job's token ends with its attempt: it is not renewed, lent or revoked")


def _strong(password: str) -> str:
    if len(password) < _MIN_PASSWORD:
        raise InvalidRequest(f"a password has at least {_MIN_PASSWORD} characters")
    return password
