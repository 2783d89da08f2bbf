"""How each group of parts is made from those before it."""

from __future__ import annotations

from concurrent.futures import ThreadPoolExecutor

from workroom.domain.extension import RunnerKind
from workroom.domain.queries import FindLogPosition, FindRevokedTokens
from workroom.domain.storage.peer_message import PeerMessage
from workroom.errors import StartRefused, StoreReplaced, StoreUnavailable
from workroom.ports import Store
from workroom.runners.notifiers import open_notifier
from workroom.server.sockets.connections import Connections
from workroom.server.sockets.event_bus import DeferredBus, FanOut, OrderedBus, SocketBus
from workroom.server.sockets.socket_server import SocketServer
from workroom.server.sockets.worker_channel import SocketWorkerChannel
from workroom.server.wiring.groups import Core, Data, Dispatch, History, Identity, Jobs, Limits, Live, Storage
from workroom.services.effects import Effects
from workroom.services.history.annotations import Annotations
from workroom.services.history.bulk import BulkActions
from workroom.services.history.export import JobExport
from workroom.services.history.job_finder import JobFinder
from workroom.services.history.job_search import JobSearch
from workroom.services.identity.access import Access
from workroom.services.identity.accounts import Accounts
from workroom.services.identity.passwords import Passwords
from workroom.services.identity.view_links import ViewLinks
from workroom.services.jobs.admission import ActorLanes, Admission
from workroom.services.jobs.arrows import Arrows
from workroom.services.jobs.catalog import Catalog
from workroom.services.jobs.exchanges import JobExchanges
from workroom.services.jobs.filling import Filler
from workroom.services.jobs.form_values import FormValues
from workroom.services.jobs.intake import JobIntake
from workroom.services.jobs.job_reader import JobReader
from workroom.services.jobs.log_lines import line_reader
from workroom.services.jobs.operations import Operations
from workroom.services.jobs.reports import Reports
from workroom.services.jobs.secrets import Secrets
from workroom.services.jobs.submission import Submission
from workroom.services.jobs.submit_queue import SubmitQueue
from workroom.services.jobs.submit_requests import IdempotencyKeys
from workroom.services.jobs.waiters import Waiters
from workroom.services.lifecycle.shutdown import Shutdown
from workroom.services.lifecycle.store_epoch import StoreEpoch
from workroom.services.limits.buffers import BodyBuffers
from workroom.services.limits.disk import Disk
from workroom.services.limits.memory import MemoryBudget
from workroom.services.limits.quotas import QuotaKeeper
from workroom.services.limits.throttles import throttles
from workroom.services.live.feeds import Feeds
from workroom.services.live.presence import Presence
from workroom.services.live.replicas import PeerBus, Replicas
from workroom.services.live.resync import Resync
from workroom.services.live.streams import Streams
from workroom.services.live.subscriptions import Subscriptions
from workroom.services.room_data.data_steps import DataSteps
from workroom.services.room_data.documents import Documents
from workroom.services.room_data.frames.collector import FrameCollector
from workroom.services.room_data.frames.columns import FrameColumns
from workroom.services.room_data.frames.editing import FrameEditor
from workroom.services.room_data.frames.frames import Frames
from workroom.services.room_data.frames.indexes import FrameIndexes
from workroom.services.room_data.frames.piece_bytes import PieceBytes
from workroom.services.room_data.frames.pieces import Pieces
from workroom.services.room_data.frames.reading import FrameReader
from workroom.services.room_data.job_edits import JobEditsKeeper
from workroom.services.room_data.locks import Locks
from workroom.services.room_data.records import Records
from workroom.services.room_data.versions import Versions
from workroom.services.rooms.blob_names import BlobNames
from workroom.services.rooms.files import Files
from workroom.services.rooms.room_steps import RoomSteps
from workroom.services.rooms.rooms import Rooms
from workroom.services.steps import Steps
from workroom.services.tasks.facade import TaskFacade
from workroom.services.validation.schemas import SchemaLimits
from workroom.services.validation.validation import Validation, ValidationLimits
from workroom.services.workers.consent import Consent
from workroom.services.workers.dispatcher import Dispatcher
from workroom.services.workers.fleet_notifier import FleetNotifier
from workroom.services.workers.pushes import Pushes
from workroom.services.workers.registration import Registration, RegistrationLimits
from workroom.services.workers.registry import WorkerRegistry
from workroom.services.workers.sessions import WorkerSessions
from workroom.services.workers.worker_steps import WorkerSteps
from workroom.settings import Settings
from workroom.stores import open_blobs, open_peers, open_store

_FRAME_THREADS = 4  # that check messages and put them together, besides those that read and write blobs


async def open_storage(settings: Settings) -> Storage:
    """Raise StartRefused, with what to do, if the store must not be used."""
    store = await _open_store(settings)
    blobs = open_blobs(settings.storage_url, relaxed=settings.relaxed)
    return Storage(store, blobs, open_peers(settings.store_url))


async def _open_store(settings: Settings) -> Store:
    known = StoreEpoch(settings.data_dir, settings.store_url)
    try:
        store = _store(settings, known.expected)
    except StoreReplaced as error:
        raise StartRefused(known.explanation) from error
    try:
        await store.probe()
        known.remember((await store.read(FindLogPosition())).epoch)
    except BaseException as error:
        await store.aclose()
        if isinstance(error, StoreReplaced):
            raise StartRefused(known.explanation) from error
        if isinstance(error, StoreUnavailable):
            raise StartRefused(f"cannot use the store: {error.detail}") from error
        raise
    return store


def _store(settings: Settings, epoch: str | None) -> Store:
    return open_store(
        settings.store_url,
        settings.liveness,
        relaxed=settings.relaxed,
        retention_days=settings.retention_days,
        logs=settings.log_limits,
        archive=settings.archive,
        archive_after=settings.archive_after,
        fast=settings.fast,
        guarantees=settings.guarantees,
        epoch=epoch,
    )


async def wire_live(core: Core, storage: Storage, server: SocketServer) -> Live:
    position = await storage.store.read(FindLogPosition())
    feeds = Feeds(position)
    sockets = SocketBus(server)
    local = FanOut(feeds, sockets)
    everywhere = (
        FanOut(local, PeerBus(storage.peers)) if storage.is_shared else OrderedBus(local, position.last)
    )
    return Live(
        feeds,
        sockets,
        local,
        DeferredBus(everywhere),
        Streams(storage.store, feeds, line_reader(storage.store)),
        Waiters(),
        Subscriptions(),
        Presence(everywhere.publish, core.clock),
        Connections(core.tokens, core.settings.max_sockets),
    )


def wire_dispatch(core: Core, storage: Storage, live: Live, server: SocketServer) -> Dispatch:
    settings = core.settings
    registry = WorkerRegistry()
    channel = SocketWorkerChannel(registry, server, core.clock, settings.ack)
    notifier = open_notifier(settings.broker_url if settings.runner is RunnerKind.CELERY else None)
    secrets = Secrets(core.tokens.key, storage.store, settings.max_secret_parts)
    pushes = Pushes(channel, secrets, core.background)
    dispatcher = Dispatcher(
        storage.store,
        registry,
        pushes,
        live.bus,
        core.background,
        core.clock,
        core.readiness,
        FleetNotifier(storage.store, notifier, core.background, core.clock),
        settings.read_ahead,
    )
    catalog = Catalog(storage.store)
    effects = Effects(live.bus, dispatcher, catalog, live.waiters, storage.peers, live.subscriptions)
    return Dispatch(
        registry,
        channel,
        notifier,
        secrets,
        pushes,
        dispatcher,
        effects,
        Steps(storage.store, effects),
        WorkerSteps(storage.store, effects),
    )


def wire_limits(core: Core, storage: Storage) -> Limits:
    settings = core.settings
    limits = ValidationLimits(
        settings.validators,
        settings.validation_time,
        settings.batch_validation_time,
        settings.max_validation_queue,
    )
    disk = Disk(settings.disks, settings.min_free_bytes, core.clock)
    return Limits(
        Validation(limits, core.background),
        QuotaKeeper(storage.store, core.clock, settings.quotas, disk),
        throttles(settings),
    )


def wire_identity(core: Core, storage: Storage, live: Live, dispatch: Dispatch, limits: Limits) -> Identity:
    settings, store = core.settings, storage.store

    def close_revoked() -> None:
        live.connections.close_revoked()
        storage.peers.send(PeerMessage(tokens_revoked=True))

    passwords = Passwords(
        settings.password_threads, settings.max_password_queue, settings.max_password_queue_per_address
    )
    accounts = Accounts(store, core.tokens, core.clock, close_revoked, passwords, guests=settings.guests)
    consent = Consent(store, dispatch.worker_steps)
    rooms = Rooms(
        store,
        RoomSteps(store, live.bus.publish),
        core.clock,
        dispatch.steps,
        dispatch.effects.catalog,
        consent,
        live.subscriptions.room_changed,
        limits.quotas,
    )
    return Identity(accounts, ViewLinks(accounts, core.tokens), consent, rooms, Access(store, rooms))


def wire_jobs(
    core: Core, storage: Storage, dispatch: Dispatch, limits: Limits, identity: Identity, lanes: ActorLanes
) -> Jobs:
    store, steps, secrets = storage.store, dispatch.steps, dispatch.secrets
    catalog = dispatch.effects.catalog
    form_values = FormValues(store, steps, catalog, secrets, limits.quotas)
    admission = Admission(
        store,
        limits.validation,
        secrets,
        lanes,
        core.settings.max_data,
        core.settings.max_delay,
        core.clock,
    )
    dispatch.effects.on_fill(Filler(store, steps, catalog, admission, core.background).start)
    intake = JobIntake(
        store,
        catalog,
        admission,
        Arrows(store),
        limits.validation,
        SubmitQueue(store, steps, core.background),
        form_values,
        limits.quotas,
        core.clock,
    )
    keys = IdempotencyKeys(core.tokens.key)
    submission = Submission(identity.access, intake, limits.throttles.submits.take, keys)
    reports = Reports(steps, core.settings.report_limits, secrets)
    dispatch.pushes.on_unreadable(reports.fail_unreadable)
    return Jobs(
        form_values,
        submission,
        reports,
        Operations(store, steps, dispatch.worker_steps, intake, secrets),
        TaskFacade(
            store,
            identity.access,
            catalog,
            submission,
            reports,
            dispatch.registry,
            lanes,
            core.clock,
        ),
        JobExchanges(
            store,
            steps,
            identity.access,
            limits.validation,
            secrets,
            core.clock,
            core.settings.exchange_limits,
            SchemaLimits(core.settings.max_schema, core.settings.max_schema_depth),
            core.settings.max_answer,
        ),
    )


def wire_history(
    core: Core,
    storage: Storage,
    dispatch: Dispatch,
    limits: Limits,
    identity: Identity,
    jobs: Jobs,
    reader: JobReader,
) -> History:
    annotations = Annotations(storage.store, dispatch.steps, core.clock)
    finder = JobFinder(storage.store)
    search = JobSearch(finder, identity.access, core.clock, reader.estimate)
    bulk = BulkActions(identity.access, jobs.operations, jobs.reports, annotations, limits.throttles)
    return History(annotations, search, JobExport(storage.store, identity.access, search, finder), bulk)


def wire_files(core: Core, storage: Storage, dispatch: Dispatch, limits: Limits) -> Files:
    return Files(
        storage.store,
        dispatch.steps,
        storage.blobs,
        core.settings.artifact_limits,
        limits.quotas,
        BlobNames(core.clock),
        is_alone=not storage.is_shared,
    )


def wire_data(
    core: Core, storage: Storage, live: Live, dispatch: Dispatch, identity: Identity, files: Files
) -> Data:
    settings, store = core.settings, storage.store
    steps = DataSteps(store, live.bus.publish)
    job_edits = JobEditsKeeper(store, steps, dispatch.steps, settings.data_limits)
    dispatch.effects.on_transitions(job_edits.jobs_changed)
    versions = Versions(store, steps, settings.data_limits)
    frames = wire_frames(core, storage, steps, versions, files)
    return Data(
        Locks(store, steps, identity.access, core.clock, settings.lock_limits),
        Documents(store, steps, settings.data_limits, settings.max_document),
        Records(store, live.bus.publish, settings.record_limits, settings.max_record),
        versions,
        frames,
        FrameCollector(store, frames.pieces, core.clock),
        job_edits,
    )


def wire_frames(core: Core, storage: Storage, steps: DataSteps, versions: Versions, files: Files) -> Frames:
    settings, store, kept = core.settings, storage.store, core.settings.frames_cache
    threads = ThreadPoolExecutor(_FRAME_THREADS, "workroom-frames")
    indexes = FrameIndexes(store, versions, kept, is_alone=not storage.is_shared)
    steps.on_frames(indexes.changed)
    pieces = Pieces(store, files, threads, settings.frame_limits, kept)
    reader = FrameReader(indexes, pieces, PieceBytes(storage.blobs, kept), threads)
    return Frames(
        pieces,
        reader,
        FrameColumns(pieces, reader, settings.max_column_values),
        FrameEditor(indexes, pieces, steps, settings.data_limits, settings.max_frames),
        MemoryBudget(settings.max_frames_memory),
        BodyBuffers(),
        lambda: threads.shutdown(cancel_futures=True),
    )


def wire_workers(core: Core, storage: Storage, dispatch: Dispatch, limits: Limits) -> WorkerSessions:
    settings = core.settings
    return WorkerSessions(
        storage.store,
        dispatch.steps,
        dispatch.registry,
        dispatch.dispatcher,
        limits.validation,
        limits.quotas,
        SchemaLimits(settings.max_schema, settings.max_schema_depth),
        settings.runner,
    )


def wire_registration(
    core: Core, limits: Limits, identity: Identity, sessions: WorkerSessions
) -> Registration:
    settings = core.settings
    return Registration(
        identity.access,
        identity.consent,
        sessions,
        limits.throttles.registrations,
        RegistrationLimits(settings.max_slots, settings.max_guest_slots, settings.max_machine),
    )


def wire_shutdown(storage: Storage, live: Live, dispatch: Dispatch, sessions: WorkerSessions) -> Shutdown:
    own = sessions.own if storage.is_shared else None
    return Shutdown(storage.store, dispatch.steps, dispatch.registry, live.streams, own)


def start_replication(
    core: Core, storage: Storage, live: Live, dispatch: Dispatch, identity: Identity
) -> None:
    async def read_revoked() -> None:
        core.tokens.set_revoked(await storage.store.read(FindRevokedTokens()))
        live.connections.close_revoked()

    resync = Resync(
        storage.store,
        dispatch.effects,
        dispatch.registry,
        identity.rooms,
        read_revoked,
        live.feeds,
        live.sockets,
        core.background,
    )
    if storage.is_shared:
        replicas = Replicas(live.local, dispatch.effects, resync, live.presence, core.background)
        storage.peers.subscribe(replicas.receive, resync.messages_missed)
        core.background.start(resync.run())
