"""The pages of administrators: overview, jobs, rooms, users and tokens, workers, audit, settings."""

from __future__ import annotations

import re
from collections.abc import Iterator

import httpx
import pytest
from playwright.sync_api import Page, expect

from support.browser import MakePage, come_in, come_in_as_admin
from support.extensions.page import Echo
from support.job_waits import ended_job
from workroom.testing.fixtures import OpenRoom
from workroom.testing.processes import ServerProcess


@pytest.fixture(scope="module")
def server(tmp_path_factory: pytest.TempPathFactory) -> Iterator[ServerProcess]:
    data_dir = tmp_path_factory.mktemp("data")
    with ServerProcess(data_dir, "support.extensions.page", workers=1, slots=2) as server:
        yield server


@pytest.fixture
def admin(make_page: MakePage, server: ServerProcess) -> Page:
    page = make_page()
    come_in_as_admin(page, server.url)
    page.get_by_role("button", name="You are admin").click()
    page.get_by_role("menuitem", name="Administration").click()
    page.get_by_role("heading", name="Overview").wait_for()
    return page


def go(page: Page, name: str) -> None:
    page.get_by_role("link", name=name, exact=True).click()
    page.get_by_role("heading", name=name, level=1).wait_for()


def test_an_admin_sees_and_cancels_jobs_of_all_rooms(
    admin: Page, server: ServerProcess, open_room: OpenRoom
) -> None:
    rooms = [open_room(server, "one", user="ada"), open_room(server, "two", user="bob")]
    ended_job(rooms[0].submit(Echo()), seconds=60)
    for room in rooms:
        room.submit_named("analysis", "Echo", {}, delay=3600)

    tools = admin.get_by_role("region", name="Tools")
    expect(tools.get_by_role("row", name="analysis/Echo")).to_be_visible(timeout=30_000)
    go(admin, "Jobs")
    admin.get_by_role("combobox", name="State").click()
    admin.get_by_role("option", name="pending").click()
    table = admin.get_by_role("table", name="Jobs")
    filter_by_room = admin.get_by_role("textbox", name="Room", exact=True)
    expect(table.get_by_role("row")).to_have_count(3)
    filter_by_room.fill("two")
    expect(table.get_by_role("row")).to_have_count(2)
    filter_by_room.fill("")
    expect(table.get_by_role("row")).to_have_count(3)
    admin.get_by_label("Select all 2 listed jobs").check()
    admin.get_by_role("toolbar", name="Selected jobs").get_by_role("button", name="Cancel").click()
    admin.get_by_role("button", name="Cancel 2 jobs").click()
    expect(admin.get_by_text("2 jobs cancelled.")).to_be_visible()
    expect(admin.get_by_text("No job matches.")).to_be_visible()
    assert {job["status"] for room in rooms for job in room.jobs(limit=1)} == {"cancelled"}

    go(admin, "Rooms")
    expect(admin.get_by_role("link", name="two")).to_be_visible()
    go(admin, "Workers")


def test_an_admin_adds_changes_and_disables_users_and_makes_tokens(
    admin: Page, server: ServerProcess
) -> None:
    go(admin, "Users")
    admin.get_by_role("button", name="Add a user").click()
    form = admin.get_by_role("dialog")
    form.get_by_label("Name").fill("grace")
    form.locator("input[type=password]").fill("correct horse")
    form.get_by_role("button", name="Add", exact=True).click()
    row = admin.get_by_role("row", name=re.compile("grace"))
    expect(row).to_be_visible()

    def log_in() -> httpx.Response:
        login = {"name": "grace", "password": "correct horse"}
        return httpx.post(f"{server.url}/api/login", json=login)

    headers = {"Authorization": f"Bearer {log_in().json()['token']}"}
    assert httpx.get(f"{server.url}/api/users/me", headers=headers).status_code == 200
    admin.get_by_role("button", name="Change grace").click()
    admin.get_by_role("menuitem", name="Revoke all tokens").click()
    admin.get_by_role("dialog").get_by_role("button", name="Revoke").click()
    expect(admin.get_by_role("dialog")).to_have_count(0)
    assert httpx.get(f"{server.url}/api/users/me", headers=headers).status_code == 401
    for item, action, shown in (
        ("Give the role admin", "Change the role", "admin"),
        ("Disable", "Disable", "disabled"),
    ):
        admin.get_by_role("button", name="Change grace").click()
        admin.get_by_role("menuitem", name=item).click()
        admin.get_by_role("dialog").get_by_role("button", name=action).click()
        expect(row.get_by_text(shown, exact=True)).to_be_visible()
    assert log_in().status_code == 401

    admin.get_by_role("button", name="New token").click()
    admin.get_by_label("Name of the machine").fill("gpu-box")
    admin.get_by_role("button", name="Create").click()
    token = admin.get_by_role("dialog").locator("pre").inner_text()
    headers = {"Authorization": f"Bearer {token}"}
    assert httpx.get(f"{server.url}/api/users/me", headers=headers).json()["role"] == "worker"
    admin.get_by_role("dialog").get_by_label("Close").click()

    go(admin, "Audit")
    for text in ("user added", "tokens revoked", "role admin", "disabled", "token created"):
        expect(admin.get_by_text(text).first).to_be_visible()
    go(admin, "Settings")
    admin.get_by_label("Find a setting").fill("admin_password")
    expect(admin.get_by_text("••••••")).to_be_visible()


def test_the_pages_of_administrators_are_not_there_for_others(page: Page, server: ServerProcess) -> None:
    come_in(page, server.url, "eve")
    page.get_by_role("button", name="You are eve").click()
    expect(page.get_by_role("menuitem", name="All rooms")).to_be_visible()
    expect(page.get_by_role("menuitem", name="Administration")).to_have_count(0)
    page.goto(f"{server.url}/admin")
    expect(page.get_by_role("heading", name="Page not found")).to_be_visible()
