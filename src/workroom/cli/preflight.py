"""Looks at the data directory before the server does, to say in one line why it cannot be used."""

from __future__ import annotations

import tempfile
from contextlib import closing
from pathlib import Path
from typing import TYPE_CHECKING, Any

from workroom.cli.mistakes import Failure

if TYPE_CHECKING:
    from redis import Redis

_CONNECT_SECONDS = 5


def check_data(data_dir: Path, store_url: str, archive_url: str | None = None) -> None:
    """Refuse a directory that cannot be written to, or a database that is none."""
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
        path.mkdir(parents=True, exist_ok=True)
        with tempfile.TemporaryFile(dir=path):
            pass
    except (FileExistsError, NotADirectoryError) as error:
        raise Failure(f"cannot keep data in {path}: there is a file in the way") from error
    except OSError as error:
        raise Failure(f"cannot keep data in {path}: {error.strerror}") from error


def _check_database(path: Path) -> None:
    import sqlite3  # noqa: PLC0415 - only a server needs it

    try:
        with closing(sqlite3.connect(f"{path.as_uri()}?mode=ro", uri=True)) as database:
            database.execute("PRAGMA schema_version").fetchone()
    except sqlite3.Error as error:
        raise Failure(f"cannot use {path} as the database: {error}") from error


def _check_server(url: str) -> None:
    try:
        import redis  # noqa: PLC0415 - only a server with such a store needs it
    except ModuleNotFoundError as error:
        raise Failure(
            f"this store needs more packages ({error.name}): pip install 'workroom[redis]'"
        ) from error
    try:
        with redis.Redis.from_url(url, socket_connect_timeout=_CONNECT_SECONDS) as client:
            client.ping()
            is_cluster = _is_in_a_cluster(client)
    except (redis.RedisError, OSError, ValueError) as error:
        raise Failure(f"cannot use {_without_password(url)} as the store: {error}") from error
    if is_cluster:
        raise Failure(
            f"cannot use {_without_password(url)} as the store: it is a node of a cluster, and the queue must"
            " be on one node as a whole; use a server with cluster-enabled no"
        )


def _is_in_a_cluster(client: Redis) -> bool:
    """As far as it says: some that are hosted do not answer this."""
    from redis import ResponseError  # noqa: PLC0415 - only a server with such a store needs it

    try:
        told: Any = client.info("cluster")
    except ResponseError:
        return False
    return bool(told.get("cluster_enabled"))


def _without_password(url: str) -> str:
    scheme, _, rest = url.partition("://")
    return f"{scheme}://{rest.rpartition('@')[2]}"
