"""`workroom doctor` finds what keeps a server from working, and states what to do."""

from __future__ import annotations

import asyncio
import socket
import sqlite3
import time
from collections.abc import Iterator
from contextlib import closing
from pathlib import Path
from typing import Any

import pytest
import redis

from support.command_line import workroom
from workroom.server.doctor.doctor import examine
from workroom.server.doctor.finding import Finding, Level
from workroom.settings import Settings
from workroom.stores.sqlite.migrations import migrate
from workroom.testing.processes import ServerProcess
from workroom.testing.valkey import Valkey, free_port


def findings(folder: Path, **settings: Any) -> dict[str, Finding]:
    """The worst finding of each subject."""
    found = asyncio.run(examine(Settings(data_dir=folder, **{"port": free_port(), **settings})))
    order = list(Level)
    return {each.subject: each for each in sorted(found, key=lambda each: order.index(each.level))}


def worst(found: dict[str, Finding]) -> set[str]:
    return {subject for subject, each in found.items() if each.level is not Level.OK}


@pytest.fixture
def folder(tmp_path: Path) -> Path:
    """A data directory with an empty database."""
    folder = tmp_path / "data"
    folder.mkdir(mode=0o700)
    with closing(sqlite3.connect(folder / "workroom.db")) as connection:
        migrate(connection)
    return folder


@pytest.fixture(scope="module")
def valkey(tmp_path_factory: pytest.TempPathFactory) -> Iterator[Valkey]:
    server = Valkey(tmp_path_factory.mktemp("valkey"))
    server.start()
    yield server
    server.stop()


def test_beside_a_server_that_runs_all_is_well(server: ServerProcess) -> None:
    port = server.url.rpartition(":")[2]
    ran = workroom("doctor", "--data-dir", str(server.data_dir), WORKROOM_PORT=port)

    assert ran.code == 0, ran.out
    assert {line.split()[0] for line in ran.out.splitlines()} == {"ok"}
    assert f"a server runs on this data directory at {server.url}" in ran.out
    assert "workroom.db is intact" in ran.out


def test_a_problem_has_an_exit_code_and_advice(folder: Path) -> None:
    with socket.create_server(("127.0.0.1", 0)) as taken:
        port = str(taken.getsockname()[1])
        ran = workroom("doctor", "--data-dir", str(folder), "--json", WORKROOM_PORT=port)

    assert ran.code == 1
    (found,) = [each for each in ran.json if each["level"] != "ok"]
    assert (found["subject"], found["level"]) == ("port", "problem")
    assert port in found["text"]
    assert found["advice"]


def test_a_directory_that_others_may_read_is_a_warning(folder: Path) -> None:
    assert worst(findings(folder)) == set()
    folder.chmod(0o755)

    found = findings(folder)
    assert worst(found) == {"permissions"}
    assert found["permissions"].level is Level.WARNING
    assert found["permissions"].advice == f"chmod 700 {folder}"


def test_a_key_that_cannot_be_used_is_a_problem(folder: Path) -> None:
    (folder / "signing.key").write_text("not a key")

    assert worst(findings(folder)) == {"signing key"}


def test_a_disk_without_the_space_that_is_kept_is_a_problem(folder: Path) -> None:
    found = findings(folder, min_free_bytes=10**18)

    assert worst(found) == {"disk"}
    assert found["disk"].level is Level.PROBLEM


def test_a_file_that_is_no_database_of_workroom_is_a_problem(folder: Path) -> None:
    (folder / "workroom.db").write_bytes(b"something else " * 1000)

    assert worst(findings(folder)) == {"store"}


def test_a_damaged_database_is_a_problem(folder: Path) -> None:
    path = folder / "workroom.db"
    content = bytearray(path.read_bytes())
    content[8192:40_000] = bytes(len(content[8192:40_000]))
    path.write_bytes(content)

    assert worst(findings(folder)) == {"store"}


def test_a_clock_that_was_set_back_is_a_warning(folder: Path) -> None:
    tomorrow = int((time.time() + 86_400) * 1_000_000)
    with closing(sqlite3.connect(folder / "workroom.db")) as connection:
        connection.execute(
            "INSERT INTO transitions (job, room, version, status, attempt, actor, at)"
            " VALUES (1, 'demo', 1, 'pending', 0, 'ada', ?)",
            (tomorrow,),
        )
        connection.commit()

    assert worst(findings(folder)) == {"clock"}


def test_what_valkey_may_lose_is_found(folder: Path, valkey: Valkey) -> None:
    assert worst(findings(folder, store=valkey.url)) == set()
    with redis.Redis.from_url(valkey.url) as client:
        client.config_set("appendfsync", "everysec")
        client.config_set("maxmemory-policy", "allkeys-lru")

    found = findings(folder, store=valkey.url)
    assert worst(found) == {"persistence"}
    assert found["persistence"].level is Level.PROBLEM
    assert "set appendfsync always" in found["persistence"].advice
    relaxed = findings(folder, store=valkey.url, relaxed=True)
    assert "maxmemory-policy noeviction" in relaxed["persistence"].advice


def test_a_store_that_cannot_be_reached_is_a_problem(folder: Path) -> None:
    found = findings(folder, store=f"redis://127.0.0.1:{free_port()}/0")

    assert worst(found) == {"store"}
