"""Checks data directory and stores before the server starts, to report problems in one line."""

from __future__ import annotations

import tempfile
from contextlib import closing
from pathlib import Path
from typing import TYPE_CHECKING, Any

from workroom.cli.errors import CommandError

if TYPE_CHECKING:
    from redis import Redis

_CONNECT_SECONDS = 5


def check_data(data_dir: Path, store_url: str, archive_url: str | None = None) -> None:
    """Refuse a directory that is not writable, and a store that cannot be used."""
    _check_directory(data_dir)
    for url in filter(None, (store_url, archive_url)):
        scheme, _, name = url.partition(":///")
        if scheme == "sqlite":
            _check_file(Path(name).resolve())
        else:
            _check_server(url)


def _check_file(path: Path) -> None:
    _check_directory(path.parent)
    if path.exists():
        _check_database(path)


def _check_directory(path: Path) -> None:
    try:
        path.mkdir(mode=0o700, parents=True, exist_ok=True)
        with tempfile.TemporaryFile(dir=path):
            pass
    except (FileExistsError, NotADirectoryError) as error:
        raise CommandError(f"cannot store data in {path}: it is a file, or inside one") from error
    except OSError as error:
        raise CommandError(f"cannot store data in {path}: {error.strerror}") from error


def _check_database(path: Path) -> None:
    import sqlite3  # noqa: PLC0415 - only a server needs it

    try:
        with closing(sqlite3.connect(f"{path.as_uri()}?mode=ro", uri=True)) as database:
            database.execute("PRAGMA schema_version").fetchone()
    except sqlite3.Error as error:
        raise CommandError(
            f"cannot use {path} as the database: {error}: restore a backup, or use another file"
        ) from error


def _check_server(url: str) -> None:
    try:
        import redis  # noqa: PLC0415 - an optional package
    except ModuleNotFoundError as error:
        raise CommandError(
            f"this store needs a package that is not installed ({error.name}): pip install 'workroom[redis]'"
        ) from error
    try:
        with redis.Redis.from_url(url, socket_connect_timeout=_CONNECT_SECONDS) as client:
            client.ping()
            is_cluster = _is_cluster_node(client)
    except (redis.RedisError, OSError, ValueError) as error:
        raise CommandError(f"cannot use {_without_password(url)} as the store: {error}") from error
    if is_cluster:
        raise CommandError(
            f"cannot use {_without_password(url)} as the store: it is part of a cluster, but the queue"
            " needs a single node: use a server with cluster-enabled no"
        )


def _is_cluster_node(client: Redis) -> bool:
    """False for hosted servers that refuse the command."""
    from redis import ResponseError  # noqa: PLC0415 - an optional package

    try:
        info: Any = client.info("cluster")
    except ResponseError:
        return False
    return bool(info.get("cluster_enabled"))


def _without_password(url: str) -> str:
    scheme, _, rest = url.partition("://")
    return f"{scheme}://{rest.rpartition('@')[2]}"
