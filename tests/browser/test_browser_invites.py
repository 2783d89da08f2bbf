"""An invite is a link: it leads into the room, and leaves no trace of its code."""

from __future__ import annotations

import pytest
from playwright.sync_api import Page, Request, expect

from support.browser import MakePage, come_in
from workroom.testing.processes import ServerProcess


@pytest.fixture(scope="module")
def workers() -> int:
    return 0


@pytest.fixture
def owner(page: Page, server: ServerProcess, room: str) -> Page:
    """Olga in her private room, with its settings open."""
    come_in(page, server.url, "olga", room)
    page.get_by_role("button", name="Room settings").click()
    page.get_by_role("dialog", name="Room settings").get_by_label("Private").click()
    expect(page.get_by_text("Only members can enter.")).to_be_visible()
    return page


def invite_link(owner: Page) -> str:
    invite = owner.get_by_role("region", name="Invite")
    invite.get_by_role("button", name="Create an invite link").click()
    return invite.locator("pre").inner_text()


def in_room(page: Page, server: ServerProcess, room: str) -> None:
    expect(page.get_by_role("heading", name="Tools")).to_be_visible()
    expect(page).to_have_url(f"{server.url}/rooms/{room}")


def test_a_stranger_who_opens_the_link_gives_a_name_and_is_in_the_room(
    owner: Page, make_page: MakePage, server: ServerProcess, room: str
) -> None:
    link = invite_link(owner)
    address, _, code = link.rpartition("/")
    assert address == f"{server.url}/join#{room}"
    stranger = make_page()
    requests: list[Request] = []
    stranger.on("request", lambda request: requests.extend([request]))

    stranger.goto(link)
    expect(stranger.get_by_text(f"You are invited to the room '{room}'")).to_be_visible()
    stranger.get_by_label("Your name").fill("victor")
    stranger.get_by_role("button", name="Log in").click()

    in_room(stranger, server, room)
    assert not [each.url for each in requests if code in each.url or code in each.headers.get("referer", "")]
    assert [each.url for each in requests if code in (each.post_data or "")] == [
        f"{server.url}/api/rooms/{room}/members"
    ]
    stranger.go_back()
    expect(stranger).not_to_have_url(link)


def test_a_link_that_was_withdrawn_says_so_and_another_one_works_in_the_same_window(
    owner: Page, make_page: MakePage, server: ServerProcess, room: str
) -> None:
    link = invite_link(owner)
    owner.get_by_role("button", name="Withdraw all links").click()
    expect(owner.get_by_text("All invites to this room are withdrawn")).to_be_visible()
    visitor = make_page()
    come_in(visitor, server.url, "victor")

    visitor.goto(link)
    expect(visitor.get_by_role("alert")).to_have_text("this invite is not valid, was used up or has expired")
    expect(visitor).to_have_url(f"{server.url}/join")
    expect(visitor.get_by_label("Name of the room")).to_have_value(room)

    visitor.get_by_label("Invite code").fill(invite_link(owner))
    visitor.get_by_role("button", name="Join", exact=True).click()
    in_room(visitor, server, room)


def test_a_private_address_asks_for_the_code_and_a_known_user_needs_only_the_link(
    owner: Page, make_page: MakePage, server: ServerProcess, room: str
) -> None:
    link = invite_link(owner)
    mia, nora = make_page(), make_page()
    come_in(mia, server.url, "mia")
    come_in(nora, server.url, "nora")

    mia.goto(f"{server.url}/rooms/{room}/history")
    mia.get_by_label("Invite code").fill("AAAA-BBBB-CCCC")
    mia.get_by_role("button", name="Join", exact=True).click()
    expect(mia.get_by_role("alert")).to_have_text("this invite is not valid, was used up or has expired")
    mia.get_by_label("Invite code").fill(link.rpartition("/")[2])
    mia.get_by_role("button", name="Join", exact=True).click()
    expect(mia.get_by_role("heading", name="History", level=1)).to_be_visible()

    nora.goto(link)
    in_room(nora, server, room)
    nora.goto(link)  # she is in the room already
    in_room(nora, server, room)


def test_a_link_that_is_pasted_in_the_wrong_place_leads_to_its_own_room(
    owner: Page, make_page: MakePage, server: ServerProcess, room: str
) -> None:
    link = invite_link(owner)
    mia = make_page()
    come_in(mia, server.url, "mia")

    mia.goto(f"{server.url}/rooms/{room}-mistyped")
    mia.get_by_label("Invite code").fill(link)
    expect(mia.get_by_text(f"A link to the room '{room}'")).to_be_visible()
    mia.get_by_role("button", name="Join", exact=True).click()

    in_room(mia, server, room)


def test_an_address_without_an_invite_asks_for_the_room_and_the_code(
    page: Page, server: ServerProcess
) -> None:
    come_in(page, server.url, "mia")
    page.goto(f"{server.url}/join")

    expect(page.get_by_role("heading", name="Join a room")).to_be_visible()
    expect(page.get_by_label("Name of the room")).to_have_value("")
    expect(page.get_by_label("Invite code")).to_have_value("")
