"""Files from end to end: real processes, any size, little memory."""

from __future__ import annotations

import hashlib
import threading
from collections.abc import Iterator
from contextlib import contextmanager
from pathlib import Path

import httpx
import psutil
import pytest

from support.extensions.files import (
    Long,
    LongApart,
    Measure,
    MeasureApart,
    Produce,
    SaveAll,
    SaveApart,
    SaveAwaited,
    SaveWhenTold,
    Show,
    ShowApart,
    ShowDict,
)
from workroom import Extension, FileRef, JobHandle, Room
from workroom.client.transport.identity import TokenFile
from workroom.errors import ArtifactNotFound, FileNotFound, InvalidData, WorkroomError
from workroom.testing.fixtures import OpenRoom, StartServer, StartWorker
from workroom.testing.processes import ServerProcess, eventually

EXTRA_BYTES = 50_000_000


@pytest.fixture(scope="module")
def server(tmp_path_factory: pytest.TempPathFactory) -> Iterator[ServerProcess]:
    with ServerProcess(tmp_path_factory.mktemp("server")) as server:
        yield server


@pytest.fixture(scope="module")
def worker(server: ServerProcess) -> Iterator[Room]:
    """Serves all of it from this process."""
    with Room("demo", server.url, user="worker") as room:
        room.register(
            Long,
            LongApart,
            Measure,
            MeasureApart,
            SaveAll,
            SaveApart,
            SaveAwaited,
            SaveWhenTold,
            Show,
            ShowApart,
            ShowDict,
            slots=2,
        )
        yield room


@pytest.fixture
def room(server: ServerProcess, worker: Room, open_room: OpenRoom) -> Room:
    return open_room(server)


class Peak:
    """The most memory that processes have taken more than at the beginning."""

    def __init__(self, *pids: int) -> None:
        self._processes = [psutil.Process(pid) for pid in pids]
        self._begin = [each.memory_info().rss for each in self._processes]
        self.extra = [0 for _ in pids]
        self._is_over = threading.Event()
        self._thread = threading.Thread(target=self._watch)

    def _watch(self) -> None:
        while not self._is_over.wait(0.01):
            self._look()

    def _look(self) -> None:
        for number, process in enumerate(self._processes):
            extra = process.memory_info().rss - self._begin[number]
            self.extra[number] = max(self.extra[number], extra)

    @contextmanager
    def watching(self) -> Iterator[Peak]:
        self._thread.start()
        try:
            yield self
        finally:
            self._is_over.set()
            self._thread.join()
            self._look()


def digest_of(path: Path) -> str:
    with path.open("rb") as file:
        return hashlib.file_digest(file, "sha256").hexdigest()


@pytest.mark.parametrize(
    "mb",
    [100, pytest.param(1000, marks=[pytest.mark.full, pytest.mark.timeout(900)])],
)
def test_a_large_artifact_takes_little_memory_on_every_side(
    start_server: StartServer, start_worker: StartWorker, open_room: OpenRoom, tmp_path: Path, mb: int
) -> None:
    server = start_server()
    worker = start_worker(server, "support.extensions.files:Produce")
    room = open_room(server)
    first = room.submit(Produce(mb=1))
    first.result(timeout=60)
    first.download("big.bin", tmp_path / "first.bin")

    with Peak(server.process.pid, worker.pid, psutil.Process().pid).watching() as peak:
        job = room.submit(Produce(mb=mb))
        digest = job.result(timeout=600)
        path = job.download("big.bin", tmp_path / "copy.bin")

    assert path.stat().st_size == mb * 1_000_000
    assert digest_of(path) == digest
    assert max(peak.extra) < EXTRA_BYTES, dict(zip(("server", "worker", "reader"), peak.extra, strict=True))


@pytest.mark.parametrize("kind", [SaveAll, SaveApart])
def test_a_job_saves_bytes_paths_files_and_streams(room: Room, tmp_path: Path, kind: type[Extension]) -> None:
    job = room.submit(kind())
    job.result(timeout=60)

    saved = {each["name"]: each for each in job.artifacts()}
    assert list(saved) == sorted(saved)
    read = {name: job.download(name, tmp_path).read_text() for name in saved}
    assert read == {
        "path.txt": "from a path",
        "text-path.txt": "from a path",
        "file.txt": "a path",
        "bytes.txt": "from bytes",
        "view.bin": "from a view",
        "pipe.txt": "from a pipe",
    }
    assert saved["view.bin"]["media_type"] == "text/plain"


def test_a_coroutine_saves(room: Room, tmp_path: Path) -> None:
    job = room.submit(SaveAwaited())

    assert job.result(timeout=60) == len("from a coroutine")
    assert [each["name"] for each in job.artifacts()] == ["awaited.txt", "blocking.txt"]


def test_a_download_is_whole_or_not_at_all(room: Room, tmp_path: Path) -> None:
    job = room.submit(SaveAwaited())
    job.result(timeout=60)

    with pytest.raises(ArtifactNotFound):
        job.download("nothing.txt", tmp_path / "nothing.txt")
    assert list(tmp_path.iterdir()) == []


def test_saving_in_a_cancelled_job_raises(room: Room, tmp_path: Path) -> None:
    gate = tmp_path / "gate"
    job = room.submit(SaveWhenTold(gate=str(gate)))
    eventually(gate.exists, 20, "the job running")
    job.cancel()

    eventually(lambda: gate.read_text() == "JobCancelled", 20, "the job being told")
    assert job.artifacts() == []


@pytest.mark.parametrize("kind", [Long, LongApart])
def test_a_result_over_a_megabyte_comes_back_whole(room: Room, kind: type[Long]) -> None:
    job = room.submit(kind())

    assert job.result(timeout=60) == {"text": "x" * 2_000_000}
    assert job.document["result"]["artifact"] == "result.json"
    assert job.document["result"]["size"] == job.artifacts()[0]["size"] > 2_000_000


def test_a_result_that_no_artifact_can_hold_fails_the_job(
    start_server: StartServer, open_room: OpenRoom
) -> None:
    server = start_server(max_artifact=1_500_000)
    worker = open_room(server, user="worker")
    worker.register(Long)

    job = open_room(server).submit(Long())

    with pytest.raises(WorkroomError, match="ResultTooLarge"):
        job.result(timeout=30)


def preview(server: ServerProcess, job: JobHandle) -> httpx.Response:
    with httpx.Client(base_url=server.url) as http:
        token = http.post("/api/login", json={"name": "viewer"}).json()["token"]
        return http.get(f"/api/jobs/{job.id}/preview", headers={"Authorization": f"Bearer {token}"})


@pytest.mark.parametrize("kind", [Show, ShowApart])
def test_of_many_previews_few_are_sent_and_the_last_always(
    server: ServerProcess, room: Room, kind: type[Show]
) -> None:
    job = room.submit(kind())
    job.result(timeout=60)

    shown = preview(server, job)
    assert shown.text == "number 99"
    assert shown.headers["x-preview-kind"] == "text"
    assert int(shown.headers["x-preview-version"]) < 20


def test_a_document_is_shown(server: ServerProcess, room: Room) -> None:
    job = room.submit(ShowDict())
    job.result(timeout=60)

    assert preview(server, job).json() == {"energy": [1, 2]}


@pytest.mark.parametrize("kind", [Measure, MeasureApart])
def test_a_field_refers_to_a_file_of_the_room(room: Room, tmp_path: Path, kind: type[Measure]) -> None:
    path = tmp_path / "water.xyz"
    path.write_text("3 atoms")
    first, second = room.upload(path), room.upload(b"more", name="more.txt")

    job = room.submit(kind(trajectory=first, second=second))

    name, body, where, other = job.result(timeout=60)
    assert (name, body, other) == ("water.xyz", "3 atoms", "more")
    assert job.document["data"] == {"trajectory": first.id, "second": second.id}
    assert not Path(where).exists()
    by_name = room.submit_named("analysis", kind.__name__, {"trajectory": first.id})
    assert by_name.result(timeout=60)[1] == "3 atoms"


def test_a_field_that_refers_to_no_file_is_refused(room: Room) -> None:
    with pytest.raises(InvalidData, match="/trajectory: there is no such file"):
        room.submit_named("analysis", "Measure", {"trajectory": "nothing"})


def test_a_file_field_has_its_own_format() -> None:
    schema = Measure.model_json_schema()["properties"]["trajectory"]

    assert (schema["type"], schema["format"]) == ("string", "workroom-file")


def test_files_of_a_room_come_and_go_by_the_sdk(room: Room, tmp_path: Path) -> None:
    file = room.upload(b"hello", name="hello.txt")

    assert isinstance(file, FileRef)
    assert (file.name, file.size) == ("hello.txt", 5)
    assert file.document in room.files()
    assert room.download(file, tmp_path).read_text() == "hello"
    assert room.download(file.id, tmp_path / "other").read_text() == "hello"
    with pytest.raises(FileNotFound):
        room.download("nothing", tmp_path)
    with pytest.raises(RuntimeError, match="inside run"):
        file.open()


def test_a_token_that_counts_no_more_costs_no_upload(
    server: ServerProcess, open_room: OpenRoom, tmp_path: Path
) -> None:
    TokenFile(f"{server.url} carol").store("nonsense")
    file = open_room(server, user="carol").upload(b"hello", name="hello.txt")

    TokenFile(f"{server.url} carol").store("nonsense")
    assert open_room(server, user="carol").download(file, tmp_path).read_text() == "hello"
