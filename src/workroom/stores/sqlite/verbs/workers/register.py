"""Registers workers and extensions."""

from __future__ import annotations

import sqlite3
from collections.abc import Collection, Mapping, Sequence
from dataclasses import asdict, replace

import orjson

from workroom.domain.extension import (
    ExtensionKey,
    ExtensionSpec,
    RunnerKind,
    Scope,
)
from workroom.domain.rules.refusals import foreign_worker, name_reserved, no_request, other_schema
from workroom.domain.rules.workers import consent as consent_rules
from workroom.domain.rules.workers import registration
from workroom.domain.rules.workers.lease import lease_of
from workroom.domain.rules.workers.registration import Conflict, Registration
from workroom.domain.steps import Accepted, Registered
from workroom.domain.worker import GONE_WORKERS, WorkerSpec
from workroom.stores.sqlite.directory import require_room
from workroom.stores.sqlite.queries.rows import ExtensionRow, extension_spec
from workroom.stores.sqlite.statements import SQL
from workroom.stores.sqlite.verbs.queue.lanes import park, parsed_policy, rebalance
from workroom.stores.sqlite.verbs.step_builder import StepBuilder
from workroom.stores.sqlite.verbs.workers.consent import (
    consent,
    delete_requests,
    has_consent,
    is_banned,
    refuse_dismissed,
    requested,
    requests,
    seating,
)

_Together = Mapping[ExtensionKey, ExtensionSpec]  # what is registered in the same step


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
    together = _by_key(specs)
    extensions = tuple(
        _put(connection, at_us, spec, together, worker.id, created)
        for spec in specs
        if spec.key not in pending
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
        _request(connection, at_us, spec, together, worker)
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
    together = _by_key(specs)
    for spec in specs:
        extension = _put(connection, at_us, spec, together, worker, created)
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
    together = _by_key(specs)
    extensions = [_put(connection, at_us, spec, together, "", created, own=True) for spec in specs]
    for runner in RunnerKind:
        if runner.is_server_side:
            rows = connection.execute(SQL["server_side_extensions"], (runner,)).fetchall()
            gone = [(row[0],) for row in rows if row[0] not in extensions]
            connection.executemany(SQL["deactivate_extension"], gone)
    return extensions


def _by_key(specs: Sequence[ExtensionSpec]) -> _Together:
    return {spec.key: spec for spec in specs}


def _put(
    connection: sqlite3.Connection,
    at_us: int,
    spec: ExtensionSpec,
    together: _Together,
    worker: str,
    created: list[ExtensionKey],
    *,
    own: bool = False,
) -> int:
    key = spec.key
    verdict, row = _judge(connection, spec, together, worker, own=own)
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
    if verdict is Registration.JOIN:
        return extension
    if own:
        connection.execute(SQL["clear_remote_offers"], (extension,))
    is_changed = verdict is Registration.REVIVE or existing.schema_hash != spec.schema_hash
    if is_changed and not was_away:
        created.append(key)
    if existing.owner != spec.owner:
        connection.execute(SQL["clear_consents"], (extension,))  # they were given by another owner
    connection.execute(SQL["replace_extension"], (*values, extension))
    if existing.policy != spec.policy:
        if existing.policy.has_rate or spec.policy.has_rate:
            park(connection, extension)
        for (lane,) in connection.execute(SQL["waiting_lanes"], (extension,)).fetchall():
            rebalance(connection, (extension, lane), spec.policy, at_us)
    return extension


def _awaits_consent(
    connection: sqlite3.Connection,
    at_us: int,
    spec: ExtensionSpec,
    worker: WorkerSpec,
    trusted: Collection[str | None],
) -> bool:
    key = spec.key
    row, public = _existing(connection, key), _public_beside(connection, key)
    return consent_rules.is_needed(
        spec.runner,
        is_trusted=key.room in trusted,
        has_consent=row is not None and has_consent(connection, row.id, worker.user),
        is_banned=is_banned(connection, at_us, key.room, worker.user),
        is_active=row is not None and bool(row.active),
        is_held=row is not None and _is_held(connection, row, worker.id),
        is_foreign=row is not None and row.owner != spec.owner,
        is_public_active=public is not None,
        is_public_foreign=public is not None and public.owner != spec.owner,
    )


def _request(
    connection: sqlite3.Connection, at_us: int, spec: ExtensionSpec, together: _Together, worker: WorkerSpec
) -> None:
    key = spec.key
    _judge(connection, spec, together, worker.id, own=False)
    values = (spec.schema, spec.schema_hash, spec.runner, spec.owner, _policy(spec))
    banned = is_banned(connection, at_us, key.room, worker.user)
    connection.execute(
        SQL["insert_request"], (worker.id, key.room or "", key.category, key.name, *values, banned)
    )


def _policy(spec: ExtensionSpec) -> str:
    return orjson.dumps(asdict(spec.policy)).decode()


def _judge(
    connection: sqlite3.Connection, spec: ExtensionSpec, together: _Together, worker: str, *, own: bool
) -> tuple[Registration, ExtensionRow | None]:
    """What becomes of a spec and of the extension that has its name. Raises if it conflicts."""
    row = _existing(connection, spec.key)
    public = together.get(replace(spec.key, room=None)) or _public_beside(connection, spec.key)
    beside = public if spec.key.scope is Scope.ROOM else None
    existing = None if row is None else extension_spec(row)
    public_conflict = _conflict(spec, beside)
    verdict = registration.decide(
        public_conflict,
        _conflict(spec, existing),
        is_known=row is not None,
        is_active=row is not None and bool(row.active),
        is_held=row is not None and _is_held(connection, row, worker),
        is_own=own,
    )
    registered = existing if public_conflict is Conflict.NONE else beside
    if registered is not None and verdict is Registration.NAME_RESERVED:
        raise name_reserved(registered.key)
    if registered is not None and verdict is Registration.OTHER_SCHEMA:
        raise other_schema(registered.key, registered.schema_hash, spec.schema_hash)
    return verdict, row


def _conflict(spec: ExtensionSpec, registered: ExtensionSpec | None) -> Conflict:
    if registered is None:
        return Conflict.NONE
    is_same_schema = registered.schema_hash == spec.schema_hash
    return registration.conflict(spec.runner, registered.runner, is_same_schema=is_same_schema)


def _public_beside(connection: sqlite3.Connection, key: ExtensionKey) -> ExtensionSpec | None:
    """Return the active public extension of this name, besides which a room's own is registered."""
    public = _existing(connection, replace(key, room=None)) if key.scope is Scope.ROOM else None
    return extension_spec(public) if public is not None and public.active else None


def _existing(connection: sqlite3.Connection, key: ExtensionKey) -> ExtensionRow | None:
    """Return the extension of this key, active or not."""
    names = (key.room or "", key.category, key.name)
    row = connection.execute(SQL["existing_extension"], names).fetchone()
    return None if row is None else ExtensionRow(*row)


def _is_held(connection: sqlite3.Connection, row: ExtensionRow, worker: str) -> bool:
    unfinished = connection.execute(SQL["unfinished_of_extension"], {"extension": row.id}).fetchone()
    return registration.is_held(
        row.runner,
        has_other_offers=connection.execute(SQL["other_offers"], (row.id, worker)).fetchone() is not None,
        is_unfinished=bool(unfinished[0]),
    )
