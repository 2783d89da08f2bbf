"""People see who else is in a room."""

from __future__ import annotations

from playwright.sync_api import expect

from support.browser import MakePage, come_in
from workroom.testing.processes import ServerProcess


def test_people_see_each_other_come_and_go(make_page: MakePage, server: ServerProcess, room: str) -> None:
    ada, bob = make_page(), make_page()
    come_in(ada, server.url, "ada", room)
    expect(ada.get_by_role("button", name="1 person is here")).to_be_visible()

    come_in(bob, server.url, "bob", room)
    ada.get_by_role("button", name="2 people are here").click()
    expect(ada.get_by_role("dialog").get_by_text("bob")).to_be_visible()

    bob.close()
    expect(ada.get_by_role("button", name="1 person is here")).to_be_visible()
