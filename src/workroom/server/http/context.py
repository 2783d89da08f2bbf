"""The services that routes and sockets call."""

from __future__ import annotations

from dataclasses import dataclass

from workroom.ports import Clock
from workroom.server.sockets.connections import Connections
from workroom.server.sockets.job_waits import JobWaits
from workroom.services.admin.activity import ActivityHistory
from workroom.services.admin.audit_log import AuditLog
from workroom.services.directory import Directory
from workroom.services.history.annotations import Annotations
from workroom.services.history.bulk import BulkActions
from workroom.services.history.export import JobExport
from workroom.services.history.job_search import JobSearch
from workroom.services.identity.access import Access
from workroom.services.identity.accounts import Accounts
from workroom.services.identity.identified_users import IdentifiedUsers
from workroom.services.identity.logins import Logins
from workroom.services.identity.view_links import ViewLinks
from workroom.services.jobs.exchanges import JobExchanges
from workroom.services.jobs.form_values import FormValues
from workroom.services.jobs.groups import Groups
from workroom.services.jobs.job_reader import JobReader
from workroom.services.jobs.operations import Operations
from workroom.services.jobs.reports import Reports
from workroom.services.jobs.secrets import Secrets
from workroom.services.jobs.submission import Submission
from workroom.services.lifecycle.background import Readiness
from workroom.services.lifecycle.health import Health
from workroom.services.lifecycle.shutdown import Shutdown
from workroom.services.limits.quotas import QuotaKeeper
from workroom.services.limits.throttles import Throttles
from workroom.services.live.positions import LivePositions
from workroom.services.live.presence import Presence
from workroom.services.live.streams import Streams
from workroom.services.live.subscriptions import Subscriptions
from workroom.services.metrics.metrics import Metrics
from workroom.services.room_data.documents import Documents
from workroom.services.room_data.frames.frames import Frames
from workroom.services.room_data.locks import Locks
from workroom.services.room_data.records import Records
from workroom.services.room_data.versions import Versions
from workroom.services.rooms.chat import Chat
from workroom.services.rooms.files import Files
from workroom.services.rooms.presets import Presets
from workroom.services.rooms.rooms import Rooms
from workroom.services.tasks.facade import TaskFacade
from workroom.services.workers.consent import Consent
from workroom.services.workers.registration import Registration
from workroom.services.workers.sessions import WorkerSessions
from workroom.settings import Settings


@dataclass(frozen=True, slots=True)
class Services:
    settings: Settings
    clock: Clock
    directory: Directory
    secrets: Secrets
    form_values: FormValues
    accounts: Accounts
    logins: Logins
    identified_users: IdentifiedUsers
    view_links: ViewLinks
    access: Access
    throttles: Throttles
    quotas: QuotaKeeper
    rooms: Rooms
    submission: Submission
    reports: Reports
    worker_sessions: WorkerSessions
    registration: Registration
    consent: Consent
    tasks: TaskFacade
    job_reader: JobReader
    operations: Operations
    groups: Groups
    annotations: Annotations
    job_search: JobSearch
    export: JobExport
    bulk: BulkActions
    readiness: Readiness
    health: Health
    metrics: Metrics
    activity: ActivityHistory
    audit: AuditLog
    shutdown: Shutdown
    chat: Chat
    streams: Streams
    connections: Connections
    waits: JobWaits
    subscriptions: Subscriptions
    presence: Presence
    positions: LivePositions
    files: Files
    presets: Presets
    locks: Locks
    documents: Documents
    versions: Versions
    records: Records
    frames: Frames
    exchanges: JobExchanges
