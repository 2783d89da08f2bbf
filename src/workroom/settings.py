"""Every setting, read once: flags, then `WORKROOM_*`, then `workroom.toml`, then the default."""

from __future__ import annotations

import hashlib
import re
from functools import cached_property
from pathlib import Path
from typing import Annotated, Any, Literal, Self

import orjson
from pydantic import Field, field_validator, model_validator
from pydantic_settings import (
    BaseSettings,
    NoDecode,
    PydanticBaseSettingsSource,
    SettingsConfigDict,
    TomlConfigSettingsSource,
)

from workroom.domain.extension import RunnerKind
from workroom.domain.files import ArtifactLimits
from workroom.domain.jobs.exchanges import ExchangeLimits
from workroom.domain.jobs.logs import LogLimits
from workroom.domain.room_data.documents import DataLimits
from workroom.domain.room_data.frames import FrameLimits
from workroom.domain.room_data.locks import LockLimits
from workroom.domain.room_data.records import RecordLimits
from workroom.domain.steps import ReportLimits
from workroom.domain.storage.durability import Durability, Guarantees
from workroom.domain.worker import Liveness
from workroom.quota_settings import QuotaSettings

_SITE = re.compile(
    r"self|https?://(\*\.)?[A-Za-z0-9.-]+(:(\d{1,5}|\*))?|https?://\[[0-9A-Fa-f:]+\](:\d{1,5})?"
)
_REPORT_BYTES = 10_000  # the rest of a message that carries a result, at most


class Settings(QuotaSettings):
    model_config = SettingsConfigDict(
        env_prefix="WORKROOM_", env_ignore_empty=True, toml_file="workroom.toml", extra="ignore"
    )

    host: str = Field("127.0.0.1", description="address to listen on")
    port: int = Field(8000, ge=0, le=65535, description="port; 0 picks a free one")
    data_dir: Path = Field(
        Path("workroom-data"), description="directory of the database, the files and the signing key"
    )
    store: str | None = Field(None, description="store URL; a SQLite file in the data directory by default")
    fast: bool = Field(
        True, description="replace parts of uvicorn, python-socketio and redis-py; off uses them as published"
    )
    relaxed: bool = Field(
        False, description="do not wait for the disk: a power failure may lose the last jobs"
    )

    durability: Durability | None = Field(
        None,
        description="what Redis must be set to: always, everysec or none; by default always, or everysec "
        "if relaxed",
    )
    store_replicas: int = Field(
        0, ge=0, description="replicas of Redis that must have a change before it is acknowledged"
    )

    storage: str | None = Field(
        None, description="fsspec URL of the files; a directory in the data directory by default"
    )

    archive: str | None = Field(None, description="archive of a Redis store: sqlite:///path/to/archive.db")
    archive_after: float = Field(3600.0, ge=0, description="seconds after its end when a job is archived")

    retention_days: float | None = Field(
        None, gt=0, description="delete jobs that ended longer ago; default never"
    )

    runner: RunnerKind = Field(
        RunnerKind.LOCAL, description="what runs the server's own extensions: local processes, or celery"
    )
    broker: str | None = Field(
        None, repr=False, description="broker URL of the Celery fleet; the store's if that is Redis"
    )
    insist: float = Field(
        10.0, gt=0, description="seconds for code in a Celery task to stop, before its process is ended"
    )
    workers: int = Field(1, ge=0, description="worker processes for the server's own extensions")
    slots: int = Field(1, ge=1, description="jobs that each of them runs at the same time")
    rooms: Annotated[list[str], NoDecode] = Field(
        default_factory=list, description="rooms that the server creates at startup, owned by the admin"
    )
    extensions: Annotated[list[str], NoDecode] = Field(
        default_factory=list, description="module:Class of the server's own extensions"
    )

    packs: Annotated[list[str] | None, NoDecode] = Field(
        None, description="installed packs to serve; all by default, [] for none"
    )

    shutdown: float = Field(
        30.0, ge=0, description="seconds that a shutdown waits for the jobs of these workers"
    )

    admin_password: str | None = Field(None, repr=False, description="opens the account admin")
    signing_key: str | None = Field(
        None, repr=False, min_length=16, description="signs tokens; the same for all servers on one store"
    )
    token_days: float = Field(30.0, gt=0, description="days for which a login is valid without being renewed")
    guests: bool = Field(True, description="anyone may log in with a name")
    hosts: Annotated[list[str], NoDecode] = Field(
        default_factory=list, description="names by which browsers reach the server"
    )
    proxies: Annotated[list[str], NoDecode] = Field(
        default_factory=list, description="proxies whose X-Forwarded-* headers are trusted"
    )
    origins: Annotated[list[str], NoDecode] = Field(
        default_factory=list, description="other sites whose pages may call (CORS)"
    )
    frame_ancestors: Annotated[list[str], NoDecode] = Field(
        default_factory=list,
        description="sites that may show the page in a frame: https://hub.example.org; none by default",
    )

    heartbeat: float = Field(5.0, gt=0, description="seconds between two heartbeats of a worker")
    lease: float = Field(30.0, gt=0, description="seconds of silence after which a worker is lost")
    grace: float = Field(
        10.0, ge=0, description="seconds after which a worker is lost that has closed its connection"
    )
    ack: float = Field(5.0, gt=0, description="seconds for a worker to acknowledge a job")
    start: float = Field(
        15.0, gt=0, description="seconds for an idle worker to start a job that it was assigned"
    )
    read_ahead: int = Field(512, ge=0, le=512, description="jobs that a worker may hold beyond its slots")
    worker_linger: float = Field(3600.0, ge=0, description="seconds that an offline worker stays listed")
    extension_linger: float = Field(
        86_400.0, ge=0, description="seconds that an extension stays listed after its last worker left"
    )
    sweep: float = Field(1.0, gt=0, description="seconds between two searches for what is due")

    ping: float = Field(15.0, gt=0, description="seconds after which an idle stream sends a comment")
    stall: float = Field(
        30.0, gt=0, description="seconds after which a connection that reads or sends nothing is closed"
    )
    head_timeout: float = Field(
        10.0, gt=0, description="seconds for the head of a request, and for the CONNECT of a socket"
    )
    body_timeout: float = Field(30.0, gt=0, description="seconds for a request body that is not a file")
    idle_timeout: float = Field(
        75.0, gt=0, description="seconds that a connection stays open between two requests"
    )

    max_connections: int = Field(5000, ge=1, description="open connections in total")
    max_address_connections: int = Field(
        500, ge=1, description="open connections of one address; for IPv6, one /64"
    )
    max_head: int = Field(32_768, ge=1024, description="bytes of the first line and headers of a request")
    max_headers: int = Field(100, ge=10, description="headers of a request")
    max_pipelined: int = Field(
        16, ge=1, description="requests that one connection may send before the first response"
    )
    max_body: int = Field(1_100_000, description="bytes of a request body")
    max_anonymous_body: int = Field(65_536, ge=1024, description="bytes of a request body without a token")
    max_json_parts: int = Field(
        1_000_000,
        ge=1000,
        description="parts of a JSON body or message: a comma counts 1, a list 3, an object 6",
    )
    max_hello: int = Field(
        16_384, ge=1024, description="bytes of a socket message before the socket is connected"
    )
    max_message: int = Field(4_000_000, ge=65_536, description="bytes of a socket message")
    max_queued: int = Field(8_000_000, ge=65_536, description="bytes queued for one socket")
    max_requests: int = Field(2000, ge=1, description="requests of one socket being handled")
    max_waits: int = Field(1000, ge=0, description="jobs whose end one socket waits for")
    max_watches: int = Field(5000, ge=1, description="rooms and jobs that one socket watches")
    max_data: int = Field(1_000_000, description="bytes of a job's values")
    max_result: int = Field(1_000_000, description="bytes of a job's result")
    max_delay: int = Field(31_622_400, ge=0, description="seconds that a job may be submitted ahead")

    max_items: int = Field(256, ge=1, description="reports in one message of a worker")
    max_holds: int = Field(10_000, ge=1, description="attempts that one worker may list as held")
    max_error_details: int = Field(64_000, ge=0, description="bytes of the details of a job's error")
    max_machine: int = Field(16_000, ge=2, description="bytes of a worker's machine details")

    max_log_lines: int = Field(10_000, ge=1, description="log lines kept per job")
    max_log_bytes: int = Field(1_000_000, ge=1, description="log bytes kept per job")

    max_artifact: int = Field(10_000_000_000, description="bytes of a file that a job saves")
    max_artifacts: int = Field(1000, ge=1, description="files that one job may save")
    max_artifacts_bytes: int = Field(100_000_000_000, description="bytes of all files that one job saves")
    max_file: int = Field(10_000_000_000, description="bytes of a file uploaded to a room")
    max_preview: int = Field(5_000_000, description="bytes of a preview")
    max_positions: int = Field(1_200_000, ge=12, description="bytes of positions that a job shows")
    positions_rate: str = Field("20/second", description="positions that one job shows")

    max_exchanges: int = Field(200, ge=1, description="external ids, intents and questions of one job")
    max_exchanges_bytes: int = Field(1_000_000, ge=1, description="bytes of all of these of one job")
    max_answer: int = Field(64_000, ge=1, description="bytes of an answer to a question")
    max_document: int = Field(1_000_000, ge=1, description="bytes of a document")
    max_documents: int = Field(500, ge=1, description="documents of one room")
    max_documents_bytes: int = Field(10_000_000, ge=1, description="bytes of all documents of one room")
    max_record: int = Field(64_000, ge=1, description="bytes of a record")
    max_records: int = Field(100_000, ge=1, description="records of one room")
    max_records_bytes: int = Field(100_000_000, ge=1, description="bytes of all records of one room")
    max_versions: int = Field(100, ge=1, description="changes of a room's documents that can be undone")
    max_versions_bytes: int = Field(
        30_000_000, ge=0, description="bytes of older contents that the versions of one room keep"
    )
    version_days: float = Field(7.0, gt=0, description="days after which a version is dropped")
    max_locks: int = Field(200, ge=1, description="locks held in one room")
    max_user_locks: int = Field(50, ge=1, description="locks that one user holds or awaits in one room")
    max_lock_waiters: int = Field(100, ge=0, description="waiters for one lock")
    data_rate: str = Field("200/second", description="locks and changes of documents by one user")

    max_frames: int = Field(10_000_000, ge=1, description="frames of one room")
    max_piece: int = Field(
        16_000_000, ge=65_536, le=1_000_000_000, description="bytes of a message of frames, and of one frame"
    )
    max_directory: int = Field(
        2_000_000, ge=4096, le=100_000_000, description="bytes of the directory of a message of frames"
    )
    max_frame_keys: int = Field(200, ge=1, le=10_000, description="keys of one frame")
    max_frame_indices: int = Field(10_000, ge=1, description="indices of frames in one request")
    max_column_values: int = Field(1_000_000, ge=1, description="values of frames in one request for columns")
    max_frames_memory: int = Field(
        500_000_000,
        ge=100_000_000,
        description="bytes of messages of frames that are received or sent at the same time",
    )
    frames_cache: int = Field(
        64_000_000,
        ge=0,
        description="bytes of indexes, of directories and of remote pieces kept in memory, each",
    )
    frames_rate: str = Field("2000/second", description="uploads and changes of frames by one user")

    max_schema: int = Field(100_000, description="bytes of an extension's schema")
    max_schema_depth: int = Field(40, ge=1, le=200, description="depth of an extension's schema")
    max_secret_parts: int = Field(
        5000, ge=1, description="parts of a job's values that are searched for secret fields"
    )
    validators: int = Field(2, ge=1, description="processes that validate values of unknown cost")
    validation_time: float = Field(
        1.0, gt=0, description="seconds of CPU time to validate the values of one job"
    )
    batch_validation_time: float = Field(
        10.0, gt=0, description="seconds for all such validations of one request"
    )
    max_validation_queue: int = Field(16, ge=1, description="such validations of one user that wait")
    max_slots: int = Field(1000, ge=1, description="slots of one worker")
    max_guest_slots: int = Field(64, ge=1, description="slots of one worker of a guest, or of a paired one")
    max_sockets: int = Field(200, ge=1, description="open connections of one user")
    register_rate: str = Field("10/minute", description="registrations of one user")
    submit_rate: str = Field("10000/second", description="jobs that one user may submit")
    login_rate: str = Field("60/minute", description="logins from one address")
    guess_rate: str = Field("10/minute", description="wrong passwords from one address")
    account_guess_rate: str = Field(
        "100/hour", description="wrong passwords for one account, from addresses that never logged in to it"
    )
    invite_guess_rate: str = Field("10/minute", description="wrong invites from one address or account")
    code_guess_rate: str = Field("10/minute", description="wrong pairing codes and links from one address")
    password_threads: int = Field(2, ge=1, description="passwords checked at the same time")
    max_password_queue: int = Field(40, ge=1, description="password checks that wait")
    max_password_queue_per_address: int = Field(
        4, ge=1, description="password checks of one address that wait"
    )

    metrics_host: str = Field("127.0.0.1", description="address of the port for metrics")
    metrics_port: int | None = Field(
        None,
        ge=1,
        le=65535,
        description="port that has /metrics alone and needs no token; default none",
    )

    log_level: Literal["debug", "info", "warning", "error", "critical"] = Field(
        "info", description="lines below this level are not logged"
    )
    log_format: Literal["text", "json"] = Field("text", description="lines for people, or JSON for machines")

    @field_validator(
        "rooms", "extensions", "packs", "hosts", "proxies", "origins", "frame_ancestors", mode="before"
    )
    @classmethod
    def _separate(cls, given: Any) -> Any:
        """Accept `a:B,c:D` as well as a JSON list."""
        if not isinstance(given, str):
            return given
        if given.lstrip().startswith("["):
            return orjson.loads(given)
        return [name.strip() for name in given.split(",") if name.strip()]

    @field_validator("frame_ancestors")
    @classmethod
    def _sites(cls, given: list[str]) -> list[str]:
        """They become a part of a header, so that nothing but the address of a site is accepted."""
        sites = [site.rstrip("/") for site in given]
        for site in sites:
            if not _SITE.fullmatch(site):
                raise ValueError(f"'{site[:100]}' is not self or a site like https://hub.example.org:8888")
        return sites

    @field_validator("store")
    @classmethod
    def _known_store(cls, url: str | None) -> str | None:
        if url is not None and not re.match(r"(sqlite:///|rediss?://|unix:///).", url):
            raise ValueError("use sqlite:///path/to/file.db, redis://host:port/0 or unix:///path/to/socket")
        return url

    @field_validator("runner")
    @classmethod
    def _server_side(cls, runner: RunnerKind) -> RunnerKind:
        if not runner.is_server_side:
            raise ValueError("use local or celery; remote workers connect by themselves")
        return runner

    @model_validator(mode="after")
    def _has_broker(self) -> Self:
        if self.runner is RunnerKind.CELERY and self.broker_url is None:
            raise ValueError("a Celery fleet needs a broker: WORKROOM_BROKER=redis://host:port/1")
        return self

    @property
    def broker_url(self) -> str | None:
        """The broker URL in Celery's form."""
        url = self.broker or self.store
        if url is None or (self.broker is None and url.startswith("sqlite")):
            return None
        return re.sub(r"^unix://", "redis+socket://", url)

    @field_validator("archive")
    @classmethod
    def _known_archive(cls, url: str | None) -> str | None:
        if url is not None and not re.match(r"sqlite:///.", url):
            raise ValueError("use sqlite:///path/to/archive.db")
        return url

    @cached_property
    def cookie(self) -> str:
        """All ports of a host share their cookies, so each server has its own.

        Servers that share a signing key accept each other's tokens, so they share the cookie too.
        """
        own = f"workroom cookie {self.signing_key or self.data_dir.resolve()}"
        return f"workroom-{hashlib.sha256(own.encode()).hexdigest()[:8]}"

    @property
    def session_cookie(self) -> str:
        """Shows the page that there is a token, whose own cookie no script can read."""
        return f"{self.cookie}-session"

    @property
    def store_url(self) -> str:
        return self.store or f"sqlite:///{self.data_dir / 'workroom.db'}"

    @property
    def guarantees(self) -> Guarantees:
        default = Durability.EVERYSEC if self.relaxed else Durability.ALWAYS
        return Guarantees(self.durability or default, self.store_replicas)

    @property
    def storage_url(self) -> str:
        return self.storage or f"file://{(self.data_dir / 'files').resolve()}"

    @property
    def secrets(self) -> frozenset[str]:
        """Values that must stay in the server: passwords, keys, URLs that may contain them."""
        given = (self.admin_password, self.signing_key, self.store, self.broker, self.storage, self.archive)
        return frozenset(value for value in given if value)

    @property
    def disks(self) -> list[Path]:
        """Local directories that the server writes to."""
        paths = [self.data_dir]
        for url in (self.store_url, self.storage_url):
            scheme, _, path = url.partition("://")
            if scheme in ("sqlite", "file"):
                paths.append(Path(path.removeprefix("/")) if scheme == "sqlite" else Path(path))
        return paths

    @property
    def liveness(self) -> Liveness:
        return Liveness(
            self.heartbeat,
            self.lease,
            self.grace,
            self.ack,
            self.start,
            self.worker_linger,
            self.extension_linger,
        )

    @property
    def log_limits(self) -> LogLimits:
        return LogLimits(self.max_log_lines, self.max_log_bytes)

    @property
    def report_limits(self) -> ReportLimits:
        result = min(self.max_result, self.max_message - _REPORT_BYTES)
        return ReportLimits(self.max_items, self.max_holds, result, self.max_error_details, self.max_message)

    @property
    def exchange_limits(self) -> ExchangeLimits:
        return ExchangeLimits(self.max_exchanges, self.max_exchanges_bytes)

    @property
    def record_limits(self) -> RecordLimits:
        return RecordLimits(self.max_records, self.max_records_bytes)

    @property
    def data_limits(self) -> DataLimits:
        return DataLimits(
            self.max_documents,
            self.max_documents_bytes,
            self.max_versions,
            self.max_versions_bytes,
            int(self.version_days * 86_400_000_000),
        )

    @property
    def frame_limits(self) -> FrameLimits:
        return FrameLimits(self.max_piece, self.max_directory, self.max_frame_keys, self.max_frames)

    @property
    def lock_limits(self) -> LockLimits:
        return LockLimits(self.max_locks, self.max_user_locks, self.max_lock_waiters)

    @property
    def artifact_limits(self) -> ArtifactLimits:
        return ArtifactLimits(self.max_artifacts, self.max_artifacts_bytes)

    @classmethod
    def settings_customise_sources(
        cls,
        settings_cls: type[BaseSettings],
        init_settings: PydanticBaseSettingsSource,
        env_settings: PydanticBaseSettingsSource,
        dotenv_settings: PydanticBaseSettingsSource,
        file_secret_settings: PydanticBaseSettingsSource,
    ) -> tuple[PydanticBaseSettingsSource, ...]:
        return init_settings, env_settings, TomlConfigSettingsSource(settings_cls)
