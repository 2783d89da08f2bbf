"""The users of the application around this server: who they are is decided there."""

from __future__ import annotations

import hashlib
import re
import time
from collections.abc import Iterator
from contextlib import suppress
from dataclasses import dataclass

from workroom.domain.identity import ADMIN, PEOPLE, Account, Principal, Role
from workroom.domain.names import RESERVED, is_id
from workroom.domain.queries import FindAccount
from workroom.errors import Forbidden, InvalidName, NameTaken
from workroom.ports import Directory
from workroom.services.identity import names
from workroom.services.identity.accounts import Accounts
from workroom.services.identity.tokens import Tokens

TOKEN_SECONDS = 600
_DAY = 86_400
_MAX_KNOWN = 10_000
_MAX_ID = 1000
_DIGEST = 16  # hexadecimal digits
_MADE = re.compile(rf".*-[0-9a-f]{{{_DIGEST}}}")


@dataclass(frozen=True, slots=True)
class User:
    """A user of the application around Workroom.

    `id` never changes and never belongs to anybody else; `name` is what others see.
    """

    id: str
    name: str = ""
    admin: bool = False

    def __post_init__(self) -> None:
        if not isinstance(self.id, str) or not 0 < len(self.id) <= _MAX_ID:
            raise ValueError(f"the id of a user is a string of 1 to {_MAX_ID} characters")

    @property
    def role(self) -> Role:
        return Role.ADMIN if self.admin else Role.USER


@dataclass(frozen=True, slots=True)
class _Known:
    who: Principal
    token: str


class IdentifiedUsers:
    """Makes an account for each user, and tokens that are valid for a few minutes.

    An account keeps its id. One that somebody disabled stays disabled.
    """

    def __init__(self, store: Directory, accounts: Accounts, tokens: Tokens) -> None:
        self._store = store
        self._accounts = accounts
        self._tokens = tokens
        self._known: dict[User, _Known] = {}

    async def token(self, user: User) -> str:
        """A token for a request of this user, valid for at least half of its time. Raises Forbidden."""
        known = self._known.get(user)
        if known is None or not self._is_fresh(known.who):
            who = Principal(*await self._sign_in(user), is_identified=True)
            token = self._tokens.issue(who, TOKEN_SECONDS / _DAY)
            known = _Known(self._tokens.read(token), token)
            if len(self._known) >= _MAX_KNOWN:
                self._known.clear()
            self._known[user] = known
        return known.token

    async def lasting_token(self, user: User) -> str:
        """A token for code of the application itself, which acts for this user. Raises Forbidden."""
        return self._tokens.issue(Principal(*await self._sign_in(user)))

    async def end_sessions(self, user: User) -> None:
        """Close all sockets and streams of this user. Requests are identified anew."""
        for name, _ in _candidates(user):
            account = await self._store.read(FindAccount(name))
            if account is not None and account.role in PEOPLE:
                await self._accounts.revoke_all(name)
                return

    def _is_fresh(self, who: Principal) -> bool:
        return self._tokens.is_valid(who) and who.expires - time.time() > TOKEN_SECONDS / 2

    async def _sign_in(self, user: User) -> tuple[str, Role, str, int]:
        """The fields of a principal: user, role, session and epoch."""
        account = await self._account(user)
        if account.disabled:
            raise Forbidden("this account was disabled by an admin")
        if account.role is not user.role:
            account = await self._accounts.set_role(account.name, user.role)
        shown = _shown(user.name, account.name)
        if account.display_name not in (shown, account.name):
            with suppress(NameTaken, InvalidName):
                await self._accounts.rename(account.name, shown)
        return account.name, account.role, "", account.epoch

    async def _account(self, user: User) -> Account:
        """The first candidate that is this user's, or is free. A name that resembles another is not free."""
        for name, shown in _candidates(user):
            found = await self._store.read(FindAccount(name))
            if found is None:
                account = Account(name, user.role, display_name=shown)
                await self._store.add_account(account, names.skeletons(name, shown))
                found = await self._store.read(FindAccount(name))
            if found is not None and found.role in PEOPLE:
                return found
        raise Forbidden("there is no account for this user: its id is taken by a machine")


def _candidates(user: User) -> Iterator[tuple[str, str]]:
    """Pairs of an id and a display name."""
    made = _made_id(user.id)
    for name in (user.id, made) if _is_usable(user.id) else (made,):
        for shown in dict.fromkeys((_shown(user.name, name), name)):
            yield name, shown


def _is_usable(user_id: str) -> bool:
    """Ids in the form of made ones are not: an account would have two ids."""
    return is_id(user_id) and user_id not in RESERVED | {ADMIN} and not _MADE.fullmatch(user_id)


def _made_id(user_id: str) -> str:
    digest = hashlib.sha256(user_id.encode()).hexdigest()[:_DIGEST]
    plain = re.sub("[^a-z0-9_-]+", "-", user_id.casefold())[:40].strip("-")
    return f"{plain or 'user'}-{digest}"


def _shown(name: str, user_id: str) -> str:
    try:
        return names.checked_display_name(name, user_id) if name else user_id
    except (InvalidName, NameTaken):
        return user_id
