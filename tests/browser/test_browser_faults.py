"""Refresh, other windows, lost workers and lost servers: nothing is lost, and the page says what is so."""

from __future__ import annotations

from playwright.sync_api import Page, expect

from support.browser import MakePage, come_in, job_panel, open_tool, run
from workroom.testing.fixtures import StartServer, StartWorker
from workroom.testing.processes import ServerProcess

HASTE = {"heartbeat": 0.5, "lease": 3.0, "grace": 0.5, "sweep": 0.1}


def walk(page: Page, steps: int) -> None:
    open_tool(page, "Walk")
    page.get_by_label("Steps").last.fill(str(steps))


def test_a_refresh_in_mid_job_loses_nothing(page: Page, server: ServerProcess, room: str) -> None:
    come_in(page, server.url, room=room)
    walk(page, 60)
    expect(run(page)).to_contain_text("step 2")

    page.reload()

    panel = job_panel(page)
    expect(panel).to_contain_text("Running")
    expect(panel).to_contain_text("Completed")
    lines = panel.get_by_role("log").inner_text().split("\n")
    assert [line for line in lines if line.startswith("step ")] == [f"step {step}" for step in range(60)]


def test_two_browsers_in_one_room_see_the_same(make_page: MakePage, server: ServerProcess, room: str) -> None:
    ada, bob = make_page(), make_page()
    come_in(ada, server.url, "ada", room)
    come_in(bob, server.url, "bob", room)
    bob.get_by_role("link", name="History").click()
    open_tool(ada, "Echo")
    ada.get_by_label("Text").fill("from ada")

    run(ada)

    expect(bob.get_by_role("link", name="Echo").last).to_be_visible()
    expect(bob.get_by_text("completed").first).to_be_visible()


def test_a_tool_appears_with_its_worker_and_waits_without_one(
    page: Page, start_server: StartServer, start_worker: StartWorker
) -> None:
    server = start_server(**HASTE)
    come_in(page, server.url, room="demo")
    expect(page.get_by_text("No tools in this room yet")).to_be_visible()

    worker = start_worker(server, "support.extensions.page:Walk", name="gpu-2")
    walk(page, 9000)
    panel = run(page)
    expect(panel).to_contain_text("Running on gpu-2")
    page.get_by_role("button", name="Run", exact=True).click()
    expect(panel).to_contain_text("Next in the queue")
    worker.kill()

    expect(panel).to_contain_text("No worker for this tool is connected.")
    expect(page.get_by_role("button", name="Run", exact=True)).to_be_enabled()
    expect(page.get_by_text("The last worker left")).to_be_visible()
    expect(page.get_by_text("Jobs wait until one connects.")).to_be_visible()
    start_worker(server, "support.extensions.page:Walk", name="gpu-3")
    expect(panel).to_contain_text("Running on gpu-3")


def test_run_again_works_while_the_tool_is_away(
    page: Page, start_server: StartServer, start_worker: StartWorker
) -> None:
    server = start_server(**HASTE)
    worker = start_worker(server, "support.extensions.page:Walk", name="gpu-2")
    come_in(page, server.url, room="demo")
    walk(page, 2)
    panel = run(page)
    expect(panel).to_contain_text("Completed")
    worker.stop()
    expect(page.get_by_text("The last worker left")).to_be_visible()

    panel.get_by_role("button", name="Run again", exact=True).click()
    expect(panel).to_contain_text("No worker for this tool is connected.")
    start_worker(server, "support.extensions.page:Walk", name="gpu-3")

    expect(panel).to_contain_text("Completed")


def test_a_worker_that_is_killed_in_mid_job_fails_it_in_words(
    page: Page, start_server: StartServer, start_worker: StartWorker
) -> None:
    server = start_server(**HASTE)
    worker = start_worker(server, "support.extensions.page:Walk")
    come_in(page, server.url, room="demo")
    walk(page, 9000)
    panel = run(page)
    expect(panel).to_contain_text("step 2")

    worker.kill()

    expect(panel.get_by_role("alert")).to_contain_text("WorkerLost")
    expect(panel.get_by_role("button", name="Run again", exact=True)).to_be_visible()


def test_a_server_that_is_killed_in_mid_job_is_waited_for(
    page: Page, start_server: StartServer, start_worker: StartWorker
) -> None:
    server = start_server()
    start_worker(server, "support.extensions.page:Walk")
    come_in(page, server.url, room="demo")
    walk(page, 100)
    panel = run(page)
    expect(panel).to_contain_text("step 2")

    server.kill()
    expect(page.get_by_text("reconnecting")).to_be_visible()
    expect(page.get_by_role("button", name="Run", exact=True)).to_be_disabled()
    server.restart()

    expect(page.get_by_text("reconnecting")).to_have_count(0)
    expect(panel).to_contain_text("Completed")
    lines = panel.get_by_role("log").inner_text().split("\n")
    assert [line for line in lines if line.startswith("step ")] == [f"step {step}" for step in range(100)]


def test_a_network_that_was_gone_is_caught_up_with(page: Page, server: ServerProcess, room: str) -> None:
    come_in(page, server.url, room=room)
    walk(page, 50)
    panel = run(page)
    expect(panel).to_contain_text("step 2")

    page.context.set_offline(True)
    page.wait_for_timeout(1000)
    page.context.set_offline(False)

    expect(panel).to_contain_text("Completed")
    expect(panel.get_by_role("log")).to_contain_text("step 49")
