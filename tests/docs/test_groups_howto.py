"""The code of docs/howto/groups.md runs, from top to bottom."""

from __future__ import annotations

import re
import sys
from pathlib import Path
from types import ModuleType

import pytest

from workroom.testing.fixtures import StartServer

PAGE = Path(__file__).parents[2] / "docs" / "howto" / "groups.md"
URL = "http://localhost:8000"


def test_every_block_of_the_page_runs(start_server: StartServer, monkeypatch: pytest.MonkeyPatch) -> None:
    blocks = re.findall(r"^```python\n(.*?)^```", PAGE.read_text(), re.MULTILINE | re.DOTALL)
    assert sum(URL in block for block in blocks) == 1
    server = start_server()
    page = ModuleType("groups_howto")
    monkeypatch.setitem(sys.modules, page.__name__, page)  # where annotations of its classes are looked up
    try:
        for block in blocks:
            exec(compile(block.replace(URL, server.url), PAGE, "exec"), vars(page))
    finally:
        page.room.close()

    assert len(page.rows) == 6
    assert {row["status"] for row in page.rows} == {"completed"}
