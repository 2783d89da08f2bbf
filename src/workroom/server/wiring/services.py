"""The running server: groups of parts, wired one after the other."""

from __future__ import annotations

from collections.abc import AsyncIterator
from contextlib import asynccontextmanager

from workroom.clock import SystemClock
from workroom.server.fast.message_decoder import FastMessageDecoder
from workroom.server.http.context import Services
from workroom.server.sockets.exchange_handlers import ExchangeHandlers
from workroom.server.sockets.handlers import SocketHandlers
from workroom.server.sockets.job_handlers import JobHandlers
from workroom.server.sockets.job_waits import JobWaits
from workroom.server.sockets.lock_handlers import LockHandlers
from workroom.server.sockets.message_decoder import MessageDecoder
from workroom.server.sockets.subscription_handlers import SubscriptionHandlers
from workroom.server.sockets.worker_handlers import WorkerHandlers
from workroom.server.wiring.groups import Core, ServerParts
from workroom.server.wiring.subjects import (
    open_storage,
    start_replication,
    wire_data,
    wire_dispatch,
    wire_files,
    wire_history,
    wire_identity,
    wire_jobs,
    wire_limits,
    wire_live,
    wire_registration,
    wire_shutdown,
    wire_workers,
)
from workroom.services.admin.activity import ActivityHistory
from workroom.services.admin.audit_log import AuditLog
from workroom.services.directory import Directory
from workroom.services.identity.identified_users import IdentifiedUsers
from workroom.services.identity.logins import Logins
from workroom.services.jobs.groups import Groups
from workroom.services.jobs.job_reader import JobReader
from workroom.services.lifecycle.background import BackgroundTasks
from workroom.services.lifecycle.health import Health
from workroom.services.live.positions import LivePositions
from workroom.services.metrics.metrics import Metrics
from workroom.services.rooms.chat import Chat
from workroom.services.rooms.presets import Presets
from workroom.services.workers.sweeper import Sweeper


@asynccontextmanager
async def open_services(parts: ServerParts) -> AsyncIterator[Services]:
    core = Core(parts.settings, SystemClock(), BackgroundTasks(), parts.readiness, parts.tokens)
    storage = await open_storage(core.settings)
    await storage.store.put_extensions(parts.own)
    live = await wire_live(core, storage, parts.sockets)
    dispatch = wire_dispatch(core, storage, live, parts.sockets)
    limits = wire_limits(core, storage)
    identity = wire_identity(core, storage, live, dispatch, limits)
    await identity.accounts.open(core.settings.admin_password, parts.admin_code)
    jobs = wire_jobs(core, storage, dispatch, limits, identity, parts.lanes or {})
    job_reader = JobReader(storage.store, identity.access, dispatch.dispatcher, dispatch.secrets)
    history = wire_history(core, storage, dispatch, limits, identity, jobs, job_reader)
    sessions = wire_workers(core, storage, dispatch, limits)
    files = wire_files(core, storage, dispatch, limits)
    data = wire_data(core, storage, live, dispatch, identity, files)
    metrics = Metrics(
        storage.store,
        dispatch.effects,
        dispatch.dispatcher,
        dispatch.registry,
        core.clock,
        parts.sockets.count,
        live.feeds.count,
    )
    activity = ActivityHistory(metrics)
    services = Services(
        settings=core.settings,
        clock=core.clock,
        directory=Directory(storage.store),
        secrets=dispatch.secrets,
        form_values=jobs.form_values,
        accounts=identity.accounts,
        logins=Logins(
            identity.accounts, identity.view_links, limits.throttles, limits.quotas, identity.consent
        ),
        identified_users=IdentifiedUsers(storage.store, identity.accounts, core.tokens),
        view_links=identity.view_links,
        access=identity.access,
        throttles=limits.throttles,
        quotas=limits.quotas,
        rooms=identity.rooms,
        submission=jobs.submission,
        reports=jobs.reports,
        worker_sessions=sessions,
        registration=wire_registration(core, limits, identity, sessions),
        consent=identity.consent,
        tasks=jobs.tasks,
        job_reader=job_reader,
        operations=jobs.operations,
        groups=Groups(
            storage.store,
            dispatch.steps,
            identity.access,
            jobs.submission,
            jobs.operations,
            job_reader,
            dispatch.effects.group_waiters,
            limits.throttles.submits.take,
        ),
        annotations=history.annotations,
        job_search=history.search,
        export=history.export,
        bulk=history.bulk,
        readiness=core.readiness,
        health=Health(storage.store, limits.quotas.check_disk, core.clock),
        metrics=metrics,
        activity=activity,
        audit=AuditLog(storage.store),
        shutdown=wire_shutdown(storage, live, dispatch, sessions),
        chat=Chat(storage.store, dispatch.steps, dispatch.secrets),
        streams=live.streams,
        connections=live.connections,
        waits=JobWaits(
            identity.access, identity.accounts, live.connections, live.subscriptions, live.waiters
        ),
        subscriptions=live.subscriptions,
        presence=live.presence,
        positions=LivePositions(storage.store, live.bus.publish),
        files=files,
        presets=Presets(
            storage.store,
            dispatch.steps,
            identity.access,
            dispatch.effects.catalog,
            dispatch.secrets,
            limits.quotas,
            core.settings.max_data,
        ),
        locks=data.locks,
        documents=data.documents,
        versions=data.versions,
        records=data.records,
        frames=data.frames,
        exchanges=jobs.exchanges,
    )
    decoder = (FastMessageDecoder if core.settings.fast else MessageDecoder)(core.settings.max_items)
    SocketHandlers(
        parts.sockets,
        services,
        core.tokens,
        core.background,
        WorkerHandlers(parts.sockets, services, decoder),
        SubscriptionHandlers(parts.sockets, services),
        JobHandlers(services, live.waiters, decoder),
        LockHandlers(services),
        ExchangeHandlers(services, decoder),
    )
    start_replication(core, storage, live, dispatch, identity)
    core.background.start(metrics.open())
    core.background.start(activity.run())
    core.background.start(files.run())
    core.background.start(live.presence.run())
    core.background.start(data.locks.run())
    core.background.start(data.collector.run())
    core.background.start(data.job_edits.run())
    core.background.start(
        Sweeper(
            dispatch.steps, dispatch.effects, dispatch.dispatcher, dispatch.channel, core.settings.sweep
        ).run()
    )
    try:
        yield services
    finally:
        core.readiness.leave()
        await core.background.aclose()
        dispatch.notifier.close()
        await limits.validation.aclose()
        data.frames.aclose()
        await storage.aclose()
