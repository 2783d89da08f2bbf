"""Accounts, codes and rooms: the verbs of the directory, each one step of the writer."""

from __future__ import annotations

import asyncio
import sqlite3
from collections.abc import Awaitable, Callable, Sequence
from dataclasses import replace
from typing import Any, TypeVar

import orjson

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
from workroom.domain.rules.refusals import room_not_found
from workroom.domain.worker import DISMISSED_US, MAX_DISMISSED
from workroom.stores.sqlite.statements import SQL

T = TypeVar("T")
_LATEST = 2**63 - 1
_ROOM_DATA = (
    "clear_locks",
    "clear_places",
    "clear_documents",
    "clear_contents",
    "clear_versions",
    "clear_version_changes",
    "clear_job_edits",
    "clear_arrays",
    "clear_segments",
    "clear_room_data",
    "clear_records",
    "clear_record_fields",
    "clear_record_totals",
)


class DirectoryVerbs:
    def _durable(self, step: Callable[[sqlite3.Connection, int], T]) -> asyncio.Future[T]:
        raise NotImplementedError

    def add_account(self, account: Account, skeletons: Sequence[str] = ()) -> Awaitable[bool]:
        values = (account.name, account.role, account.password_hash, account.display_name)

        def step(connection: sqlite3.Connection, at: int) -> bool:
            if _has_confusable(connection, account.name, skeletons):
                return False
            if not _inserted(connection, "insert_account", (*values, at)):
                return False
            _put_skeletons(connection, account.name, skeletons)
            return True

        return self._durable(step)

    def rename_account(self, name: str, display_name: str, skeletons: Sequence[str]) -> Awaitable[bool]:
        def step(connection: sqlite3.Connection, at: int) -> bool:
            if _has_confusable(connection, name, skeletons):
                return False
            if connection.execute(SQL["rename_account"], (display_name, name)).rowcount == 0:
                return False
            connection.execute(SQL["clear_skeletons"], (name,))
            _put_skeletons(connection, name, skeletons)
            return True

        return self._durable(step)

    def change_account(
        self,
        name: str,
        *,
        role: Role | None = None,
        password_hash: str | None = None,
        disabled: bool | None = None,
    ) -> Awaitable[Account | None]:
        changes = {"name": name, "role": role, "password_hash": password_hash, "disabled": disabled}

        def step(connection: sqlite3.Connection, at: int) -> Account | None:
            connection.execute(SQL["change_account"], changes)
            connection.execute(SQL["drop_codes_of_user"], (name,))
            return find_account(connection, FindAccount(name))

        return self._durable(step)

    def revoke(self, token_id: str, expires_us: int) -> Awaitable[bool]:
        values = (token_id, expires_us)
        return self._durable(lambda connection, at: _inserted(connection, "revoke_token", values))

    def write_audit(self, actor: str, action: AuditAction, target: str, detail: str) -> Awaitable[AuditEntry]:
        def step(connection: sqlite3.Connection, at: int) -> AuditEntry:
            values = (at, actor, action, target, detail)
            (sequence,) = connection.execute(SQL["write_audit"], values).fetchone()
            return AuditEntry(sequence, at, actor, action, target, detail)

        return self._durable(step)

    def put_code(self, code: Code) -> Awaitable[None]:
        values = (code.kind, code.digest, code.user, code.role, code.room, code.expires_us, code.uses)
        return self._durable(lambda connection, at: _do(connection, "insert_code", *values, at))

    def take_code(self, kind: CodeKind, digest: str, user: str = "") -> Awaitable[Code | None]:
        def step(connection: sqlite3.Connection, at: int) -> Code | None:
            parameters = {"kind": kind, "digest": digest, "user": user, "at": at}
            row = connection.execute(SQL["take_code"], parameters).fetchone()
            if row is None:
                return None
            digest_, _, maker, role, room, expires_us, uses = row
            return Code(digest_, kind, maker, code_role(kind, role), room, expires_us, uses)

        return self._durable(step)

    def drop_codes(self, kind: CodeKind, room: str | None) -> Awaitable[None]:
        return self._durable(lambda connection, at: _do(connection, "drop_codes", kind, room))

    def create_room(self, room: Room) -> Awaitable[bool]:
        values = (room.name, room.owner, room.title, room.private)
        return self._durable(lambda connection, at: _inserted(connection, "insert_room", (*values, at)))

    def change_room(
        self,
        name: str,
        *,
        title: str | None = None,
        private: bool | None = None,
        workers: WorkersFrom | None = None,
    ) -> Awaitable[None]:
        changes = {"name": name, "title": title, "private": private, "workers": workers}

        def step(connection: sqlite3.Connection, at: int) -> None:
            connection.execute(SQL["change_room"], changes)

        return self._durable(step)

    def delete_room(self, name: str) -> Awaitable[None]:
        def step(connection: sqlite3.Connection, at: int) -> None:
            for statement in (
                "delete_room",
                "deactivate_room",
                "clear_members",
                "clear_removals",
                "clear_presets",
            ):
                connection.execute(SQL[statement], (name,))
            for clear in ("clear_files", "clear_pieces"):
                for blob in connection.execute(SQL[clear], (name,)).fetchall():
                    connection.execute(SQL["reserve_blob"], blob)
            for statement in _ROOM_DATA:
                connection.execute(SQL[statement], (name,))
            for kind in CodeKind:
                connection.execute(SQL["drop_codes"], (kind, name))

        return self._durable(step)

    def add_member(self, room: str, user: str, role: MemberRole = MemberRole.MEMBER) -> Awaitable[None]:
        def step(connection: sqlite3.Connection, at: int) -> None:
            connection.execute(SQL["forget_removal"], (room, user))
            connection.execute(SQL["insert_member"], (room, user, role))

        return self._durable(step)

    def remove_member(self, room: str, user: str, *, banned: bool = False) -> Awaitable[None]:
        def step(connection: sqlite3.Connection, at: int) -> None:
            if banned:
                connection.execute(SQL["save_removal"], {"room": room, "user": user, "at": at})
            connection.execute(SQL["delete_member"], (room, user))

        return self._durable(step)


def require_room(connection: sqlite3.Connection, name: str) -> None:
    """Raise RoomNotFound if the room is missing or deleted."""
    row = connection.execute(SQL["is_room_deleted"], (name,)).fetchone()
    if row is None or row[0]:
        raise room_not_found(name)


def forget(connection: sqlite3.Connection, at_us: int) -> None:
    """Delete expired codes, revocations, dismissals and bans."""
    connection.execute(SQL["forget_codes"], (at_us,))
    connection.execute(SQL["forget_revoked"], (at_us,))
    for statement in ("forget_dismissals", "forget_bans"):
        connection.execute(SQL[statement], {"before": at_us - DISMISSED_US, "most": MAX_DISMISSED})


def find_rooms(connection: sqlite3.Connection, query: FindRooms) -> list[Room]:
    parameters = {"user": query.user, "after": query.after, "limit": query.limit}
    return [_room(row) for row in connection.execute(SQL["find_rooms"], parameters)]


def find_room(connection: sqlite3.Connection, query: FindRoom) -> Room | None:
    row = connection.execute(SQL["find_room"], (query.name,)).fetchone()
    if row is None:
        return None
    *row, deleted = row
    roles = dict(connection.execute(SQL["members_of_room"], (query.name,)).fetchall())
    viewers = frozenset(user for user, role in roles.items() if role == MemberRole.VIEWER)
    return replace(_room(row), members=frozenset(roles), viewers=viewers, deleted=bool(deleted))


def find_account(connection: sqlite3.Connection, query: FindAccount) -> Account | None:
    row = connection.execute(SQL["find_account"], (query.name,)).fetchone()
    return None if row is None else _account(*row)


def find_accounts(connection: sqlite3.Connection, query: FindAccounts) -> list[Account]:
    found = connection.execute(SQL["find_accounts"], (query.after, query.limit))
    return [_account(*row) for row in found]


def find_people(connection: sqlite3.Connection, query: FindPeople) -> list[Account]:
    names = orjson.dumps(query.names).decode()
    return [_account(*row) for row in connection.execute(SQL["find_people"], (names,))]


def find_lookalike(connection: sqlite3.Connection, query: FindLookalike) -> Account | None:
    name = _confusable(connection, "", query.skeletons)
    return None if name is None else find_account(connection, FindAccount(name))


def find_revoked_tokens(connection: sqlite3.Connection, query: FindRevokedTokens) -> RevokedTokens:
    accounts = connection.execute(SQL["accounts_with_revoked_tokens"]).fetchall()
    return RevokedTokens(
        token_ids=frozenset(token for (token,) in connection.execute(SQL["revoked_tokens"])),
        epochs={name: epoch for name, epoch, _ in accounts},
        disabled=frozenset(name for name, _, disabled in accounts if disabled),
    )


def _room(row: Sequence[Any]) -> Room:
    name, owner, title, private, workers, created_at_us = row
    return Room(name, owner, title, bool(private), created_at_us, workers=WorkersFrom(workers))


def _account(
    name: str,
    role: str,
    password_hash: str | None,
    epoch: int,
    disabled: int,
    created_at_us: int,
    display_name: str,
) -> Account:
    return Account(name, Role(role), password_hash, epoch, bool(disabled), created_at_us, display_name)


def _confusable(connection: sqlite3.Connection, name: str, skeletons: Sequence[str]) -> str | None:
    """Return another account that has one of these skeletons."""
    parameters = {"skeletons": orjson.dumps(skeletons).decode(), "except": name}
    row = connection.execute(SQL["find_confusable"], parameters).fetchone()
    return None if row is None else str(row[0])


def _has_confusable(connection: sqlite3.Connection, name: str, skeletons: Sequence[str]) -> bool:
    return _confusable(connection, name, skeletons) is not None


def _put_skeletons(connection: sqlite3.Connection, name: str, skeletons: Sequence[str]) -> None:
    connection.execute(SQL["insert_skeletons"], {"name": name, "skeletons": orjson.dumps(skeletons).decode()})


def _inserted(connection: sqlite3.Connection, statement: str, values: tuple[object, ...]) -> bool:
    return connection.execute(SQL[statement], values).rowcount == 1


def _do(connection: sqlite3.Connection, statement: str, *values: object) -> None:
    connection.execute(SQL[statement], values)


def find_audit(connection: sqlite3.Connection, query: FindAudit) -> Page[AuditEntry]:
    before = _LATEST if query.before is None else query.before
    rows = connection.execute(SQL["find_audit"], (before, query.limit + 1)).fetchall()
    found = [
        AuditEntry(sequence, at_us, actor, AuditAction(action), target, detail)
        for sequence, at_us, actor, action, target, detail in rows[: query.limit]
    ]
    return Page(found, found[-1].sequence if len(rows) > query.limit else None)
