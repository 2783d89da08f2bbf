"""A page behind a proxy in front of two servers: when one is killed, it goes on at the other."""

from __future__ import annotations

from collections.abc import Iterator
from pathlib import Path

import pytest
from playwright.sync_api import Page, expect

from replicas.conftest import StartReplica
from support.browser import come_in, open_tool, run
from support.chaos.history import Journal
from support.chaos.proxy import FaultProxy
from support.chaos.stage import port_of
from workroom.testing.fixtures import StartWorker
from workroom.testing.processes import ServerProcess

STEPS = 80


@pytest.fixture
def servers(start_replica: StartReplica, tmp_path: Path) -> list[ServerProcess]:
    """They share their files too."""
    return [start_replica(name, storage=f"file://{tmp_path / 'files'}") for name in "ab"]


@pytest.fixture
def proxy(servers: list[ServerProcess], tmp_path: Path) -> Iterator[FaultProxy]:
    """Sends each connection to the first server that is there."""
    journal = Journal(tmp_path / "proxy.jsonl")
    with FaultProxy(*map(port_of, servers), journal=journal) as proxy:
        yield proxy
    journal.close()


def test_a_page_goes_on_at_another_server_in_mid_job(
    page: Page, servers: list[ServerProcess], proxy: FaultProxy, start_worker: StartWorker
) -> None:
    here, there = servers
    start_worker(there, "support.extensions.page:Walk", "support.extensions.page:Echo")
    come_in(page, proxy.url, room="demo")
    open_tool(page, "Walk")
    page.get_by_label("Steps").last.fill(str(STEPS))
    panel = run(page)
    expect(panel).to_contain_text("step 2")

    here.kill()

    expect(panel).to_contain_text("Completed")
    expect(page.get_by_text("reconnecting")).to_have_count(0)
    lines = panel.get_by_role("log").inner_text().split("\n")
    assert [line for line in lines if line.startswith("step ")] == [f"step {step}" for step in range(STEPS)]
    open_tool(page, "Echo")
    page.get_by_label("Text").fill("from the other side")
    expect(run(page)).to_contain_text("from the other side")
