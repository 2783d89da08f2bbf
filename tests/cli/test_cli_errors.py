"""Errors are printed in one line: exit code 2 for wrong usage, 1 for anything else."""

from __future__ import annotations

import sqlite3
from contextlib import closing
from pathlib import Path

import pytest

from support.command_line import workroom, workroom_bound_by_modes
from workroom.settings import Settings
from workroom.testing.processes import ServerProcess
from workroom.testing.valkey import Valkey


def serve(cwd: Path, *options: str, **environment: str) -> tuple[int, str]:
    ran = workroom("serve", "--port", "0", *options, cwd=cwd, **environment)
    return ran.code, ran.complaint


def test_a_data_directory_that_is_a_file(tmp_path: Path) -> None:
    (tmp_path / "data").touch()

    assert serve(tmp_path, "--data-dir", "data") == (
        1,
        "cannot store data in data: it is a file, or inside one",
    )


def test_a_data_directory_that_is_not_writable(tmp_path: Path) -> None:
    path = "/proc/workroom-data"

    assert serve(tmp_path, "--data-dir", path) == (
        1,
        f"cannot store data in {path}: No such file or directory",
    )


def test_a_database_file_that_is_no_database(tmp_path: Path) -> None:
    database = tmp_path / "workroom-data" / "workroom.db"
    database.parent.mkdir()
    database.write_text("a diary, not a database\n" * 100)

    remedy = "restore a backup, or use another file"
    assert serve(tmp_path) == (1, f"cannot use {database} as the database: file is not a database: {remedy}")


def test_a_database_of_another_program(tmp_path: Path) -> None:
    database = tmp_path / "diary.db"
    with closing(sqlite3.connect(database)) as connection:
        connection.execute("CREATE TABLE diary (day TEXT)")

    reason = "it is a database of another program: use another file"
    complaint = f"cannot use {database} as the database: {reason}"
    assert serve(tmp_path, "--store", f"sqlite:///{database}") == (1, complaint)


@pytest.mark.parametrize(
    ("version", "complaint"),
    [(9999, "made by a newer Workroom; this one knows"), (1, "made by an older Workroom; this one knows")],
)
def test_a_database_of_another_version(tmp_path: Path, version: int, complaint: str) -> None:
    folder = tmp_path / "workroom-data"
    ServerProcess(folder).close()
    with closing(sqlite3.connect(folder / "workroom.db")) as connection:
        connection.execute(f"PRAGMA user_version = {version}")

    code, printed = serve(tmp_path)

    assert code == 1
    assert printed.startswith("cannot use workroom-data/workroom.db as the database: it has version")
    assert complaint in printed
    assert "\n" not in printed


def test_a_database_that_another_server_uses_or_that_was_emptied(tmp_path: Path) -> None:
    """The data directories differ: the lock belongs to the file, and the epoch is kept in the directory."""
    database = tmp_path / "shared.db"
    store = f"sqlite:///{database}"
    with ServerProcess(tmp_path / "first", store=store):
        refused = serve(tmp_path, "--store", store, "--data-dir", "second")
    database.unlink()
    emptied = serve(tmp_path, "--store", store, "--data-dir", "first")

    reason = "another server uses it: stop that one, or choose another --store"
    assert refused == (1, f"cannot use {database} as the database: {reason}")
    assert emptied == (
        1,
        f"{store} is not the store that this server worked on before: it was emptied or exchanged."
        " Restore it; or, to begin anew with what is there now, delete first/store.epoch",
    )


REMEDY = "restore it, or delete it to make a new one, which logs everybody out"


@pytest.mark.parametrize(
    ("content", "complaint"),
    [
        ("", f"the signing key KEY is empty: {REMEDY}"),
        ("abc", f"the signing key KEY is damaged: {REMEDY}"),
        ("not hexadecimal", f"the signing key KEY is damaged: {REMEDY}"),
        (None, f"cannot read the signing key KEY: Is a directory. {REMEDY}"),
    ],
)
def test_a_signing_key_that_cannot_be_used(tmp_path: Path, content: str | None, complaint: str) -> None:
    key = tmp_path / "workroom-data" / "signing.key"
    key.parent.mkdir()
    key.mkdir() if content is None else key.write_text(content)

    assert serve(tmp_path) == (1, complaint.replace("KEY", "workroom-data/signing.key"))


def test_a_database_or_a_data_directory_that_is_read_only(tmp_path: Path) -> None:
    folder = tmp_path / "workroom-data"
    ServerProcess(folder).close()
    for path, mode, complaint in (
        (
            folder / "workroom.db",
            0o444,
            "cannot use workroom-data/workroom.db as the database: attempt to write a readonly database: "
            "make the file and its directory writable for the server",
        ),
        (folder, 0o555, "cannot store data in workroom-data: Permission denied"),
    ):
        before = path.stat().st_mode
        path.chmod(mode)
        ran = workroom_bound_by_modes("serve", "--port", "0", cwd=tmp_path)
        path.chmod(before)

        assert (ran.code, ran.complaint) == (1, complaint)


@pytest.mark.parametrize("name", ["server.lock", "workroom.db.lock"])
def test_a_lock_file_that_cannot_be_opened(tmp_path: Path, name: str) -> None:
    (tmp_path / "workroom-data" / name).mkdir(parents=True)

    code, complaint = serve(tmp_path)

    assert code == 1
    assert name in complaint
    assert "Is a directory" in complaint
    assert "elete it" in complaint


def test_an_unknown_store(tmp_path: Path) -> None:
    known = "sqlite:///path/to/file.db, redis://host:port/0 or unix:///path/to/socket"
    complaint = f"--store cannot be 'mysql://x': use {known}"

    assert serve(tmp_path, "--store", "mysql://x") == (2, complaint)


def test_a_store_that_cannot_be_reached(tmp_path: Path) -> None:
    code, complaint = serve(tmp_path, "--store", "redis://ada:secret@127.0.0.1:1/0")

    assert code == 1
    assert complaint.startswith("cannot use redis://127.0.0.1:1/0 as the store: ")


def test_a_store_that_is_a_node_of_a_cluster(tmp_path: Path) -> None:
    """Refused at the start, not when the first job needs keys of several slots."""
    node = Valkey(tmp_path / "node", cluster=True)
    node.start()
    try:
        code, complaint = serve(tmp_path, "--store", node.url)
    finally:
        node.stop()

    assert code == 1
    assert complaint == (
        f"cannot use {node.url} as the store: it is part of a cluster, but the queue"
        " needs a single node: use a server with cluster-enabled no"
    )


@pytest.mark.parametrize(
    ("statement", "reason"),
    [
        (
            "PRAGMA user_version = 99",
            "it has version 99, made by a newer Workroom; this one knows 2: install",
        ),
        ("CREATE TABLE diary (day TEXT)", "it is another database: use another file"),
        ("PRAGMA application_id = 1466659437", "it is another database: use another file"),
    ],
)
def test_an_archive_that_cannot_be_used(tmp_path: Path, statement: str, reason: str) -> None:
    archive = tmp_path / "archive.db"
    with closing(sqlite3.connect(archive)) as connection:
        connection.execute(statement)
    valkey = Valkey(tmp_path / "valkey")
    valkey.start()
    try:
        code, complaint = serve(tmp_path, "--store", valkey.url, WORKROOM_ARCHIVE=f"sqlite:///{archive}")
    finally:
        valkey.stop()

    assert code == 1
    assert complaint.startswith(f"cannot use {archive} as the archive: {reason}")
    assert "\n" not in complaint
    with closing(sqlite3.connect(archive)) as connection:
        assert connection.execute("SELECT name FROM sqlite_schema").fetchall() in ([], [("diary",)])


def test_an_archive_that_is_read_only(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    valkey = Valkey(tmp_path / "valkey")
    valkey.start()
    try:
        archive = tmp_path / "archive.db"
        settings = {"store": valkey.url, "archive": f"sqlite:///{archive}"}
        ServerProcess(tmp_path / "data", **settings).close()
        archive.chmod(0o444)
        monkeypatch.setenv("WORKROOM_ARCHIVE", settings["archive"])
        options = ("--port", "0", "--data-dir", "data", "--store", valkey.url)
        ran = workroom_bound_by_modes("serve", *options, cwd=tmp_path)
    finally:
        valkey.stop()

    assert ran.code == 1
    assert ran.complaint == (
        f"cannot use {archive} as the archive: attempt to write a readonly database: "
        "make the file and its directory writable for the server"
    )


def test_a_port_that_does_not_exist(tmp_path: Path) -> None:
    complaint = "--port cannot be 99999: it should be less than or equal to 65535"

    assert serve(tmp_path, "--port", "99999") == (2, complaint)


def test_an_invalid_variable(tmp_path: Path) -> None:
    code, complaint = serve(tmp_path, WORKROOM_LEASE="soon", WORKROOM_LOG_LEVEL="loud")

    assert code == 2
    assert "WORKROOM_LEASE cannot be 'soon': it should be a valid number" in complaint
    assert "WORKROOM_LOG_LEVEL cannot be 'loud': it should be 'debug', 'info'" in complaint


def test_an_invalid_line_of_the_settings_file(tmp_path: Path) -> None:
    (tmp_path / "workroom.toml").write_text("workers = -1\n")

    code, complaint = serve(tmp_path)

    assert (code, complaint.partition(":")[0]) == (2, "workers in workroom.toml cannot be -1")


def test_a_settings_file_that_is_not_toml(tmp_path: Path) -> None:
    (tmp_path / "workroom.toml").write_text("workers: 1\n")

    code, complaint = serve(tmp_path)

    assert (code, complaint.partition(":")[0]) == (2, "workroom.toml cannot be read")


@pytest.mark.parametrize("given", ["a:B,c:D", " a:B , c:D,", '["a:B", "c:D"]'])
def test_a_list_of_extensions_needs_no_json(monkeypatch: pytest.MonkeyPatch, given: str) -> None:
    monkeypatch.setenv("WORKROOM_EXTENSIONS", given)

    assert Settings().extensions == ["a:B", "c:D"]


def test_a_broken_file_is_reported_with_the_line_that_is_wrong(tmp_path: Path) -> None:
    (tmp_path / "broken.py").write_text("class Tool(Extension)\n    pass\n")

    ran = workroom("worker", "broken.py", "--room", "demo", cwd=tmp_path)

    where = f"{tmp_path / 'broken.py'}, line 1: `class Tool(Extension)`"
    expected = f"broken.py cannot be loaded: {where}: SyntaxError: expected ':'"
    assert (ran.code, ran.complaint) == (1, expected)


def test_a_server_that_does_not_run() -> None:
    ran = workroom("jobs", "demo", "--url", "http://127.0.0.1:9")

    expected = "Cannot reach http://127.0.0.1:9. Is the server running? Start one with `workroom serve`."
    assert (ran.code, ran.complaint) == (1, expected)


@pytest.mark.parametrize(
    ("arguments", "complaint"),
    [
        (["worker", "support.extensions.samples:Echo"], "pass either --room NAME or --public"),
        (["submit", "demo", "a/B", "=a"], "'=a' is not of the form key=value"),
        (["submit", "demo", "a/B", "a=1", "a=2"], "'a' is given twice"),
        (["submit", "demo", "Echo"], "'Echo' is not an extension name like analysis/EstimatePi"),
        (["jobs", "public"], "a room cannot be called 'public'"),
        (["frobnicate"], "No such command 'frobnicate'. Try --help."),
    ],
    ids=lambda each: " ".join(each[:1]) if isinstance(each, list) else "",
)
def test_wrong_usage(arguments: list[str], complaint: str) -> None:
    ran = workroom(*arguments)

    assert (ran.code, ran.complaint) == (2, complaint)
