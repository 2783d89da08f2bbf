"""A viewer sees everything in a room; what would change it is hidden or disabled, and the page says why."""

from __future__ import annotations

from collections.abc import Iterator

import pytest
from playwright.sync_api import ConsoleMessage, Page, expect

from support.browser import MakePage, come_in, open_tool
from support.extensions.page import Echo
from workroom import Room
from workroom.testing.processes import ServerProcess

VIEW_ONLY = "You may only view this room."


@pytest.fixture
def owner(page: Page, server: ServerProcess, room: str) -> Page:
    """Olga's private room, with a job and a message in it, and its settings open."""
    come_in(page, server.url, "olga", room)
    with Room(room, server.url, user="mia") as mia:
        mia.submit(Echo(text="seen")).result(timeout=20)
        mia.post("Look at this.")
    page.get_by_role("button", name="Room settings").click()
    page.get_by_role("dialog", name="Room settings").get_by_label("Private").click()
    expect(page.get_by_text("Only members can enter.")).to_be_visible()
    return page


def link_for_viewing(owner: Page) -> str:
    invite = owner.get_by_role("region", name="Invite")
    invite.get_by_role("button", name="Share a link for viewing").click()
    expect(invite.get_by_text("read everything in the room, and change nothing")).to_be_visible()
    return invite.locator("pre").inner_text()


@pytest.fixture
def viewer(owner: Page, make_page: MakePage, room: str) -> Iterator[Page]:
    """Victor, who came with the link. His page has no errors in its console."""
    page = make_page()
    page.goto(link_for_viewing(owner))
    errors: list[ConsoleMessage] = []
    page.on("console", lambda message: errors.append(message) if message.type == "error" else None)
    page.get_by_label("Your name").fill(f"victor in {room}")
    page.get_by_role("button", name="Log in").click()
    expect(page.get_by_text("view only")).to_be_visible()
    yield page
    assert [each.text for each in errors] == []


def test_a_viewer_sees_a_tool_and_cannot_run_it(viewer: Page) -> None:
    open_tool(viewer, "Echo")

    expect(viewer.get_by_role("button", name="Run", exact=True)).to_be_disabled()
    expect(viewer.get_by_role("status").get_by_text(VIEW_ONLY)).to_be_visible()
    viewer.get_by_label("Text").press("Control+Enter")
    viewer.get_by_role("button", name="Presets").click()
    expect(viewer.get_by_text("Nobody has saved a preset yet.")).to_be_visible()
    expect(viewer.get_by_role("button", name="Save as preset")).to_have_count(0)


def test_a_viewer_reads_the_chat_and_the_history(viewer: Page) -> None:
    viewer.get_by_role("button", name="Chat").click()
    expect(viewer.get_by_text("Look at this.")).to_be_visible()
    expect(viewer.get_by_role("dialog").get_by_text(VIEW_ONLY)).to_be_visible()
    expect(viewer.get_by_label("Message", exact=True)).to_have_count(0)
    viewer.keyboard.press("Escape")

    viewer.get_by_role("link", name="History").first.click()
    expect(viewer.get_by_label("Star Echo of mia")).to_be_disabled()
    expect(viewer.get_by_role("button", name="Retry all failed")).to_have_count(0)
    expect(viewer.get_by_label("Run Echo of mia again")).to_have_count(0)
    viewer.get_by_label("Select Echo of mia").check()
    bar = viewer.get_by_role("toolbar", name="Selected jobs")
    expect(bar.get_by_role("button", name="Export CSV")).to_be_visible()
    expect(bar.get_by_role("button", name="Run again")).to_have_count(0)


def test_a_viewer_who_is_made_a_member_can_work_at_once(viewer: Page, owner: Page, room: str) -> None:
    open_tool(viewer, "Echo")
    members = owner.get_by_role("region", name="Members")
    expect(members.get_by_text("views only")).to_be_visible()
    members.get_by_role("button", name=f"Make victor in {room} a member").click()

    expect(members.get_by_text("views only")).to_have_count(0)
    expect(viewer.get_by_role("button", name="Run", exact=True)).to_be_enabled()
    expect(viewer.get_by_text("view only")).to_have_count(0)


def test_an_open_room_offers_no_link_for_viewing(page: Page, server: ServerProcess, room: str) -> None:
    come_in(page, server.url, "olga", room)
    page.get_by_role("button", name="Room settings").click()

    expect(page.get_by_role("button", name="Create an invite link")).to_be_visible()
    expect(page.get_by_role("button", name="Share a link for viewing")).to_have_count(0)
