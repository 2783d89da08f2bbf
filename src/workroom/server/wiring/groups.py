"""The parts of the server, grouped by subject."""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass

from workroom.domain.extension import ExtensionSpec
from workroom.ports import Blobs, Clock, EventBus, Notifier, Peers, Store
from workroom.server.sockets.connections import Connections
from workroom.server.sockets.event_bus import SocketBus
from workroom.server.sockets.socket_server import SocketServer
from workroom.server.sockets.worker_channel import SocketWorkerChannel
from workroom.services.effects import Effects
from workroom.services.history.annotations import Annotations
from workroom.services.history.bulk import BulkActions
from workroom.services.history.export import JobExport
from workroom.services.history.job_search import JobSearch
from workroom.services.identity.access import Access
from workroom.services.identity.accounts import Accounts
from workroom.services.identity.tokens import Tokens
from workroom.services.identity.view_links import ViewLinks
from workroom.services.jobs.admission import ActorLanes
from workroom.services.jobs.exchanges import JobExchanges
from workroom.services.jobs.form_values import FormValues
from workroom.services.jobs.operations import Operations
from workroom.services.jobs.reports import Reports
from workroom.services.jobs.secrets import Secrets
from workroom.services.jobs.submission import Submission
from workroom.services.jobs.waiters import Waiters
from workroom.services.lifecycle.background import BackgroundTasks, Readiness
from workroom.services.limits.quotas import QuotaKeeper
from workroom.services.limits.throttles import Throttles
from workroom.services.live.feeds import Feeds
from workroom.services.live.presence import Presence
from workroom.services.live.streams import Streams
from workroom.services.live.subscriptions import Subscriptions
from workroom.services.room_data.documents import Documents
from workroom.services.room_data.frames.collector import FrameCollector
from workroom.services.room_data.frames.frames import Frames
from workroom.services.room_data.job_edits import JobEditsKeeper
from workroom.services.room_data.locks import Locks
from workroom.services.room_data.records import Records
from workroom.services.room_data.versions import Versions
from workroom.services.rooms.rooms import Rooms
from workroom.services.steps import Steps
from workroom.services.tasks.facade import TaskFacade
from workroom.services.validation.validation import Validation
from workroom.services.workers.consent import Consent
from workroom.services.workers.dispatcher import Dispatcher
from workroom.services.workers.pushes import Pushes
from workroom.services.workers.registry import WorkerRegistry
from workroom.services.workers.worker_steps import WorkerSteps
from workroom.settings import Settings
from workroom.stores.peers import NoPeers


@dataclass(frozen=True, slots=True)
class ServerParts:
    """What exists before the event loop runs.

    `own` are the extensions that the server itself serves, `lanes` its actors that name their own concurrency
    keys, and `admin_code` logs one admin in, once.
    """

    settings: Settings
    sockets: SocketServer
    tokens: Tokens
    readiness: Readiness
    own: Sequence[ExtensionSpec] = ()
    lanes: ActorLanes | None = None
    admin_code: str | None = None


@dataclass(frozen=True, slots=True)
class Core:
    settings: Settings
    clock: Clock
    background: BackgroundTasks
    readiness: Readiness
    tokens: Tokens


@dataclass(frozen=True, slots=True)
class Storage:
    store: Store
    blobs: Blobs
    peers: Peers

    @property
    def is_shared(self) -> bool:
        """Whether other servers may work on the same store."""
        return not isinstance(self.peers, NoPeers)

    async def aclose(self) -> None:
        await self.blobs.aclose()
        await self.peers.aclose()
        await self.store.aclose()


@dataclass(frozen=True, slots=True)
class Live:
    """How events reach clients: `local` those of this server, `bus` those of all servers."""

    feeds: Feeds
    sockets: SocketBus
    local: EventBus
    bus: EventBus
    streams: Streams
    waiters: Waiters
    subscriptions: Subscriptions
    presence: Presence
    connections: Connections


@dataclass(frozen=True, slots=True)
class Dispatch:
    """Changes of the store and what follows them."""

    registry: WorkerRegistry
    channel: SocketWorkerChannel
    notifier: Notifier
    secrets: Secrets
    pushes: Pushes
    dispatcher: Dispatcher
    effects: Effects
    steps: Steps
    worker_steps: WorkerSteps


@dataclass(frozen=True, slots=True)
class Limits:
    validation: Validation
    quotas: QuotaKeeper
    throttles: Throttles


@dataclass(frozen=True, slots=True)
class Identity:
    accounts: Accounts
    view_links: ViewLinks
    consent: Consent
    rooms: Rooms
    access: Access


@dataclass(frozen=True, slots=True)
class History:
    annotations: Annotations
    search: JobSearch
    export: JobExport
    bulk: BulkActions


@dataclass(frozen=True, slots=True)
class Data:
    """The data of rooms."""

    locks: Locks
    documents: Documents
    records: Records
    versions: Versions
    frames: Frames
    collector: FrameCollector
    job_edits: JobEditsKeeper


@dataclass(frozen=True, slots=True)
class Jobs:
    form_values: FormValues
    submission: Submission
    reports: Reports
    operations: Operations
    tasks: TaskFacade
    exchanges: JobExchanges
