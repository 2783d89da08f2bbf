"""A copy of Valkey is made and put back as docs/howto/operate.md states, with the server's files and key."""

from __future__ import annotations

import shutil
from pathlib import Path

import redis

from support.extensions.samples import Echo
from workroom import Room
from workroom.testing.fixtures import OpenRoom, StartServer
from workroom.testing.processes import eventually
from workroom.testing.valkey import Valkey

ECHO = "support.extensions.samples:Echo"


def test_jobs_and_files_of_a_copy_are_there_and_work_goes_on(
    start_server: StartServer, open_room: OpenRoom, tmp_path: Path
) -> None:
    lost = Valkey(tmp_path / "lost")
    lost.start()
    server = start_server(ECHO, workers=1, store=lost.url)
    (tmp_path / "notes.txt").write_text("kept")
    with Room("demo", server.url, user="ada") as room:
        job = room.submit(Echo(text="kept"))
        assert job.result(timeout=60)["text"] == "kept"
        file = room.upload(tmp_path / "notes.txt")
        copy_jobs(lost, tmp_path / "jobs.rdb")
        shutil.copytree(server.data_dir / "files", tmp_path / "new" / "files")
        shutil.copy(server.data_dir / "signing.key", tmp_path / "new")
        later = room.submit(Echo(text="after the copy")).id
    server.close()
    lost.stop()

    restored = put_back(tmp_path / "jobs.rdb", tmp_path / "restored")
    again = open_room(
        start_server(ECHO, workers=1, store=restored.url, data_dir=tmp_path / "new"), user="bob"
    )

    assert again.job(job.id).result(timeout=10)["text"] == "kept"
    assert again.download(file.id, tmp_path / "again.txt").read_text() == "kept"
    assert later not in {each["id"] for each in again.jobs()}
    assert again.submit(Echo(text="on")).result(timeout=60)["text"] == "on"
    restored.stop()


def copy_jobs(valkey: Valkey, path: Path) -> None:
    """`valkey-cli --rdb` asks for the same file over its connection."""
    with redis.Redis.from_url(valkey.url) as client:
        client.save()
        shutil.copy(Path(client.config_get("dir")["dir"]) / "dump.rdb", path)


def put_back(copy: Path, folder: Path) -> Valkey:
    """Valkey reads `dump.rdb` only without `appendonly`, which it can be told to keep from then on."""
    folder.mkdir()
    shutil.copy(copy, folder / "dump.rdb")
    valkey = Valkey(folder, appendonly=False)
    valkey.start()
    with redis.Redis.from_url(valkey.url) as client:
        client.config_set("appendonly", "yes")
        eventually((folder / "appendonlydir" / "appendonly.aof.manifest").exists)
        eventually(lambda: not client.info("persistence")["aof_rewrite_in_progress"])
    return valkey
