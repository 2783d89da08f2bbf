"""A backup that is made under load has what was committed at one moment, and nothing else."""

from __future__ import annotations

import hashlib
import sqlite3
import threading
from collections.abc import Callable, Iterator
from contextlib import closing
from pathlib import Path
from typing import Any

import httpx
import numpy as np
import pytest

from support.command_line import ran_on_a_terminal, workroom
from support.extensions.samples import Echo
from support.frame_messages import numbered, sha256
from workroom import JobHandle, Room
from workroom.server.backup.backup import Source, back_up
from workroom.stores import open_blobs
from workroom.testing.fixtures import OpenRoom, StartServer
from workroom.testing.guests import guest_token
from workroom.testing.processes import ServerProcess, eventually

ECHO = "support.extensions.samples:Echo"


class Load:
    """Submits jobs and appends frames until it is stopped; what was accepted is listed."""

    def __init__(self, jobs: Room, frames: Room) -> None:
        self.accepted: list[JobHandle] = []
        self.digests: list[str] = []
        self._failures: list[Exception] = []
        self._stop = threading.Event()
        self._threads = [
            threading.Thread(target=self._repeat, args=(act,)) for act in (self._submit, self._append)
        ]
        self._jobs, self._frames = jobs, frames
        for thread in self._threads:
            thread.start()

    def stop(self) -> None:
        self._stop.set()
        for thread in self._threads:
            thread.join()
        assert self._failures == []

    def _repeat(self, act: Callable[[], None]) -> None:
        while not self._stop.is_set():
            try:
                act()
            except Exception as error:
                self._failures.append(error)
                return

    def _submit(self) -> None:
        self.accepted.append(self._jobs.submit(Echo(text=f"job {len(self.accepted)}")))

    def _append(self) -> None:
        frame = {"positions": np.full((50, 3), len(self.digests), np.float32)}
        self._frames.frames.append(frame)
        self.digests.append(digest(frame))


def digest(frame: Any) -> str:
    return hashlib.sha256(np.ascontiguousarray(frame["positions"]).tobytes()).hexdigest()


def audit(database: Path, until: int | None = None) -> list[Any]:
    """Every transition of every job, up to one."""
    with closing(sqlite3.connect(database)) as connection:
        query = "SELECT t.*, j.id, j.data FROM transitions t JOIN jobs j ON j.seq = t.job ORDER BY t.seq"
        rows = connection.execute(query).fetchall()
    return [row for row in rows if until is None or row[0] <= until]


def epoch(database: Path) -> str:
    with closing(sqlite3.connect(database)) as connection:
        return str(connection.execute("SELECT epoch FROM meta").fetchone()[0])


def test_a_backup_under_load_is_restored_with_every_job_and_every_frame(
    start_server: StartServer, open_room: OpenRoom, tmp_path: Path
) -> None:
    server = start_server(ECHO, workers=1, slots=2)
    load = Load(open_room(server), open_room(server, user="bob"))
    eventually(lambda: len(load.accepted) >= 20 and len(load.digests) >= 5, seconds=60)
    jobs_before, frames_before = len(load.accepted), len(load.digests)
    made = workroom("backup", str(tmp_path / "b.tar"), "--data-dir", str(server.data_dir), "--json")
    eventually(lambda: len(load.accepted) > jobs_before, what="a job beside or after the backup")
    load.stop()
    restored = workroom("restore", str(tmp_path / "b.tar"), "--data-dir", str(tmp_path / "new"), "--json")

    assert made.code == restored.code == 0, made.error + restored.error
    assert made.json == restored.json
    last = made.json["transitions"]
    kept = audit(tmp_path / "new" / "workroom.db")
    assert kept == audit(server.data_dir / "workroom.db", until=last)
    assert kept[-1][0] == last
    assert epoch(tmp_path / "new" / "workroom.db") != epoch(server.data_dir / "workroom.db")
    assert jobs_before <= made.json["jobs"] <= len(load.accepted)
    assert {job.id for job in load.accepted[:jobs_before]} <= {row[-2] for row in kept}
    frames = frames_in(start_server(ECHO, workers=1, data_dir=tmp_path / "new"), open_room)
    assert len(frames) >= frames_before
    assert frames == load.digests[: len(frames)]


def frames_in(server: ServerProcess, open_room: OpenRoom) -> list[str]:
    """The digests of the frames, of a server that also runs jobs. Carol's are behind no backlog of hers."""
    room = open_room(server, user="carol")
    assert room.submit(Echo(text="again")).result(timeout=60)
    return [digest(frame) for frame in room.frames]


@pytest.fixture(scope="module")
def server(tmp_path_factory: pytest.TempPathFactory) -> Iterator[ServerProcess]:
    with ServerProcess(tmp_path_factory.mktemp("small")) as server:
        yield server


@pytest.fixture
def http(server: ServerProcess) -> Iterator[httpx.Client]:
    headers = {"Authorization": f"Bearer {guest_token(server.url, 'ada')}"}
    with httpx.Client(base_url=server.url, headers=headers, timeout=60) as http:
        yield http


def upload(http: httpx.Client, content: bytes) -> str:
    response = http.post("/api/rooms/demo/files", params={"name": "notes.txt"}, content=content)
    assert response.status_code == 201, response.text
    file_id: str = response.json()["id"]
    return file_id


async def test_a_file_that_is_deleted_meanwhile_is_in_no_part_of_the_backup(
    server: ServerProcess, http: httpx.Client, tmp_path: Path
) -> None:
    """It is deleted between the snapshot and the copy, so another snapshot is taken."""
    upload(http, b"stays")
    gone = upload(http, b"goes")
    blobs = open_blobs(f"file://{server.data_dir / 'files'}")
    snapshots: list[int] = []

    def delete_after_the_first(done: int, total: int) -> None:
        if done == total and not snapshots:
            snapshots.append(total)
            http.delete(f"/api/rooms/demo/files/{gone}")
            eventually(lambda: b"goes" not in contents(server.data_dir / "files"), what="the blob is gone")

    source = Source(server.data_dir / "workroom.db", blobs, server.data_dir / "signing.key")
    manifest = await back_up(source, tmp_path / "b.tar", delete_after_the_first)
    await blobs.aclose()

    assert snapshots
    assert manifest["files"] == len(contents(server.data_dir / "files"))
    assert workroom("restore", str(tmp_path / "b.tar"), "--data-dir", str(tmp_path / "new")).code == 0
    assert contents(tmp_path / "new" / "files") == contents(server.data_dir / "files")


def test_pieces_of_frames_are_verified_by_their_names(
    server: ServerProcess, http: httpx.Client, tmp_path: Path
) -> None:
    """The server names a piece by its BLAKE3, unless its uploader announced a SHA-256."""
    named_by_server, named_by_uploader = numbered(1, 2), numbered(3, 4)
    frames, name = "/api/rooms/demo/frames", sha256(named_by_uploader)
    posted = http.post(frames, params={"op": "append"}, content=named_by_server)
    uploaded = http.put(f"{frames}/pieces/{name}", content=named_by_uploader)
    edited = http.post(f"{frames}/edit", json={"op": "append", "sources": [{"piece": name}]})
    assert [posted.status_code, uploaded.status_code, edited.status_code] == [200, 201, 200]
    path = backed_up(server, tmp_path / "b.tar")
    assert workroom("restore", str(path), "--data-dir", str(tmp_path / "new")).code == 0
    assert {named_by_server, named_by_uploader} <= contents(tmp_path / "new" / "files")

    whole = path.read_bytes()
    for number, piece in enumerate([named_by_server, named_by_uploader]):
        assert piece in whole
        path.write_bytes(whole.replace(piece, bytes(len(piece))))
        ran = workroom("restore", str(path), "--data-dir", str(tmp_path / f"new-{number}"))
        assert ran.code == 1
        assert "missing or damaged" in ran.complaint


def contents(folder: Path) -> set[bytes]:
    return {each.read_bytes() for each in folder.rglob("*") if each.is_file()}


def backed_up(server: ServerProcess, path: Path) -> Path:
    made = workroom("backup", str(path), "--data-dir", str(server.data_dir))
    assert made.code == 0, made.error
    assert "all verified" in made.out
    return path


def test_a_damaged_or_cut_backup_is_refused_and_leaves_no_database(
    server: ServerProcess, http: httpx.Client, tmp_path: Path
) -> None:
    upload(http, b"a text that is easy to find")
    whole = backed_up(server, tmp_path / "b.tar").read_bytes()
    damages = {
        "files of the backup are missing or damaged": whole.replace(b"easy to find", b"easy to lose"),
        "its end is missing": whole[: whole.rindex(b"manifest.json")] + bytes(1024),
        "is not a backup": b"nothing like it" * 100,
    }
    for number, (complaint, content) in enumerate(damages.items()):
        (tmp_path / "damaged.tar").write_bytes(content)
        target = tmp_path / f"new-{number}"
        ran = workroom("restore", str(tmp_path / "damaged.tar"), "--data-dir", str(target))
        assert ran.code == 1
        assert complaint in ran.complaint
        assert not (target / "workroom.db").exists()


def test_both_show_their_progress_on_a_terminal(
    server: ServerProcess, http: httpx.Client, tmp_path: Path
) -> None:
    upload(http, b"kept")
    file = str(tmp_path / "b.tar")

    made, while_made = ran_on_a_terminal("backup", file, "--data-dir", str(server.data_dir))
    restored, while_restored = ran_on_a_terminal("restore", file, "--data-dir", str(tmp_path / "new"))

    assert made.startswith(f"Backed up to {file}: ")
    assert restored.startswith("Restored into ")
    for title, shown in {"Backing up": while_made, "Restoring": while_restored}.items():
        assert title in shown
        assert "100%" in shown


def test_nothing_is_overwritten(server: ServerProcess, tmp_path: Path) -> None:
    path = backed_up(server, tmp_path / "b.tar")

    again = workroom("backup", str(path), "--data-dir", str(server.data_dir))
    assert (again.code, "choose another name" in again.complaint) == (1, True)
    onto = workroom("restore", str(path), "--data-dir", str(server.data_dir))
    assert (onto.code, "has data already" in onto.complaint) == (1, True)


def test_with_valkey_it_is_explained_what_to_do(tmp_path: Path) -> None:
    ran = workroom("backup", str(tmp_path / "b.tar"), "--store", "redis://127.0.0.1:1/0")

    assert ran.code == 1
    assert "--rdb" in ran.error
    assert "signing.key" in ran.error
