"""Workers register, connect, beat and leave."""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass
from typing import Any

from uuid_utils import uuid7

from workroom.domain.events import ExtensionsChanged
from workroom.domain.extension import (
    ExtensionKey,
    ExtensionSpec,
    Policy,
    RunnerKind,
    check_names,
    schema_hash,
)
from workroom.domain.identity import SERVER, Principal
from workroom.domain.steps import Opened, Reconciled, Registered
from workroom.domain.worker import Hold, Session, WorkerSpec
from workroom.ports import EventBus, Store
from workroom.services.catalog import Catalog
from workroom.services.dispatch import Dispatcher
from workroom.services.encoding import encoded
from workroom.services.outflow import Outflow
from workroom.services.schemas import SchemaLimits, check_schema


@dataclass(frozen=True, slots=True)
class OfferedExtension:
    """An extension as a worker offers it; without a room it is public."""

    room: str | None
    category: str
    name: str
    schema: dict[str, Any]
    policy: Policy


@dataclass(frozen=True, slots=True)
class OfferedWorker:
    id: str | None
    name: str
    slots: int
    machine: dict[str, Any]


class Membership:
    def __init__(
        self,
        store: Store,
        catalog: Catalog,
        dispatcher: Dispatcher,
        outflow: Outflow,
        bus: EventBus,
        limits: SchemaLimits,
        runner: RunnerKind,
    ) -> None:
        self._limits = limits
        self._runner = runner  # of the server's own extensions
        self._store = store
        self._catalog = catalog
        self._dispatcher = dispatcher
        self._outflow = outflow
        self._bus = bus
        self.own: set[str] = set()  # the workers that this server has started

    async def register(
        self, who: Principal, worker: OfferedWorker, offered: Sequence[OfferedExtension]
    ) -> Registered:
        runner = self._runner if who.is_runner else RunnerKind.REMOTE
        owner = SERVER if who.is_runner else who.user
        specs = [extension_spec(each, runner, owner, self._limits) for each in offered]
        registered = await self._store.register(
            WorkerSpec(
                id=worker.id or str(uuid7()),
                user=who.user,
                name=worker.name,
                runner=runner,
                slots=worker.slots,
                machine=encoded(worker.machine, "machine"),
            ),
            specs,
        )
        if who.is_runner and runner is RunnerKind.LOCAL:
            self.own.add(registered.worker)
        self._catalog.forget(spec.key for spec in specs)
        self._outflow.follow(registered.step)
        self._bus.publish([ExtensionsChanged(key) for key in registered.created])
        return registered

    async def connect(
        self, worker: str, boot: str, holds: Sequence[Hold], seen: int, *, on_call: bool = False
    ) -> Opened:
        opened = await self._store.open_session(worker, boot, holds, seen)
        self._dispatcher.seat(opened, on_call=on_call)
        self._outflow.follow(opened.reconciled.step)
        return opened

    async def heartbeat(self, session: Session, holds: Sequence[Hold], seen: int) -> Reconciled:
        changes = self._dispatcher.changes(session.worker)
        reconciled = await self._store.renew(session, holds, seen)
        self._dispatcher.heard(session, reconciled, changes)
        self._outflow.follow(reconciled.step)
        return reconciled

    def is_seated(self, session: Session) -> bool:
        """Is it given work here? A late word from another server may have said that it is gone."""
        return self._dispatcher.is_seated(session)

    async def disconnected(self, session: Session) -> None:
        """A blip kills no healthy worker: it has the grace to come back."""
        self._dispatcher.unseat(session)
        await self._store.disconnect(session)

    async def leave(self, worker: str, reason: str) -> None:
        self._outflow.follow(await self._store.close_session(worker, reason))


def extension_spec(
    offered: OfferedExtension, runner: RunnerKind, owner: str, limits: SchemaLimits
) -> ExtensionSpec:
    key = ExtensionKey(offered.room, offered.category, offered.name)
    check_names(key)
    check_schema(offered.schema, limits)
    return ExtensionSpec(
        key=key,
        schema=encoded(offered.schema, "the schema"),
        schema_hash=schema_hash(offered.schema),
        runner=runner,
        owner=owner,
        policy=offered.policy,
    )
