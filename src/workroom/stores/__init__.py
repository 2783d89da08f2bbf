"""The stores, and the functions that open one by its URL."""

from __future__ import annotations

from pathlib import Path

from workroom.domain.jobs.logs import LogLimits
from workroom.domain.storage.durability import Guarantees
from workroom.domain.worker import Liveness
from workroom.ports import Blobs, Peers, Store
from workroom.stores.archive import open_archive
from workroom.stores.blobs import BlobStore
from workroom.stores.peers import NoPeers
from workroom.stores.sqlite.store import SqliteStore

_REDIS = ("redis", "rediss", "unix")


def open_store(
    url: str,
    liveness: Liveness,
    *,
    relaxed: bool = False,
    retention_days: float | None = None,
    logs: LogLimits | None = None,
    archive: str | None = None,
    archive_after: float = 3600.0,
    fast: bool = True,
    guarantees: Guarantees | None = None,
    epoch: str | None = None,
) -> Store:
    """Open the store that a URL names: `sqlite:///path/to/file.db`, `redis://host:port/0`.

    Jobs that ended `archive_after` seconds ago move to the archive, if there is one. Without `fast`, a store
    on Redis uses redis-py as published. `guarantees` are what a store on Redis must keep to. With an `epoch`,
    only the store that has it is opened: any other raises StoreReplaced, here or at its first use. Raises
    StartRefused if the store cannot be used. Call it inside a running loop.
    """
    scheme, separator, path = url.partition("://")
    if scheme in _REDIS and path:
        from workroom.stores.redis.archiving.store import ArchivingStore  # noqa: PLC0415 - an optional package
        from workroom.stores.redis.store import RedisStore  # noqa: PLC0415

        if archive is None:
            return RedisStore(
                url,
                liveness,
                retention_days=retention_days,
                logs=logs,
                fast=fast,
                guarantees=guarantees,
                epoch=epoch,
            )
        return ArchivingStore(
            url,
            liveness,
            open_archive(archive),
            archive_after=archive_after,
            retention_days=retention_days,
            logs=logs,
            fast=fast,
            guarantees=guarantees,
            epoch=epoch,
        )
    if archive is not None:
        raise ValueError("an archive is for a store on Redis; SQLite already keeps its jobs on disk")
    if scheme != "sqlite" or not separator or not path.startswith("/") or path == "/":
        raise ValueError(f"unknown store '{url}': use sqlite:///path/to/file.db or redis://host:port/0")
    return SqliteStore(
        Path(path[1:]), liveness, relaxed=relaxed, retention_days=retention_days, logs=logs, epoch=epoch
    )


def open_peers(url: str) -> Peers:
    """Connect to the other servers that share the store of this URL. Call it inside a running loop."""
    if url.partition("://")[0] not in _REDIS:
        return NoPeers()
    from workroom.stores.redis.peers.bus import RedisPeers  # noqa: PLC0415 - an optional package

    return RedisPeers(url)


def open_blobs(url: str, *, relaxed: bool = False) -> Blobs:
    """Open the blob store that an fsspec URL names: `file:///path`, `s3://bucket/path`."""
    return BlobStore(url, relaxed=relaxed)
