"""Options and fixtures of all tests."""

from __future__ import annotations

import os
import tempfile
from collections.abc import Iterator
from contextlib import ExitStack
from pathlib import Path
from typing import Any

import pytest

pytest.register_assert_rewrite("support")  # before its import, so that a failure shows its values

from support.scripted_worker import MakeScriptedWorker, ScriptedWorker  # noqa: E402
from workroom.testing.processes import ServerProcess  # noqa: E402

os.environ["PYTHONPATH"] = os.pathsep.join(  # workers load `support.extensions.samples:Echo`
    filter(None, [str(Path(__file__).parent), os.environ.get("PYTHONPATH", "")])
)
os.environ["WORKROOM_PACKS"] = "[]"  # tests name the extensions that they need
os.environ["WORKROOM_STATE_DIR"] = tempfile.mkdtemp(prefix="workroom-state-")


def pytest_addoption(parser: pytest.Parser) -> None:
    parser.addoption("--reverse", action="store_true", help="run the tests from last to first")


def pytest_collection_modifyitems(config: pytest.Config, items: list[pytest.Item]) -> None:
    """No test may depend on the order of tests or files; `--reverse` shows one that does."""
    if config.getoption("--reverse"):
        items.reverse()


@pytest.fixture
def make_scripted_worker() -> Iterator[MakeScriptedWorker]:
    """Connect workers that do only what the test makes them do."""
    with ExitStack() as stack:

        def make(server: ServerProcess, **options: Any) -> ScriptedWorker:
            scripted = ScriptedWorker(server.url, **options)
            stack.callback(scripted.close)
            scripted.hello()
            return scripted

        yield make
