"""Extensions and workers become known."""

from __future__ import annotations

import sqlite3
from collections.abc import Sequence
from dataclasses import asdict

import orjson

from workroom.domain.extension import (
    ExtensionKey,
    ExtensionSpec,
    RunnerKind,
    Scope,
    check_conflict,
)
from workroom.domain.steps import Registered
from workroom.domain.worker import WorkerSpec
from workroom.errors import Forbidden
from workroom.stores.sqlite.directory import enter_room
from workroom.stores.sqlite.lanes import rebalance
from workroom.stores.sqlite.ledger import Ledger
from workroom.stores.sqlite.rows import extension_spec
from workroom.stores.sqlite.statements import SQL


def register(
    connection: sqlite3.Connection, at_us: int, worker: WorkerSpec, specs: Sequence[ExtensionSpec]
) -> Registered:
    known = connection.execute(SQL["session_of_worker"], (worker.id,)).fetchone()
    if known is not None and known[4] != worker.user:
        raise Forbidden("this worker belongs to somebody else")
    before = [row[0] for row in connection.execute(SQL["offers_of_worker"], (worker.id,))]
    created: list[ExtensionKey] = []
    extensions = tuple(_put(connection, at_us, spec, worker.id, created) for spec in specs)
    connection.execute(
        SQL["upsert_worker"],
        (worker.id, worker.user, worker.name, worker.runner, worker.slots, worker.machine, at_us, at_us),
    )
    connection.execute(SQL["clear_offers"], (worker.id,))
    connection.executemany(SQL["insert_offer"], [(worker.id, extension) for extension in extensions])
    for spec in specs:
        if spec.key.room is not None:
            enter_room(connection, spec.key.room, worker.user, at_us)
    ledger = Ledger(connection, at_us)
    ledger.retire(set(before) - set(extensions))
    return Registered(worker.id, known is None, extensions, tuple(created), ledger.close())


def put_extensions(connection: sqlite3.Connection, at_us: int, specs: Sequence[ExtensionSpec]) -> list[int]:
    """The server's own list: what is not on it any more leaves."""
    created: list[ExtensionKey] = []
    extensions = [_put(connection, at_us, spec, "", created, own=True) for spec in specs]
    for runner in RunnerKind:
        if runner.is_server_side:
            rows = connection.execute(SQL["server_side_extensions"], (runner,)).fetchall()
            gone = [(row[0],) for row in rows if row[0] not in extensions]
            connection.executemany(SQL["deactivate_extension"], gone)
    return extensions


def _put(
    connection: sqlite3.Connection,
    at_us: int,
    spec: ExtensionSpec,
    worker: str,
    created: list[ExtensionKey],
    *,
    own: bool = False,
) -> int:
    key = spec.key
    if key.scope is Scope.ROOM:
        _check_public(connection, spec)
    row = connection.execute(SQL["standing_extension"], (key.room or "", key.category, key.name)).fetchone()
    values = (
        spec.schema,
        spec.schema_hash,
        spec.runner,
        spec.owner,
        orjson.dumps(asdict(spec.policy)).decode(),
    )
    if row is None:
        created.append(key)
        cursor = connection.execute(
            SQL["insert_extension"], (key.room or "", key.category, key.name, *values, at_us)
        )
        assert cursor.lastrowid is not None
        return cursor.lastrowid
    extension, active = int(row[0]), bool(row[9])
    standing = extension_spec(row[1:9])
    if active and not own and _is_held(connection, extension, standing, worker):
        check_conflict(spec, standing)
        return extension
    if own:
        connection.execute(SQL["clear_remote_offers"], (extension,))
    if not active or standing.schema_hash != spec.schema_hash:
        created.append(key)
    connection.execute(SQL["replace_extension"], (*values, extension))
    if standing.policy != spec.policy:
        for (lane,) in connection.execute(SQL["waiting_lanes"], (extension,)).fetchall():
            rebalance(connection, (extension, lane))
    return extension


def _check_public(connection: sqlite3.Connection, spec: ExtensionSpec) -> None:
    row = connection.execute(SQL["standing_extension"], ("", spec.key.category, spec.key.name)).fetchone()
    if row is not None and row[9]:
        check_conflict(spec, extension_spec(row[1:9]))


def _is_held(connection: sqlite3.Connection, extension: int, standing: ExtensionSpec, worker: str) -> bool:
    """Does anything but this worker depend on the extension as it stands, owner and policy included?"""
    if standing.runner.is_server_side:
        return True
    if connection.execute(SQL["other_offers"], (extension, worker)).fetchone():
        return True
    unfinished = connection.execute(SQL["unfinished_of_extension"], {"extension": extension}).fetchone()
    return bool(unfinished[0])
