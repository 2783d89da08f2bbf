"""Workers register, open sessions, send heartbeats and leave."""

from __future__ import annotations

from collections import Counter
from collections.abc import Collection, Sequence
from dataclasses import dataclass
from typing import Any

from uuid_utils import uuid7

from workroom.domain.extension import (
    ExtensionKey,
    ExtensionSpec,
    Policy,
    RunnerKind,
    check_names,
    schema_hash,
)
from workroom.domain.identity import SERVER, Principal
from workroom.domain.queries import FindOwners, FindWorker
from workroom.domain.quotas import Charge, Kind
from workroom.domain.schema.concurrency_keys import check_keys
from workroom.domain.schema.unique_keys import check_unique
from workroom.domain.steps import Assignment, Opened, Reconciled, Registered
from workroom.domain.worker import Hold, Session, WorkerSpec
from workroom.errors import InvalidRequest
from workroom.ports import ReadableStore
from workroom.services.jobs.secrets import check_template
from workroom.services.json_codec import encoded
from workroom.services.limits.quotas import QuotaKeeper
from workroom.services.steps import Steps
from workroom.services.validation.schemas import SchemaLimits, check_form
from workroom.services.validation.validation import Validation
from workroom.services.workers.dispatcher import Dispatcher
from workroom.services.workers.registry import WorkerRegistry


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


class WorkerSessions:
    def __init__(
        self,
        store: ReadableStore,
        steps: Steps,
        registry: WorkerRegistry,
        dispatcher: Dispatcher,
        validation: Validation,
        quotas: QuotaKeeper,
        limits: SchemaLimits,
        runner: RunnerKind,
    ) -> None:
        self._store = store
        self._steps = steps
        self._registry = registry
        self._dispatcher = dispatcher
        self._validation = validation
        self._quotas = quotas
        self._limits = limits
        self._runner = runner  # of the server's own extensions
        self.own: set[str] = set()  # the workers that this server has started

    async def register(
        self,
        who: Principal,
        worker: OfferedWorker,
        offered: Sequence[OfferedExtension],
        trusted: Collection[str | None] = (),
    ) -> Registered:
        """In `trusted` rooms the worker may offer what others offer already, without their consent."""
        runner = self._runner if who.is_runner else RunnerKind.REMOTE
        owner = SERVER if who.is_runner else who.user
        specs = await self._specs(who, offered, runner, owner)
        spec = WorkerSpec(
            id=worker.id or str(uuid7()),
            user=who.user,
            name=worker.name,
            runner=runner,
            slots=worker.slots,
            machine=encoded(worker.machine, "machine"),
        )
        async with self._quotas.reserving(who, *await self._charges(spec, specs)):
            registered = await self._steps.register(spec, specs, trusted)
        if who.is_runner and runner is RunnerKind.LOCAL:
            self.own.add(registered.worker)
        return registered

    async def _specs(
        self, who: Principal, offered: Sequence[OfferedExtension], runner: RunnerKind, owner: str
    ) -> list[ExtensionSpec]:
        """Compile the schemas one by one, so that other requests are served in between."""
        specs: list[ExtensionSpec] = []
        batch = self._validation.batch()
        for each in offered:
            spec = extension_spec(each, runner, owner, self._limits)
            await self._validation.compile(who.user, spec.schema, batch)
            await batch.pause()
            specs.append(spec)
        return specs

    async def _charges(self, worker: WorkerSpec, specs: Sequence[ExtensionSpec]) -> list[Charge]:
        """What the worker adds: itself, its slots, and the extensions that its user did not offer before."""
        known = await self._store.read(FindWorker(worker.id))
        served = frozenset() if known is None else frozenset(key.room for key in known.extensions)
        is_here = known is not None and (known.online or bool(known.keys))
        slots = known.spec.slots if known is not None and is_here else 0
        rooms = {spec.key.room for spec in specs if spec.key.room is not None}
        owners = await self._store.read(FindOwners(tuple(spec.key for spec in specs)))
        added = Counter(
            spec.key.room
            for spec, owner in zip(specs, owners, strict=True)
            if owner is None and spec.key.room is not None
        )
        return [
            Charge(
                Kind.WORKERS, 0 if is_here else 1, tuple((room, int(room not in served)) for room in rooms)
            ),
            Charge(
                Kind.SLOTS,
                worker.slots - slots,
                tuple((room, worker.slots - (slots if room in served else 0)) for room in rooms),
            ),
            Charge(Kind.EXTENSIONS, sum(owner != worker.user for owner in owners), tuple(added.items())),
        ]

    async def connect(
        self,
        worker: str,
        boot: str,
        holds: Sequence[Hold],
        seen: int,
        *,
        socket: str,
        on_call: bool = False,
        trip_s: float,
    ) -> Opened:
        """Open a session and dispatch to the worker through this socket."""
        return await self._steps.open_session(
            worker, boot, holds, seen, socket=socket, on_call=on_call, trip_s=trip_s
        )

    async def heartbeat(self, session: Session, holds: Sequence[Hold], seen: int) -> Reconciled:
        return await self._steps.renew(session, holds, seen)

    async def claim_one(self, session: Session) -> Sequence[Assignment]:
        """A job for an on-call worker that requests one."""
        return await self._dispatcher.claim_one(session)

    def is_connected(self, session: Session) -> bool:
        """False if a late message from another server has removed the worker here."""
        return self._registry.find(session) is not None

    async def disconnect(self, session: Session) -> None:
        """The socket is gone. The worker keeps its attempts for the grace period and may reconnect."""
        await self._steps.disconnect(session)

    async def leave(self, worker: str, reason: str) -> None:
        await self._steps.close_session(worker, reason)


def extension_spec(
    offered: OfferedExtension, runner: RunnerKind, owner: str, limits: SchemaLimits
) -> ExtensionSpec:
    key = ExtensionKey(offered.room, offered.category, offered.name)
    check_names(key)
    check_form(offered.schema, limits)
    _check_policy(offered)
    schema = encoded(offered.schema, "the schema")
    check_template(schema, offered.policy)
    return ExtensionSpec(
        key=key,
        schema=schema,
        schema_hash=schema_hash(offered.schema),
        runner=runner,
        owner=owner,
        policy=offered.policy,
    )


def _check_policy(offered: OfferedExtension) -> None:
    if offered.policy.actor is not None and offered.room is not None:
        raise InvalidRequest(
            f"'{offered.category}/{offered.name}' cannot be the actor '{offered.policy.actor}' in a room: "
            "tasks name actors in every room, so register it as public, or without 'actor'"
        )
    check_keys(offered.policy, offered.schema)
    check_unique(offered.policy, offered.schema)
