"""Accounts, codes and rooms: the verbs of the directory, each one step of the writer."""

from __future__ import annotations

import asyncio
import sqlite3
from collections.abc import Awaitable, Callable, Sequence
from dataclasses import replace
from typing import Any, TypeVar

from workroom.domain.identity import Account, Code, CodeKind, Role
from workroom.domain.queries import FindAccount, FindAccounts, FindRoom, FindRooms, FindVoid, Void
from workroom.domain.room import Room
from workroom.errors import RoomNotFound
from workroom.stores.sqlite.statements import SQL

T = TypeVar("T")


class DirectoryVerbs:
    def _durable(self, step: Callable[[sqlite3.Connection, int], T]) -> asyncio.Future[T]:
        raise NotImplementedError

    def add_account(self, account: Account) -> Awaitable[bool]:
        values = (account.name, account.role, account.password_hash)
        return self._durable(lambda connection, at: _inserted(connection, "insert_account", (*values, at)))

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

    def put_code(self, code: Code) -> Awaitable[None]:
        values = (code.kind, code.digest, code.user, code.role, code.room, code.expires_us, code.uses)
        return self._durable(lambda connection, at: _do(connection, "insert_code", *values))

    def take_code(self, kind: CodeKind, digest: str) -> Awaitable[Code | None]:
        def step(connection: sqlite3.Connection, at: int) -> Code | None:
            row = connection.execute(SQL["take_code"], (kind, digest, at)).fetchone()
            if row is None:
                return None
            digest_, kind_, user, role, room, expires_us, uses = row
            return Code(digest_, CodeKind(kind_), user, Role(role), room, expires_us, uses)

        return self._durable(step)

    def drop_codes(self, kind: CodeKind, room: str | None) -> Awaitable[None]:
        return self._durable(lambda connection, at: _do(connection, "drop_codes", kind, room))

    def create_room(self, room: Room) -> Awaitable[bool]:
        values = (room.name, room.owner, room.title, room.private)
        return self._durable(lambda connection, at: _inserted(connection, "insert_room", (*values, at)))

    def change_room(
        self, name: str, *, title: str | None = None, private: bool | None = None
    ) -> Awaitable[None]:
        changes = {"name": name, "title": title, "private": private}

        def step(connection: sqlite3.Connection, at: int) -> None:
            connection.execute(SQL["change_room"], changes)

        return self._durable(step)

    def delete_room(self, name: str) -> Awaitable[None]:
        def step(connection: sqlite3.Connection, at: int) -> None:
            for statement in ("delete_room", "deactivate_room", "clear_members"):
                connection.execute(SQL[statement], (name,))
            for (blob,) in connection.execute(SQL["clear_files"], (name,)).fetchall():
                connection.execute(SQL["reserve_blob"], (blob,))
            for kind in CodeKind:
                connection.execute(SQL["drop_codes"], (kind, name))

        return self._durable(step)

    def add_member(self, room: str, user: str) -> Awaitable[None]:
        return self._durable(lambda connection, at: _do(connection, "insert_member", room, user))

    def remove_member(self, room: str, user: str) -> Awaitable[None]:
        return self._durable(lambda connection, at: _do(connection, "delete_member", room, user))


def enter_room(connection: sqlite3.Connection, name: str, user: str, at_us: int) -> None:
    """A room that somebody needs is made, open, and theirs. One that was deleted stays so."""
    row = connection.execute(SQL["is_room_deleted"], (name,)).fetchone()
    if row is None:
        connection.execute(SQL["insert_room"], (name, user, "", False, at_us))
    elif row[0]:
        raise RoomNotFound(f"there is no room '{name}'", room=name)


def forget(connection: sqlite3.Connection, at_us: int) -> None:
    """What has run out is of no use to anybody."""
    connection.execute(SQL["forget_codes"], (at_us,))
    connection.execute(SQL["forget_revoked"], (at_us,))


def find_rooms(connection: sqlite3.Connection, query: FindRooms) -> list[Room]:
    wanted = {"user": query.user, "after": query.after, "limit": query.limit}
    return [_room(row) for row in connection.execute(SQL["find_rooms"], wanted)]


def find_room(connection: sqlite3.Connection, query: FindRoom) -> Room | None:
    row = connection.execute(SQL["find_room"], (query.name,)).fetchone()
    if row is None:
        return None
    *row, deleted = row
    members = frozenset(user for (user,) in connection.execute(SQL["members_of_room"], (query.name,)))
    return replace(_room(row), members=members, deleted=bool(deleted))


def find_account(connection: sqlite3.Connection, query: FindAccount) -> Account | None:
    row = connection.execute(SQL["find_account"], (query.name,)).fetchone()
    return None if row is None else _account(*row)


def find_accounts(connection: sqlite3.Connection, query: FindAccounts) -> list[Account]:
    found = connection.execute(SQL["find_accounts"], (query.after, query.limit))
    return [_account(*row) for row in found]


def find_void(connection: sqlite3.Connection, query: FindVoid) -> Void:
    accounts = connection.execute(SQL["accounts_with_void_tokens"]).fetchall()
    return Void(
        token_ids=frozenset(token for (token,) in connection.execute(SQL["revoked_tokens"])),
        epochs={name: epoch for name, epoch, _ in accounts},
        disabled=frozenset(name for name, _, disabled in accounts if disabled),
    )


def _room(row: Sequence[Any]) -> Room:
    name, owner, title, private, created_at_us = row
    return Room(name, owner, title, bool(private), created_at_us)


def _account(
    name: str, role: str, password_hash: str | None, epoch: int, disabled: int, created_at_us: int
) -> Account:
    return Account(name, Role(role), password_hash, epoch, bool(disabled), created_at_us)


def _inserted(connection: sqlite3.Connection, statement: str, values: tuple[object, ...]) -> bool:
    return connection.execute(SQL[statement], values).rowcount == 1


def _do(connection: sqlite3.Connection, statement: str, *values: object) -> None:
    connection.execute(SQL[statement], values)
