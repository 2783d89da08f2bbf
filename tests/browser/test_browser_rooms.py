"""A room is its owner's: its title, its door, its members and its end."""

from __future__ import annotations

import pytest
from playwright.sync_api import Locator, Page, expect

from support.browser import MakePage, come_in
from workroom.testing.processes import ServerProcess


@pytest.fixture(scope="module")
def workers() -> int:
    return 0


@pytest.fixture
def owner(page: Page, server: ServerProcess, room: str) -> Page:
    """Who comes first into a room owns it."""
    come_in(page, server.url, "olga", room)
    return page


@pytest.fixture
def visitor(make_page: MakePage, server: ServerProcess) -> Page:
    page = make_page()
    come_in(page, server.url, "victor")
    return page


def settings(page: Page) -> Locator:
    page.get_by_role("button", name="Room settings").click()
    dialog = page.get_by_role("dialog", name="Room settings")
    dialog.get_by_role("region", name="Members").wait_for()
    return dialog


def make_private(page: Page) -> Locator:
    dialog = settings(page)
    dialog.get_by_label("Private").click()
    expect(dialog.get_by_text("Only members can enter.")).to_be_visible()
    expect(dialog.get_by_label("Private")).to_be_checked()
    return dialog


def name_of(page: Page) -> str:
    """A guest's name has a number when others had it first."""
    return page.get_by_role("button", name="You are").get_by_text("You are").inner_text().split()[-1]


def test_a_room_gets_a_title_and_keeps_its_address(
    owner: Page, visitor: Page, server: ServerProcess, room: str
) -> None:
    dialog = settings(owner)
    expect(dialog.get_by_role("button", name="Rename")).to_be_disabled()
    dialog.get_by_label("Title").fill("The quiet lab")
    dialog.get_by_role("button", name="Rename").click()

    expect(owner.get_by_role("banner").get_by_role("link", name="The quiet lab")).to_be_visible()
    expect(owner).to_have_title("The quiet lab · Workroom")
    visitor.reload()
    expect(visitor.get_by_role("link", name="The quiet lab")).to_have_attribute("href", f"/rooms/{room}")


def test_who_does_not_own_a_room_has_no_settings_for_it(
    owner: Page, visitor: Page, server: ServerProcess, room: str
) -> None:
    visitor.goto(f"{server.url}/rooms/{room}")

    expect(visitor.get_by_role("heading", name="Tools")).to_be_visible()
    expect(owner.get_by_role("button", name="Room settings")).to_be_visible()
    expect(visitor.get_by_role("button", name="Room settings")).to_have_count(0)


def test_a_private_room_is_closed_to_all_but_its_members(
    owner: Page, visitor: Page, server: ServerProcess, room: str
) -> None:
    dialog = make_private(owner)
    visitor.goto(f"{server.url}/rooms/{room}")
    expect(visitor.get_by_role("heading", name="There is no room")).to_be_visible()
    expect(visitor.get_by_label("Invite code")).to_be_visible()
    expect(visitor.get_by_role("heading", name="Tools")).to_have_count(0)

    member = name_of(visitor)
    members = dialog.get_by_role("region", name="Members")
    members.get_by_label("Name of a new member").fill(member)
    members.get_by_role("button", name="Add").click()
    expect(members.get_by_role("listitem")).to_have_count(2)
    visitor.reload()
    expect(visitor.get_by_role("heading", name="Tools")).to_be_visible()

    members.get_by_role("button", name=f"Remove {member}").click()
    expect(members.get_by_role("listitem")).to_have_count(1)
    visitor.reload()
    expect(visitor.get_by_role("heading", name="There is no room")).to_be_visible()


def test_a_room_is_deleted_only_by_who_types_its_name(owner: Page, server: ServerProcess, room: str) -> None:
    settings(owner).get_by_role("button", name="Delete this room").click()
    dialog = owner.get_by_role("dialog", name=f"Delete {room}")
    expect(dialog.get_by_role("button", name="Delete the room")).to_be_disabled()

    dialog.get_by_label("to confirm").fill(room)
    dialog.get_by_role("button", name="Delete the room").click()

    expect(owner).to_have_url(f"{server.url}/")
    expect(owner.get_by_role("heading", name="Rooms")).to_be_visible()
    expect(owner.get_by_role("link", name=room, exact=True)).to_have_count(0)
    owner.goto(f"{server.url}/rooms/{room}")
    expect(owner.get_by_role("heading", name="There is no room")).to_be_visible()


def test_the_address_of_a_missing_room_offers_to_create_it(
    page: Page, server: ServerProcess, room: str
) -> None:
    come_in(page, server.url, "nora")
    page.goto(f"{server.url}/rooms/{room}")
    expect(page.get_by_role("heading", name=f"There is no room '{room}'. Create it?")).to_be_visible()
    page.get_by_role("button", name="Create room").click()

    expect(page.get_by_role("heading", name="Tools")).to_be_visible()
    expect(page.get_by_role("button", name="Room settings")).to_be_visible()


def test_at_the_address_of_a_hidden_room_one_learns_that_the_name_is_taken(
    owner: Page, visitor: Page, server: ServerProcess, room: str
) -> None:
    make_private(owner)
    visitor.goto(f"{server.url}/rooms/{room}")
    visitor.get_by_role("button", name="Create room").click()

    expect(visitor.get_by_role("alert")).to_have_text(
        f"there is a room '{room}' already: choose another name"
    )
