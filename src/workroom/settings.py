"""Every setting, read once: flags, then `WORKROOM_*`, then `workroom.toml`, then the default."""

from __future__ import annotations

from pathlib import Path

from pydantic import Field
from pydantic_settings import (
    BaseSettings,
    PydanticBaseSettingsSource,
    SettingsConfigDict,
    TomlConfigSettingsSource,
)

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

    retention_days: float | None = Field(None, gt=0, description="forget jobs that ended before; never")

    workers: int = Field(1, ge=0, description="worker processes for the server's own extensions")
    slots: int = Field(1, ge=1, description="jobs that each of them runs at once")
    extensions: list[str] = Field(default_factory=list, description="module:Class of extensions to serve")

    shutdown: float = Field(30.0, ge=0, description="seconds that a stop waits for the jobs of these workers")

    admin_password: str | None = None
    token_days: float = 30.0

    heartbeat: float = Field(5.0, gt=0)
    lease: float = Field(30.0, gt=0)
    grace: float = Field(10.0, ge=0)
    ack: float = Field(5.0, gt=0)
    start: float = Field(15.0, gt=0)
    sweep: float = Field(1.0, gt=0)

    max_body: int = Field(1_100_000, description="bytes of a request body")
    max_data: int = Field(1_000_000, description="bytes of a job's values")
    max_result: int = Field(1_000_000, description="bytes of a job's result")

    log_level: str = "info"

    @property
    def store_url(self) -> str:
        return self.store or f"sqlite:///{self.data_dir / 'workroom.db'}"

    @property
    def liveness(self) -> Liveness:
        return Liveness(self.heartbeat, self.lease, self.grace, self.ack, self.start)

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
