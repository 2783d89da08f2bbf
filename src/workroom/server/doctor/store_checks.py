"""The store and its clock: SQLite's file, or the settings of a Redis server."""

from __future__ import annotations

import sqlite3
import time
from collections.abc import Iterator
from contextlib import closing
from pathlib import Path
from typing import Any

from workroom.domain.storage.durability import shortfalls, warnings
from workroom.server.doctor.finding import Finding, ok, problem, warning
from workroom.settings import Settings
from workroom.stores.sqlite.migrations import APPLICATION_ID, latest_version

_TIMEOUT_SECONDS = 5
_SKEW_SECONDS, _LARGE_SKEW_SECONDS = 1.0, 30.0
_LAST_TRANSITION = "SELECT max(at) FROM transitions WHERE seq = (SELECT max(seq) FROM transitions)"


async def check_store(settings: Settings) -> list[Finding]:
    scheme, _, path = settings.store_url.partition(":///")
    if scheme == "sqlite":
        return list(_check_sqlite(Path(path)))
    return await _check_redis(settings)


def _check_sqlite(path: Path) -> Iterator[Finding]:
    if not path.exists():
        yield ok("store", f"{path} will be made by the first start")
        return
    try:
        with closing(sqlite3.connect(f"{path.resolve().as_uri()}?mode=ro", uri=True)) as connection:
            yield from _check_database(path, connection)
    except sqlite3.Error as error:
        yield problem("store", f"cannot read {path}: {error}", "restore a backup, or use another file")


def _check_database(path: Path, connection: sqlite3.Connection) -> Iterator[Finding]:
    version, application = (
        connection.execute(f"PRAGMA {name}").fetchone()[0] for name in ("user_version", "application_id")
    )
    if application != APPLICATION_ID:
        yield problem("store", f"{path} is a database of another program", "use another file")
        return
    if version > latest_version():
        yield problem("store", f"{path} has version {version}, of a newer Workroom", "install that one")
        return
    damage = connection.execute("PRAGMA quick_check(1)").fetchone()[0]
    if damage != "ok":
        yield problem("store", f"{path} is damaged: {damage}", "stop the server and restore a backup")
        return
    yield ok("store", f"{path} is intact, version {version}")
    last_us = connection.execute(_LAST_TRANSITION).fetchone()[0] or 0
    yield _clock(time.time() - last_us / 1_000_000)


def _clock(seconds_since: float) -> Finding:
    if seconds_since < -_SKEW_SECONDS:
        text = f"the last change of a job is {-seconds_since:.0f} s in the future: the clock was set back"
        return warning("clock", text, "set the clock by NTP")
    return ok("clock", "is not behind the last change of a job")


async def _check_redis(settings: Settings) -> list[Finding]:
    try:
        from redis.asyncio import Redis  # noqa: PLC0415 - an optional package
        from redis.exceptions import RedisError  # noqa: PLC0415
    except ModuleNotFoundError:
        return [problem("store", "the package for Redis is not installed", "pip install 'workroom[redis]'")]
    try:
        async with Redis.from_url(
            settings.store_url, socket_connect_timeout=_TIMEOUT_SECONDS, socket_timeout=_TIMEOUT_SECONDS
        ) as client:
            return [each async for each in _check_server(client, settings)]
    except (RedisError, OSError, ValueError) as error:
        return [problem("store", f"cannot reach it: {error}", "start it, or correct WORKROOM_STORE")]


async def _check_server(client: Any, settings: Settings) -> Any:
    from workroom.stores.redis.durability import read_config  # noqa: PLC0415 - an optional package

    info: dict[str, Any] = await client.info()
    name = "Valkey" if "valkey_version" in info else "Redis"
    yield ok("store", f"{name} {info.get('valkey_version', info['redis_version'])} responds")
    if info.get("cluster_enabled"):
        yield problem("store", "it is part of a cluster", "use a server with cluster-enabled no")
    config = await read_config(client)
    reasons = shortfalls(config, settings.guarantees.durability)
    for reason in reasons:
        text, _, advice = reason.partition(": ")
        yield problem("persistence", text, advice)
    for text in warnings(config) if not reasons else ():
        yield warning("persistence", text, "see docs/redis.md")
    if not reasons and not warnings(config):
        yield ok("persistence", "appendonly yes, appendfsync always, maxmemory-policy noeviction")
    seconds, microseconds = await client.time()
    yield _skew(time.time() - (int(seconds) + int(microseconds) / 1_000_000))


def _skew(seconds: float) -> Finding:
    text = f"differs by {abs(seconds):.1f} s from that of the store"
    if abs(seconds) > _LARGE_SKEW_SECONDS:
        return problem("clock", text, "set both clocks by NTP")
    return (
        warning("clock", text, "set both clocks by NTP")
        if abs(seconds) > _SKEW_SECONDS
        else ok("clock", text)
    )
