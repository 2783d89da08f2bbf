"""The steps of docs/howto/from-celery.md work from top to bottom, with real Celery workers and a broker."""

from __future__ import annotations

import re
import sys
from collections.abc import Callable, Iterator
from contextlib import ExitStack
from pathlib import Path

import pytest

from workroom.testing.fixtures import StartServer
from workroom.testing.processes import Process, eventually
from workroom.testing.valkey import Valkey

PAGE = Path(__file__).parents[2] / "docs" / "howto" / "from-celery.md"
URL = "http://localhost:8000"
BLOCK = re.compile(r"^```(python|sh)\n(.*?)^```", re.MULTILINE | re.DOTALL)
FILE = re.compile(r"# (\w+\.py)\n")
READY = {"celery": "ready", "workroom": "Serving"}


class Project:
    """A folder with the files of the page, and the processes that it starts."""

    def __init__(self, folder: Path, url: str, broker: str, stack: ExitStack) -> None:
        self._folder = folder
        self._url = url
        self._environment = {"SHOP_BROKER": broker, "WORKROOM_URL": url, "PYTHONPATH": str(folder)}
        self._stack = stack
        self._celery: Process | None = None
        self._callers = 0

    def follow(self, kind: str, text: str) -> None:
        text = text.replace(URL, self._url)
        file = FILE.match(text)
        if kind == "sh":
            self._start(text.strip())
        elif file is not None:
            (self._folder / file[1]).write_text(text)
        else:
            self._call(text)

    def _start(self, command: str) -> None:
        program, *arguments = command.split()
        if arguments == ["serve"]:
            return  # the server of this test
        log = self._folder / f"{program}-{len(list(self._folder.glob('*.log')))}.log"
        if program == "celery" and self._celery is not None:
            self._celery.close()
        arguments = [word.replace("WARNING", "INFO") for word in arguments]  # to see that it is ready
        started = self._process([sys.executable, "-m", program, *arguments], log)
        eventually(lambda: READY[program] in log.read_text(), 60, f"the start of: {command}")
        if program == "celery":
            self._celery = started

    def _call(self, text: str) -> None:
        """Blocks without a file name continue one another. Each runs in a new process, as modules change."""
        self._callers += 1
        kept = self._folder / "caller.py"
        before = kept.read_text() if kept.exists() else ""
        kept.write_text("\n".join([before, text]) if "room" in text else before)
        script = self._folder / f"caller_{self._callers}.py"
        script.write_text("\n".join([before, text]))
        log = self._folder / f"{script.stem}.out"
        assert self._process([sys.executable, str(script)], log).child.wait(90) == 0, log.read_text()

    def _process(self, command: list[str], log: Path) -> Process:
        entered = ["sh", "-c", 'cd "$0" && exec "$@"', str(self._folder), *command]
        process = Process(entered, self._environment, log)
        self._stack.callback(process.close)
        return process


@pytest.fixture
def valkey(tmp_path: Path) -> Iterator[Valkey]:
    (tmp_path / "valkey").mkdir()
    valkey = Valkey(tmp_path / "valkey", appendonly=False)
    valkey.start()
    yield valkey
    valkey.stop()


@pytest.fixture
def make_project(tmp_path: Path, valkey: Valkey) -> Iterator[Callable[[str], Project]]:
    folder = tmp_path / "shop"
    folder.mkdir()
    broker = valkey.url.replace("unix://", "redis+socket://")
    with ExitStack() as stack:
        yield lambda url: Project(folder, url, broker, stack)


@pytest.mark.timeout(300)
def test_every_step_of_the_page_works(
    start_server: StartServer, make_project: Callable[[str], Project]
) -> None:
    blocks = BLOCK.findall(PAGE.read_text())
    project = make_project(start_server().url)

    for kind, text in blocks:
        project.follow(kind, text)

    assert [kind for kind, _ in blocks].count("sh") == 5
