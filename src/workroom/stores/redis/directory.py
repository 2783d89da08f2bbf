"""Accounts, codes and rooms: the verbs of the directory, each one script."""

from __future__ import annotations

import asyncio
from collections.abc import Awaitable, Callable, Sequence
from dataclasses import replace
from typing import Any, TypeVar

from workroom.domain.audit import AuditAction, AuditEntry
from workroom.domain.identity import Account, Code, CodeKind, MemberRole, Role, code_role
from workroom.domain.queries import (
    FindAccount,
    FindAccounts,
    FindAudit,
    FindLookalike,
    FindPeople,
    FindRevokedTokens,
    FindRoom,
    FindRooms,
    Page,
    RevokedTokens,
)
from workroom.domain.room import Room, WorkersFrom
from workroom.stores.redis.connection import Command
from workroom.stores.redis.keys import scheduling
from workroom.stores.redis.messages.codec import maybe_text, to_text, unpack
from workroom.stores.redis.reader import Reader

T = TypeVar("T")
_ACCOUNT = ("role", "password_hash", "epoch", "disabled", "created", "display_name")
_ROOM = ("owner", "title", "private", "created", "deleted", "workers")


class DirectoryVerbs:
    def _step(
        self, script: str, decode: Callable[[Any], T], *, before: Sequence[Command] = (), **arguments: object
    ) -> asyncio.Future[T]:
        raise NotImplementedError

    def add_account(self, account: Account, skeletons: Sequence[str] = ()) -> Awaitable[bool]:
        return self._step(
            "add_account",
            bool,
            name=account.name,
            role=str(account.role),
            password_hash=account.password_hash or False,
            display_name=account.display_name,
            skeletons=list(skeletons),
        )

    def rename_account(self, name: str, display_name: str, skeletons: Sequence[str]) -> Awaitable[bool]:
        return self._step(
            "rename_account", bool, name=name, display_name=display_name, skeletons=list(skeletons)
        )

    def change_account(
        self,
        name: str,
        *,
        role: Role | None = None,
        password_hash: str | None = None,
        disabled: bool | None = None,
    ) -> Awaitable[Account | None]:
        changes = {"role": role and str(role), "password_hash": password_hash, "disabled": _flag(disabled)}

        def changed(row: Sequence[Any] | None) -> Account | None:
            return None if row is None else _account(name, row)

        return self._step("change_account", changed, name=name, **_given(changes))

    def revoke(self, token_id: str, expires_us: int) -> Awaitable[bool]:
        return self._step("revoke", bool, token=token_id, expires=expires_us)

    def write_audit(self, actor: str, action: AuditAction, target: str, detail: str) -> Awaitable[AuditEntry]:
        def written(reply: Any) -> AuditEntry:
            sequence, at_us = reply
            return AuditEntry(sequence, at_us, actor, action, target, detail)

        return self._step(
            "write_audit", written, actor=actor, action=str(action), target=target, detail=detail
        )

    def put_code(self, code: Code) -> Awaitable[None]:
        return self._step(
            "put_code",
            _nothing,
            kind=str(code.kind),
            digest=code.digest,
            user=code.user,
            role=str(code.role),
            room=code.room or False,
            expires=code.expires_us,
            uses=code.uses,
        )

    def take_code(self, kind: CodeKind, digest: str, user: str = "") -> Awaitable[Code | None]:
        def taken(row: Sequence[Any] | None) -> Code | None:
            if row is None:
                return None
            maker, role, room, expires_us, uses = row
            return Code(digest, kind, maker, code_role(kind, role), room or None, expires_us, uses)

        return self._step("take_code", taken, kind=str(kind), digest=digest, user=user)

    def drop_codes(self, kind: CodeKind, room: str | None) -> Awaitable[None]:
        return self._step("drop_codes", _nothing, kind=str(kind), room=room or False)

    def create_room(self, room: Room) -> Awaitable[bool]:
        return self._step(
            "create_room", bool, name=room.name, owner=room.owner, title=room.title, private=room.private
        )

    def change_room(
        self,
        name: str,
        *,
        title: str | None = None,
        private: bool | None = None,
        workers: WorkersFrom | None = None,
    ) -> Awaitable[None]:
        changes = {"title": title, "private": _flag(private), "workers": workers and str(workers)}
        return self._step("change_room", _nothing, name=name, **_given(changes))

    def delete_room(self, name: str) -> Awaitable[None]:
        return self._step("delete_room", _nothing, name=name)

    def add_member(self, room: str, user: str, role: MemberRole = MemberRole.MEMBER) -> Awaitable[None]:
        return self._step("add_member", _nothing, room=room, user=user, role=str(role))

    def remove_member(self, room: str, user: str, *, banned: bool = False) -> Awaitable[None]:
        return self._step("remove_member", _nothing, room=room, user=user, banned=banned)


async def find_rooms(reader: Reader, query: FindRooms) -> list[Room]:
    """Read page by page until there are enough rooms that admit the user."""
    found: list[Room] = []
    after = query.after
    while len(found) < query.limit:
        names = await _names(reader, "rooms", after, query.limit)
        rooms = await _rooms(reader, names, query.user)
        found += [room for room in rooms if query.user is None or room.admits(query.user)]
        if len(names) < query.limit:
            break
        after = names[-1]
    return [_without_members(room) for room in found[: query.limit]]


async def _rooms(reader: Reader, names: Sequence[str], user: str | None) -> list[Room]:
    commands: list[Command] = []
    for name in names:
        commands.append(("HMGET", scheduling("room", name), *_ROOM))
        commands.append(("SISMEMBER", scheduling("members", name), user or ""))
    replies = await reader.send(commands) if commands else []
    return [
        _room(name, row, {user} if is_member and user else ())
        for name, row, is_member in zip(names, replies[::2], replies[1::2], strict=True)
    ]


async def find_room(reader: Reader, query: FindRoom) -> Room | None:
    row, members, viewers = await reader.send(
        [
            ("HMGET", scheduling("room", query.name), *_ROOM),
            ("SMEMBERS", scheduling("members", query.name)),
            ("SMEMBERS", scheduling("viewers", query.name)),
        ]
    )
    if row[0] is None:
        return None
    found = _room(query.name, row, [to_text(member) for member in members])
    return replace(found, viewers=frozenset(to_text(viewer) for viewer in viewers))


async def find_account(reader: Reader, query: FindAccount) -> Account | None:
    row = await reader.execute("HMGET", scheduling("account", query.name), *_ACCOUNT)
    return None if row[0] is None else _account(query.name, _texts(row))


async def find_accounts(reader: Reader, query: FindAccounts) -> list[Account]:
    names = await _names(reader, "accounts", query.after, query.limit)
    commands: list[Command] = [("HMGET", scheduling("account", name), *_ACCOUNT) for name in names]
    rows = await reader.send(commands) if commands else []
    return [_account(name, _texts(row)) for name, row in zip(names, rows, strict=True)]


async def find_people(reader: Reader, query: FindPeople) -> list[Account]:
    names = sorted(set(query.names))
    commands: list[Command] = [("HMGET", scheduling("account", name), *_ACCOUNT) for name in names]
    rows = await reader.send(commands) if commands else []
    return [_account(name, _texts(row)) for name, row in zip(names, rows, strict=True) if row[0] is not None]


async def find_lookalike(reader: Reader, query: FindLookalike) -> Account | None:
    if not query.skeletons:
        return None
    found = await reader.execute("HMGET", scheduling("skeletons"), *query.skeletons)
    name = next((to_text(name) for name in found if name is not None), None)
    return None if name is None else await find_account(reader, FindAccount(name))


async def find_revoked_tokens(reader: Reader, query: FindRevokedTokens) -> RevokedTokens:
    tokens, names = await reader.send(
        [("ZRANGE", scheduling("revoked"), 0, -1), ("SMEMBERS", scheduling("revoked_accounts"))]
    )
    accounts = [to_text(name) for name in names]
    commands: list[Command] = [
        ("HMGET", scheduling("account", name), "epoch", "disabled") for name in accounts
    ]
    rows = await reader.send(commands) if commands else []
    revoked = list(zip(accounts, rows, strict=True))
    return RevokedTokens(
        token_ids=frozenset(map(to_text, tokens)),
        epochs={name: int(epoch) for name, (epoch, _) in revoked},
        disabled=frozenset(name for name, (_, disabled) in revoked if disabled == b"1"),
    )


async def _names(reader: Reader, index: str, after: str, limit: int) -> list[str]:
    found = await reader.execute(
        "ZRANGEBYLEX", scheduling(index), f"({after}" if after else "-", "+", "LIMIT", 0, limit
    )
    return [to_text(name) for name in found]


def _texts(row: Sequence[bytes | None]) -> list[str | bool]:
    return [False if value is None else to_text(value) for value in row]


def _room(name: str, row: Sequence[bytes | None], members: Sequence[str] | set[str] = ()) -> Room:
    owner, title, private, created, deleted, workers = _texts(row)
    return Room(
        name,
        str(owner),
        str(title),
        private == "1",
        int(created),
        frozenset(members),
        deleted == "1",
        WorkersFrom(str(workers or WorkersFrom.CONSENT)),
    )


def _without_members(room: Room) -> Room:
    return replace(room, members=frozenset())


def _account(name: str, row: Sequence[Any]) -> Account:
    role, password_hash, epoch, disabled, created, display_name = row
    return Account(
        name,
        Role(role),
        maybe_text(password_hash),
        int(epoch),
        disabled == "1",
        int(created),
        maybe_text(display_name) or "",
    )


def _flag(value: bool | None) -> int | None:
    return None if value is None else int(value)


def _given(changes: dict[str, Any]) -> dict[str, Any]:
    return {name: value for name, value in changes.items() if value is not None}


def _nothing(_: Any) -> None:
    return None


async def find_audit(reader: Reader, query: FindAudit) -> Page[AuditEntry]:
    """An entry's number is its place in the list."""
    key = scheduling("audit")
    count = await reader.execute("LLEN", key) if query.before is None else query.before - 1
    first = max(0, count - query.limit)
    packed = await reader.execute("LRANGE", key, first, count - 1) if count > 0 else []
    found = []
    for sequence, each in enumerate(packed, first + 1):
        at_us, actor, action, target, detail = unpack(each)
        found.append(AuditEntry(sequence, at_us, actor, AuditAction(action), target, detail))
    return Page(found[::-1], found[0].sequence if first > 0 else None)
