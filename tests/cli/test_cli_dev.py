"""`workroom dev`: files are edited on disk, and the worker follows."""

from __future__ import annotations

import signal
from collections.abc import Iterator
from pathlib import Path
from typing import Any

import psutil
import pytest

from support.dev import TOOL, Dev
from workroom import Room
from workroom.testing.processes import eventually


@pytest.fixture
def dev(tmp_path: Path) -> Iterator[Dev]:
    dev = Dev(tmp_path, TOOL)
    yield dev
    dev.close()


@pytest.fixture
def room(dev: Dev) -> Iterator[Room]:
    with Room("dev", dev.url, user="ada") as room:
        yield room


def run(room: Room, name: str = "Greet", **values: Any) -> Any:
    return room.submit_named("analysis", name, values).result(timeout=20)


def wait_for_problem(room: Room, text: str) -> dict[str, Any]:
    found: dict[str, Any] = eventually(
        lambda: problem if text in (problem := room.state.get("dev", {})).get("message", "") else None,
        what=f"a problem with '{text}'",
    )
    return found


def test_a_saved_file_is_served(dev: Dev, room: Room) -> None:
    dev.wait_for("serving analysis/Greet")
    assert run(room) == "hello world"

    dev.save(TOOL.replace('name: str = "world"', "names: int").replace("self.name", "self.names * 2"))
    dev.wait_for("app.py changed")
    eventually(lambda: dev.printed.count("serving analysis/Greet") == 2, what="the new version")
    assert run(room, names=4) == "hello 8"

    dev.save(TOOL.replace("Greet", "Welcome"))
    dev.wait_for("serving analysis/Welcome")
    assert run(room, "Welcome") == "hello world"


def test_so_is_a_module_that_it_imports(dev: Dev, room: Room, tmp_path: Path) -> None:
    dev.wait_for("serving analysis/Greet")
    (tmp_path / "greetings.py").write_text('WORD = "good day"\n')
    dev.save("from greetings import WORD\n" + TOOL.replace("hello {", "{WORD} {"))
    eventually(lambda: dev.printed.count("serving") == 2, what="the new version")
    assert run(room) == "good day world"

    (tmp_path / "greetings.py").write_text('WORD = "good night"\n')
    dev.wait_for("greetings.py changed")
    eventually(lambda: dev.printed.count("serving") == 3, what="the new version")
    assert run(room) == "good night world"


def test_an_error_is_shown_until_it_is_corrected(dev: Dev, room: Room) -> None:
    dev.wait_for("serving analysis/Greet")

    dev.save(TOOL.replace("return", "retrun"))
    problem = wait_for_problem(room, "SyntaxError")
    assert "line 8" in problem["message"]
    assert 'retrun f"hello {self.name}"' in problem["trace"]
    assert problem["is_served"]
    assert "The version before is still served." in dev.wait_for("SyntaxError")
    assert run(room) == "hello world"
    assert room.versions() == []

    dev.save(TOOL.replace("from workroom", "import nowhere\nfrom workroom"))
    problem = wait_for_problem(room, "ModuleNotFoundError")
    assert "line 2, in <module>" in problem["trace"]

    dev.save(TOOL)
    eventually(lambda: "dev" not in room.state, what="the end of the problem")


def test_a_tool_that_cannot_be_registered_is_shown(dev: Dev, room: Room) -> None:
    dev.wait_for("serving analysis/Greet")

    dev.save(TOOL.replace("name: str", f"{'x' * 120_000}: int = 1\n    name: str"))
    problem = wait_for_problem(room, "schema")
    assert not problem["is_served"]

    dev.save("import os\n")
    wait_for_problem(room, "defines no Extension")

    dev.save("import os\nos._exit(3)\n")
    wait_for_problem(room, "exit code 3")

    dev.save(TOOL)
    eventually(lambda: "dev" not in room.state, what="the end of the problem")
    assert run(room) == "hello world"


def test_it_starts_with_files_that_have_an_error(tmp_path: Path) -> None:
    dev = Dev(tmp_path, "1 / 0\n", "--room", "lab")
    try:
        with Room("lab", dev.url, user="ada") as room:
            assert "line 1" in wait_for_problem(room, "ZeroDivisionError")["message"]
            dev.save(TOOL)
            dev.wait_for("serving analysis/Greet")
            assert run(room) == "hello world"
    finally:
        dev.close()


def test_it_stops_with_its_worker(dev: Dev) -> None:
    dev.wait_for("serving")
    workers = psutil.Process(dev.pid).children()
    assert workers

    dev.signal(signal.SIGINT)

    assert dev.child.wait(20) == 0
    assert not [worker for worker in workers if worker.is_running()]
    assert "Traceback" not in dev.printed


def test_a_worker_that_dies_is_started_again(dev: Dev, room: Room) -> None:
    dev.wait_for("serving")

    for worker in psutil.Process(dev.pid).children():
        worker.kill()

    wait_for_problem(room, "the worker ended")
    eventually(lambda: "dev" not in room.state, what="the new worker")
    assert run(room) == "hello world"
