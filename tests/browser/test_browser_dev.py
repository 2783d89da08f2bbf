"""What `workroom dev` has to say is in the page, too."""

from __future__ import annotations

from collections.abc import Iterator
from pathlib import Path

import pytest
from playwright.sync_api import Page, expect

from support.browser import come_in, open_tool, run
from support.dev import TOOL, Dev


@pytest.fixture
def dev(tmp_path: Path) -> Iterator[Dev]:
    dev = Dev(tmp_path, TOOL)
    yield dev
    dev.close()


def test_a_saved_file_changes_the_page(dev: Dev, page: Page) -> None:
    come_in(page, dev.url, room="dev")
    open_tool(page, "Greet")
    expect(run(page)).to_contain_text("hello world")

    dev.save(TOOL.replace("return", "retrun"))
    alert = page.get_by_role("alert").filter(has_text="SyntaxError")
    expect(alert).to_contain_text("line 8")
    expect(alert).to_contain_text("The version before is still served")

    dev.save(TOOL.replace('name: str = "world"', 'whom: str = "you"').replace("self.name", "self.whom"))
    expect(alert).to_have_count(0)
    page.get_by_label("Whom").fill("Ada")
    expect(run(page)).to_contain_text("hello Ada")
