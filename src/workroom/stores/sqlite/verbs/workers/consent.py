"""Consent to offer an extension of another user, bans and dismissals."""

from __future__ import annotations

import sqlite3
from collections.abc import Collection, Sequence
from typing import NamedTuple

from workroom.domain.extension import ExtensionKey, ExtensionSpec
from workroom.domain.queries import FindSeating
from workroom.domain.rules.workers import consent as consent_rules
from workroom.domain.steps import Offer, Seating
from workroom.domain.worker import DISMISSED_US, ConsentRequest, worker_dismissed
from workroom.stores.sqlite.queries.rows import RequestRow, extension_spec
from workroom.stores.sqlite.statements import SQL


class Requested(NamedTuple):
    """A requested extension, as it will be offered once accepted."""

    spec: ExtensionSpec
    owner: str | None

    @property
    def request(self) -> ConsentRequest:
        return ConsentRequest(self.spec.key, self.owner)


def requested(connection: sqlite3.Connection, worker: str) -> list[Requested]:
    found = connection.execute(SQL["requests_of_worker"], (worker,)).fetchall()
    rows = [RequestRow(*columns) for columns in found]
    return [Requested(extension_spec(row), _approver(row)) for row in rows]


def _approver(row: RequestRow) -> str | None:
    return consent_rules.approver(
        row.owner, row.owner_here, row.owner_in_public, is_banned=bool(row.is_banned)
    )


def requests(connection: sqlite3.Connection, worker: str) -> tuple[ConsentRequest, ...]:
    return tuple(each.request for each in requested(connection, worker))


def delete_requests(connection: sqlite3.Connection, worker: str, keys: Collection[ExtensionKey]) -> None:
    rows = [(worker, key.room or "", key.category, key.name) for key in keys]
    connection.executemany(SQL["delete_request"], rows)


def has_consent(connection: sqlite3.Connection, extension: int, user: str) -> bool:
    return connection.execute(SQL["has_consent"], (extension, user)).fetchone() is not None


def is_banned(connection: sqlite3.Connection, at_us: int, room: str | None, user: str) -> bool:
    values = (room or "", user, at_us - DISMISSED_US)
    return connection.execute(SQL["is_banned"], values).fetchone() is not None


def ban(connection: sqlite3.Connection, at_us: int, rooms: Collection[str | None], user: str) -> None:
    for room in rooms:
        connection.execute(SQL["withdraw_consents"], (user, room or ""))
        connection.execute(SQL["insert_ban"], (room or "", user, at_us))


def consent(connection: sqlite3.Connection, extension: int, key: ExtensionKey, user: str) -> None:
    connection.execute(SQL["insert_consent"], (extension, user))
    connection.execute(SQL["delete_ban"], (key.room or "", user))


def refuse_dismissed(connection: sqlite3.Connection, at_us: int, worker: str) -> None:
    row = connection.execute(SQL["dismissal_of_worker"], (worker, at_us - DISMISSED_US)).fetchone()
    if row is not None:
        raise worker_dismissed(*row)


def record_dismissal(connection: sqlite3.Connection, at_us: int, worker: str, by: str, reason: str) -> None:
    connection.execute(SQL["insert_dismissal"], (worker, by, reason, at_us))


def offers(connection: sqlite3.Connection, worker: str) -> Sequence[Offer]:
    found = connection.execute(SQL["offers_with_room"], (worker,))
    return [Offer(extension, room or None) for extension, room in found]


def seating(connection: sqlite3.Connection, worker: str) -> Seating:
    waits_in = frozenset(each.key.room for each in requests(connection, worker))
    return Seating(worker, offers(connection, worker), waits_in)


def find_seating(connection: sqlite3.Connection, query: FindSeating) -> Seating:
    return seating(connection, query.worker)
