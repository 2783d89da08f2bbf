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
from workroom.domain.logs import LogLimits
from workroom.domain.worker import Liveness


class Settings(BaseSettings):
    model_config = SettingsConfigDict(
        env_prefix="WORKROOM_", env_ignore_empty=True, toml_file="workroom.toml", extra="ignore"
    )

    host: str = "127.0.0.1"
    port: int = Field(8000, ge=0, le=65535)
    data_dir: Path = Path("workroom-data")
    store: str | None = Field(None, description="store URL; a SQLite file in the data directory by default")
    relaxed: bool = Field(False, description="do not wait for the disk: a power cut may lose the last jobs")

    storage: str | None = Field(
        None, description="fsspec URL of the files; a directory in the data directory by default"
    )

    archive: str | None = Field(
        None, description="where ended jobs of a store on Redis move to: sqlite:///path/to/archive.db"
    )
    archive_after: float = Field(3600.0, ge=0, description="seconds after their end when they do")

    retention_days: float | None = Field(None, gt=0, description="forget jobs that ended before; never")

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
    slots: int = Field(1, ge=1, description="jobs that each of them runs at once")
    extensions: Annotated[list[str], NoDecode] = Field(
        default_factory=list, description="module:Class of extensions to serve"
    )

    shutdown: float = Field(30.0, ge=0, description="seconds that a stop waits for the jobs of these workers")

    admin_password: str | None = Field(None, repr=False)
    signing_key: str | None = Field(
        None, repr=False, min_length=16, description="signs tokens; the same for all servers on one store"
    )
    token_days: float = Field(30.0, gt=0)
    guests: bool = Field(True, description="anybody may come in by giving a name")
    hosts: Annotated[list[str], NoDecode] = Field(
        default_factory=list, description="names by which browsers reach the server"
    )
    proxies: Annotated[list[str], NoDecode] = Field(
        default_factory=list, description="proxies in front whose X-Forwarded-* is believed"
    )
    origins: Annotated[list[str], NoDecode] = Field(
        default_factory=list, description="other sites whose pages may call (CORS)"
    )

    heartbeat: float = Field(5.0, gt=0)
    lease: float = Field(30.0, gt=0)
    grace: float = Field(10.0, ge=0)
    ack: float = Field(5.0, gt=0)
    start: float = Field(15.0, gt=0)
    sweep: float = Field(1.0, gt=0)

    ping: float = Field(15.0, gt=0, description="seconds after which a silent stream says that it is alive")
    stall: float = Field(30.0, gt=0, description="seconds after which a stream that nobody reads is cut")

    max_body: int = Field(1_100_000, description="bytes of a request body")
    max_data: int = Field(1_000_000, description="bytes of a job's values")
    max_result: int = Field(1_000_000, description="bytes of a job's result")

    max_log_lines: int = Field(10_000, ge=1, description="lines that are kept of what a job prints")
    max_log_bytes: int = Field(1_000_000, ge=1, description="bytes that are kept of what a job prints")

    max_artifact: int = Field(10_000_000_000, description="bytes of a file that a job saves")
    max_artifacts: int = Field(1000, ge=1, description="files that one job may save")
    max_artifacts_bytes: int = Field(100_000_000_000, description="bytes of all files that one job saves")
    max_file: int = Field(10_000_000_000, description="bytes of a file that somebody brings to a room")
    max_preview: int = Field(5_000_000, description="bytes of what a running job shows")

    max_schema: int = Field(100_000, description="bytes of an extension's schema")
    max_schema_depth: int = Field(40, ge=1, le=200)
    max_sockets: int = Field(200, ge=1, description="open connections of one user")
    register_rate: str = Field("10/minute", description="registrations of one user")
    submit_rate: str = Field("10000/second", description="jobs that one user may submit")
    login_rate: str = Field("60/minute", description="logins from one address")
    guess_rate: str = Field("10/minute", description="wrong passwords and codes from one address")

    log_level: Literal["debug", "info", "warning", "error", "critical"] = "info"

    @field_validator("extensions", "hosts", "proxies", "origins", mode="before")
    @classmethod
    def _separate(cls, given: Any) -> Any:
        """`a:B,c:D` and a JSON list mean the same."""
        if not isinstance(given, str):
            return given
        if given.lstrip().startswith("["):
            return orjson.loads(given)
        return [name.strip() for name in given.split(",") if name.strip()]

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
            raise ValueError("use local or celery; remote workers come by themselves")
        return runner

    @model_validator(mode="after")
    def _has_broker(self) -> Self:
        if self.runner is RunnerKind.CELERY and self.broker_url is None:
            raise ValueError("a Celery fleet needs a broker: WORKROOM_BROKER=redis://host:port/1")
        return self

    @property
    def broker_url(self) -> str | None:
        """In Celery's words."""
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
        """Cookies are shared by all ports of a host, so each server has one of its own.

        Servers that share a key take each other's tokens, so they share the cookie too.
        """
        own = f"workroom cookie {self.signing_key or self.data_dir.resolve()}"
        return f"workroom-{hashlib.sha256(own.encode()).hexdigest()[:8]}"

    @property
    def store_url(self) -> str:
        return self.store or f"sqlite:///{self.data_dir / 'workroom.db'}"

    @property
    def storage_url(self) -> str:
        return self.storage or f"file://{(self.data_dir / 'files').resolve()}"

    @property
    def liveness(self) -> Liveness:
        return Liveness(self.heartbeat, self.lease, self.grace, self.ack, self.start)

    @property
    def log_limits(self) -> LogLimits:
        return LogLimits(self.max_log_lines, self.max_log_bytes)

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
