"""Registers workers and extensions."""

from __future__ import annotations

import sqlite3
from collections.abc import Collection, Sequence
from dataclasses import asdict, replace

import orjson

from workroom.domain.extension import (
    ExtensionKey,
    ExtensionSpec,
    RunnerKind,
    Scope,
    check_conflict,
)
from workroom.domain.rules.lease import lease_of
from workroom.domain.rules.refusals import foreign_worker, no_request
from workroom.domain.steps import Accepted, Registered
from workroom.domain.worker import GONE_WORKERS, WorkerSpec
from workroom.stores.sqlite.directory import require_room
from workroom.stores.sqlite.queries.rows import ExtensionRow, extension_spec
from workroom.stores.sqlite.statements import SQL
from workroom.stores.sqlite.verbs.consent import (
    consent,
    delete_requests,
    has_consent,
    is_banned,
    refuse_dismissed,
    requested,
    requests,
    seating,
)
from workroom.stores.sqlite.verbs.lanes import parsed_policy, rebalance
from workroom.stores.sqlite.verbs.step_builder import StepBuilder


def register(
    connection: sqlite3.Connection,
    at_us: int,
    worker: WorkerSpec,
    specs: Sequence[ExtensionSpec],
    trusted: Collection[str | None],
    lease: float,
) -> Registered:
    """`lease` is the server's, for extensions without their own."""
    known = connection.execute(SQL["session_of_worker"], (worker.id,)).fetchone()
    if known is not None and known[4] != worker.user:
        raise foreign_worker()
    refuse_dismissed(connection, at_us, worker.id)
    pending = {spec.key: spec for spec in specs if _awaits_consent(connection, at_us, spec, worker, trusted)}
    before = [row[0] for row in connection.execute(SQL["offers_of_worker"], (worker.id,))]
    created: list[ExtensionKey] = []
    extensions = tuple(
        _put(connection, at_us, spec, worker.id, created) for spec in specs if spec.key not in pending
    )
    if known is None:
        connection.execute(SQL["forget_gone_workers"], (worker.user, GONE_WORKERS))
    connection.execute(
        SQL["upsert_worker"],
        (worker.id, worker.user, worker.name, worker.runner, worker.slots, worker.machine, at_us, at_us),
    )
    connection.execute(SQL["clear_offers"], (worker.id,))
    connection.executemany(SQL["insert_offer"], [(worker.id, extension) for extension in extensions])
    _save_lease(connection, worker.id, lease)
    connection.execute(SQL["clear_requests"], (worker.id,))
    for spec in pending.values():
        _request(connection, at_us, spec, worker)
    for spec in specs:
        if spec.key.room is not None:
            require_room(connection, spec.key.room)
    builder = StepBuilder(connection, at_us)
    withdrawn = set(before) - set(extensions)
    builder.depart(withdrawn, is_withdrawn=True)
    builder.retire(withdrawn)
    awaiting = requests(connection, worker.id)
    return Registered(worker.id, known is None, extensions, tuple(created), builder.build(), awaiting)


def accept(
    connection: sqlite3.Connection, at_us: int, worker: str, keys: Collection[ExtensionKey], lease: float
) -> Accepted:
    row = connection.execute(SQL["session_of_worker"], (worker,)).fetchone()
    specs = [each.spec for each in requested(connection, worker) if each.spec.key in keys]
    if row is None or not specs:
        raise no_request()
    created: list[ExtensionKey] = []
    for spec in specs:
        extension = _put(connection, at_us, spec, worker, created)
        connection.execute(SQL["insert_offer"], (worker, extension))
        consent(connection, extension, spec.key, row[4])
    _save_lease(connection, worker, lease)
    delete_requests(connection, worker, [spec.key for spec in specs])
    return Accepted([spec.key for spec in specs], created, seating(connection, worker))


def _save_lease(connection: sqlite3.Connection, worker: str, default: float) -> None:
    """Save the worker's own lease, if one of the extensions that it offers has one."""
    policies = connection.execute(SQL["offered_policies"], (worker,)).fetchall()
    leases = [parsed_policy(policy).lease for (policy,) in policies]
    own = lease_of(default, leases) if any(leases) else None
    connection.execute(SQL["save_lease"], (own, worker))


def put_extensions(connection: sqlite3.Connection, at_us: int, specs: Sequence[ExtensionSpec]) -> list[int]:
    """Register the server's own extensions, and deactivate those that are no longer listed."""
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
    row = _existing(connection, key)
    values = (
        spec.schema,
        spec.schema_hash,
        spec.runner,
        spec.owner,
        _policy(spec),
    )
    if row is None:
        created.append(key)
        cursor = connection.execute(
            SQL["insert_extension"], (key.room or "", key.category, key.name, *values, at_us)
        )
        assert cursor.lastrowid is not None
        return cursor.lastrowid
    extension, existing = row.id, extension_spec(row)
    was_away = connection.execute(SQL["return_extension"], (extension,)).rowcount > 0
    if was_away:
        created.append(key)
    if row.active and not own and _is_held(connection, extension, existing, worker):
        check_conflict(spec, existing)
        return extension
    if own:
        connection.execute(SQL["clear_remote_offers"], (extension,))
    if not was_away and (not row.active or existing.schema_hash != spec.schema_hash):
        created.append(key)
    if existing.owner != spec.owner:
        connection.execute(SQL["clear_consents"], (extension,))  # they were given by another owner
    connection.execute(SQL["replace_extension"], (*values, extension))
    if existing.policy != spec.policy:
        for (lane,) in connection.execute(SQL["waiting_lanes"], (extension,)).fetchall():
            rebalance(connection, (extension, lane))
    return extension


def _awaits_consent(
    connection: sqlite3.Connection,
    at_us: int,
    spec: ExtensionSpec,
    worker: WorkerSpec,
    trusted: Collection[str | None],
) -> bool:
    """Whether another user offers this already, in the room or in public, or the user is banned there."""
    key = spec.key
    if spec.runner.is_server_side or key.room in trusted:
        return False
    row = _existing(connection, key)
    if row is not None and has_consent(connection, row.id, worker.user):
        return False
    if is_banned(connection, at_us, key.room, worker.user):
        return True
    if row is not None and row.active:
        existing = extension_spec(row)
        return existing.owner != spec.owner and _is_held(connection, row.id, existing, worker.id)
    public = _existing(connection, replace(key, room=None))
    return public is not None and bool(public.active) and public.owner != spec.owner


def _request(connection: sqlite3.Connection, at_us: int, spec: ExtensionSpec, worker: WorkerSpec) -> None:
    key = spec.key
    _check_public(connection, spec)
    row = _existing(connection, key)
    if row is not None and row.active and _is_held(connection, row.id, extension_spec(row), worker.id):
        check_conflict(spec, extension_spec(row))
    values = (spec.schema, spec.schema_hash, spec.runner, spec.owner, _policy(spec))
    banned = is_banned(connection, at_us, key.room, worker.user)
    connection.execute(
        SQL["insert_request"], (worker.id, key.room or "", key.category, key.name, *values, banned)
    )


def _policy(spec: ExtensionSpec) -> str:
    return orjson.dumps(asdict(spec.policy)).decode()


def _check_public(connection: sqlite3.Connection, spec: ExtensionSpec) -> None:
    row = _existing(connection, replace(spec.key, room=None))
    if row is not None and row.active:
        check_conflict(spec, extension_spec(row))


def _existing(connection: sqlite3.Connection, key: ExtensionKey) -> ExtensionRow | None:
    """Return the extension of this key, active or not."""
    names = (key.room or "", key.category, key.name)
    row = connection.execute(SQL["existing_extension"], names).fetchone()
    return None if row is None else ExtensionRow(*row)


def _is_held(connection: sqlite3.Connection, extension: int, existing: ExtensionSpec, worker: str) -> bool:
    """Whether anything but this worker depends on the extension as it is registered."""
    if existing.runner.is_server_side:
        return True
    if connection.execute(SQL["other_offers"], (extension, worker)).fetchone():
        return True
    unfinished = connection.execute(SQL["unfinished_of_extension"], {"extension": extension}).fetchone()
    return bool(unfinished[0])
