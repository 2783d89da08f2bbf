"""Extensions that save, show and read files."""

from __future__ import annotations

import hashlib
import os
import tempfile
from pathlib import Path
from typing import Any

from workroom import Extension, File, JobContext


class Produce(Extension):
    """Saves a random file of some megabytes and returns its digest."""

    mb: int = 1

    def run(self, job: JobContext) -> str:
        digest = hashlib.sha256()
        with tempfile.TemporaryDirectory() as folder:
            path = Path(folder) / "big.bin"
            with path.open("wb") as file:
                for _ in range(self.mb):
                    piece = os.urandom(1_000_000)
                    digest.update(piece)
                    file.write(piece)
            job.save("big.bin", path)
        return digest.hexdigest()


class SaveAll(Extension):
    """Saves values of every kind."""

    def run(self, job: JobContext) -> list[str]:
        with tempfile.TemporaryDirectory() as folder:
            path = Path(folder) / "a.txt"
            path.write_bytes(b"from a path")
            job.save("path.txt", path)
            job.save("text-path.txt", str(path))
            with path.open("rb") as file:
                file.seek(5)
                job.save("file.txt", file)
        job.save("bytes.txt", b"replaced")
        job.save("bytes.txt", b"from bytes")
        job.save("view.bin", memoryview(b"from a view"), media_type="text/plain")
        reading, writing = os.pipe()
        os.write(writing, b"from a pipe")
        os.close(writing)
        with os.fdopen(reading, "rb") as pipe:
            job.save("pipe.txt", pipe)
        return [self.__class__.__name__]


class SaveApart(SaveAll, isolation="process"):
    """`SaveAll` in a process of its own."""


class SaveAwaited(Extension):
    async def run(self, job: JobContext) -> int:
        saved = await job.save_async("awaited.txt", b"from a coroutine")
        job.save("blocking.txt", b"from a coroutine, blocking")
        return int(saved["size"])


class Show(Extension):
    """Shows many previews at once; the last one counts."""

    times: int = 100

    def run(self, job: JobContext) -> None:
        for number in range(self.times):
            job.show(f"number {number}")


class ShowApart(Show, isolation="process"):
    pass


class ShowDict(Extension):
    def run(self, job: JobContext) -> None:
        job.show({"energy": [1, 2]})


class Long(Extension):
    """Returns a result that is too large for one report."""

    length: int = 2_000_000

    def run(self) -> dict[str, str]:
        return {"text": "x" * self.length}


class LongApart(Long, isolation="process"):
    pass


class Measure(Extension):
    """Reads a file of the room."""

    trajectory: File
    second: File | None = None

    def run(self) -> list[Any]:
        with self.trajectory.open() as file:
            body = file.read()
        path = self.trajectory.path()
        other = None if self.second is None else self.second.path().read_text()
        return [path.name, body.decode(), str(path), other]


class MeasureApart(Measure, isolation="process"):
    pass


class SaveWhenTold(Extension):
    """Tries to save after it was cancelled."""

    gate: str

    def run(self, job: JobContext) -> None:
        Path(self.gate).touch()
        while not job.cancelled:
            pass
        try:
            job.save("late.txt", b"late")
        except BaseException as error:
            Path(self.gate).write_text(type(error).__name__)
            raise
