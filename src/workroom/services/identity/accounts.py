"""Accounts of people and machines: logging in, changing and revoking."""

from __future__ import annotations

import unicodedata
from collections.abc import Callable
from dataclasses import dataclass, replace

from workroom.domain.identity import ADMIN, Account, Code, CodeKind, Principal, Role
from workroom.domain.job import Fence
from workroom.domain.jobs.job_ids import fence_in
from workroom.domain.names import is_id, user_name
from workroom.domain.queries import FindAccount, FindLookalike, FindRevokedTokens, FindRunning
from workroom.errors import AccountNotFound, Forbidden, NameTaken, Unauthenticated
from workroom.ports import Clock, Directory
from workroom.services.identity import codes, guest_secrets, names
from workroom.services.identity.passwords import Passwords, strong
from workroom.services.identity.tokens import STREAM, Tokens, for_job

_WRONG = "the name or the password is wrong"
_SECOND_US = 1_000_000
_TICKET_US = 600_000_000  # longer than one is valid by any of the servers' clocks
_LINK_SECONDS = 86_400
VIEW_DAYS = 1 / 24


@dataclass(frozen=True, slots=True)
class Granted:
    who: Principal
    token: str
    display_name: str


class Accounts:
    """`close_revoked` is called whenever tokens are revoked: it closes the connections they opened."""

    def __init__(
        self,
        store: Directory,
        tokens: Tokens,
        clock: Clock,
        close_revoked: Callable[[], None],
        passwords: Passwords,
        *,
        guests: bool,
    ) -> None:
        self._store = store
        self._tokens = tokens
        self._clock = clock
        self._close_revoked = close_revoked
        self._guests = guests
        self._passwords = passwords

    async def open(self, admin_password: str | None, admin_code: str | None) -> None:
        """Read the revoked tokens, and make sure that the admin can log in."""
        self._tokens.set_revoked(await self._store.read(FindRevokedTokens()))
        await self._store.drop_codes(CodeKind.ADMIN, None)
        await self._add(Account(ADMIN, Role.ADMIN, display_name=ADMIN))  # before a guest takes the name
        if admin_password is not None:
            await self._set_admin_password(admin_password)
        if admin_code is not None:  # last: a new password revokes older codes
            await self._put_code(CodeKind.ADMIN, admin_code, ADMIN, Role.ADMIN, None, _LINK_SECONDS)

    async def read(self, token: object) -> Principal:
        """The principal of a token. A job's token is valid while its attempt runs."""
        fence = fence_in(token)
        if fence is None:
            return self._tokens.read(token)
        running = await self._store.read(FindRunning(fence))
        if running is None:
            raise Unauthenticated("this job's token is no longer valid: its attempt does not run")
        return for_job(fence, running.user, running.room)

    async def check(self, who: Principal) -> None:
        """Raises Unauthenticated if the token of this principal is no longer valid."""
        if not self._tokens.is_valid(who):
            raise Unauthenticated("this token was revoked: log in again")
        if who.job is not None and not await self.is_running(who.job):
            raise Unauthenticated("this job's token is no longer valid: its attempt does not run")

    async def is_running(self, fence: Fence) -> bool:
        return await self._store.read(FindRunning(fence)) is not None

    async def log_in_known_guest(self, wanted: str, secret: str) -> Granted | None:
        """The guest that chose this name with this secret before; None if there is none."""
        self._check_guests()
        for variant in names.variants(names.checked_display_name(wanted)):
            account = await self._store.read(FindAccount(variant.user))
            if account is None:
                return None
            if guest_secrets.is_own(account, secret):
                if account.disabled:
                    raise Forbidden("this guest was disabled by an admin")
                return self._grant(account)
        return None

    async def log_in_guest(self, wanted: str, secret: str | None = None) -> Granted:
        """A new guest with this name, or with a variant of it if the name is taken."""
        self._check_guests()
        shown = names.checked_display_name(wanted)
        hashed = None if secret is None else guest_secrets.hash_secret(secret)
        for variant in names.variants(shown):
            display_name = variant.display_name if await self._is_taken(shown) else shown
            guest = Account(variant.user, Role.GUEST, hashed, display_name=display_name)
            if await self._add(guest):
                return self._grant(guest)
        raise NameTaken(f"'{shown}' and names like it are taken: choose another")

    def _check_guests(self) -> None:
        if not self._guests:
            raise Forbidden("guests are switched off on this server: log in with a password or a code")

    async def log_in(self, account: Account | None, password: str, address: str) -> Granted:
        """Refusing an unknown account takes as long as refusing a wrong password."""
        has_password = account is not None and guest_secrets.has_password(account)
        kept = account.password_hash if account is not None and has_password else None
        is_right = await self._passwords.verify(kept, password, address)
        if account is None or not is_right or account.disabled:
            raise Unauthenticated(_WRONG)
        return self._grant(account)

    async def find(self, typed: str) -> Account | None:
        """The account with this id, or else with this display name."""
        name = unicodedata.normalize("NFKC", typed).casefold()
        account = await self._store.read(FindAccount(name)) if is_id(name) else None
        return account or await self._store.read(FindLookalike((names.skeleton(typed),)))

    async def display_name(self, user: str) -> str:
        account = await self._store.read(FindAccount(user))
        return user if account is None else _shown(account)

    async def log_in_with_code(self, code: str) -> Granted:
        """Log in with the admin's link or a pairing code, each of which is valid once."""
        for kind, digest in (
            (CodeKind.ADMIN, codes.digest(code)),
            (CodeKind.PAIR, codes.digest(code, is_typed=True)),
        ):
            taken = await self._store.take_code(kind, digest)
            if taken is not None:
                return await self._grant_code(taken)
        raise Unauthenticated("this code is not valid, or was used, or has expired: request a new one")

    async def renew(self, who: Principal) -> Granted:
        _refuse_job(who)
        if who.role is Role.VIEWER:
            await self._check_maker(who)
        token = self._tokens.renew(who, VIEW_DAYS if who.role is Role.VIEWER else None)
        return Granted(self._tokens.read(token), token, await self.display_name(who.user))

    async def _check_maker(self, who: Principal) -> None:
        """A view link of a guest ends when guests are switched off."""
        maker = await self._store.read(FindAccount(who.user))
        if maker is not None and maker.role is Role.GUEST:
            self._check_guests()

    def ticket(self, who: Principal) -> str:
        _refuse_job(who)
        return self._tokens.issue_ticket(who)

    async def read_ticket(self, ticket: str, purpose: str = STREAM) -> Principal:
        """The principal of a ticket, which is used up."""
        ticket_id, who = self._tokens.read_ticket(ticket, purpose)
        if not await self._store.revoke(ticket_id, self._clock.now_us() + _TICKET_US):
            raise Unauthenticated("this ticket was used: request a new one")
        return who

    async def end_session(self, who: Principal) -> None:
        """Log out: revoke this token and all others of its session."""
        _refuse_job(who)
        if who.role is Role.VIEWER:
            raise Forbidden("the login session belongs to who made this link: its tokens end by themselves")
        await self._store.revoke(who.session, int(self._tokens.session_end(who) * _SECOND_US))
        await self._reload_revoked()

    async def end_all_sessions(self, who: Principal) -> None:
        """Log out everywhere."""
        _refuse_borrowed(who)
        await self.revoke_all(who.user)

    async def change_own_password(self, who: Principal, current: str, new: str, address: str) -> Granted:
        """End every session, and start a new one for the caller."""
        _refuse_borrowed(who)
        account = await self._store.read(FindAccount(who.user))
        if account is None or not guest_secrets.has_password(account):
            raise Forbidden("this account has no password: an admin can give it one")
        if not await self._passwords.verify(account.password_hash, current, address):
            raise Unauthenticated("the current password is wrong")
        return self._grant(await self.set_password(who.user, new))

    async def revoke_all(self, name: str) -> None:
        """Revoke every token of an account. It may log in again."""
        await self._change(name)

    async def add(self, name: str, role: Role, password: str | None, shown: str | None = None) -> Account:
        """An account with this id, or with one made from this name."""
        display_name = names.checked_display_name(shown or name)
        hashed = None if password is None else await self._passwords.hash(strong(password))
        account = Account(
            names.id_from(names.checked_display_name(name)), role, hashed, display_name=display_name
        )
        if not await self._add(account):
            raise await self._conflict(account)
        return account

    async def rename(self, name: str, display_name: str) -> Account:
        """Change the display name. Tokens stay valid."""
        account = await self._store.read(FindAccount(user_name(name)))
        if account is None:
            raise AccountNotFound(f"there is no account '{name}'", name=name)
        shown = names.checked_display_name(display_name, account.name)
        if not await self._store.rename_account(account.name, shown, names.skeletons(account.name, shown)):
            raise _lookalike(shown)
        return replace(account, display_name=shown)

    async def rename_own(self, who: Principal, display_name: str) -> Account:
        _refuse_borrowed(who)
        return await self.rename(who.user, display_name)

    async def set_password(self, name: str, password: str) -> Account:
        return await self._change(name, password_hash=await self._passwords.hash(strong(password)))

    async def set_role(self, name: str, role: Role) -> Account:
        return await self._change(name, role=role)

    async def set_disabled(self, name: str, *, disabled: bool) -> Account:
        return await self._change(name, disabled=disabled)

    async def machine_token(self, name: str, role: Role, days: float | None) -> Granted:
        """A token for a machine, with an account of its own that can be disabled."""
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
        await self._reload_revoked()
        return changed

    async def _reload_revoked(self) -> None:
        self._tokens.set_revoked(await self._store.read(FindRevokedTokens()))
        self._close_revoked()

    async def _add(self, account: Account) -> bool:
        return await self._store.add_account(account, names.skeletons(account.name, _shown(account)))

    async def _is_taken(self, name: str) -> bool:
        """Whether the name is taken. Raises NameTaken if it only resembles somebody's name."""
        found = await self._store.read(FindLookalike((names.skeleton(name),)))
        if found is None:
            return False
        if name.casefold() not in (found.name, _shown(found).casefold()):
            raise _lookalike(name)
        return True

    async def _conflict(self, account: Account) -> NameTaken:
        if await self._store.read(FindAccount(account.name)) is not None:
            return NameTaken(f"there is an account '{account.name}' already", name=account.name)
        return _lookalike(_shown(account))

    def _grant(self, account: Account, days: float | None = None) -> Granted:
        who = Principal(account.name, account.role, epoch=account.epoch)
        return self._issue(who, _shown(account), days)

    def _issue(self, who: Principal, display_name: str, days: float | None = None) -> Granted:
        token = self._tokens.issue(who, days)
        return Granted(self._tokens.read(token), token, display_name)

    async def _grant_code(self, code: Code) -> Granted:
        account = await self._store.read(FindAccount(code.user))
        role = Role(code.role)
        if account is None:
            account = Account(code.user, role)
            await self._add(account)
        who = Principal(account.name, role, epoch=account.epoch, room=code.room)
        return self._issue(who, _shown(account))

    async def _put_code(
        self, kind: CodeKind, code: str, user: str, role: Role, room: str | None, seconds: float
    ) -> None:
        expires_us = self._clock.now_us() + int(seconds * _SECOND_US)
        await self._store.put_code(Code(codes.digest(code), kind, user, role, room, expires_us))

    async def _set_admin_password(self, password: str) -> None:
        account = await self._store.read(FindAccount(ADMIN))
        kept = None if account is None else account.password_hash
        if kept is None or not await self._passwords.verify(kept, password):
            await self._change(ADMIN, role=Role.ADMIN, password_hash=await self._passwords.hash(password))


def _shown(account: Account) -> str:
    return account.display_name or account.name


def _lookalike(name: str) -> NameTaken:
    return NameTaken(f"'{name}' is the name of somebody else, or resembles it: choose another", name=name)


def _refuse_borrowed(who: Principal) -> None:
    """A paired machine has the name of the user who paired it, but not their rights."""
    _refuse_job(who)
    if who.room is not None:
        raise Forbidden("this token is valid for one room only: log in yourself to do this")


def _refuse_job(who: Principal) -> None:
    if who.role is Role.JOB:
        raise Forbidden("a job's token ends with its attempt: it is not renewed, lent or revoked")
