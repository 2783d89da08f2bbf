"""People in a room talk, and the room tells of what failed."""

from __future__ import annotations

from collections.abc import Callable

from playwright.sync_api import APIResponse, Locator, Page, Route, expect

from support.browser import MakePage, come_in
from support.extensions.page import Stumble
from workroom.testing.fixtures import OpenRoom
from workroom.testing.processes import ServerProcess

PAGE = 50


def open_chat(page: Page) -> Locator:
    page.get_by_role("button", name="Chat").click()
    return page.get_by_role("log", name="Messages")


def say(page: Page, text: str) -> None:
    page.get_by_label("Message", exact=True).fill(text)
    page.keyboard.press("Enter")


def waits_until(page: Page, check: Callable[[], bool]) -> None:
    """The page goes on meanwhile."""
    for _ in range(1000):
        if check():
            return
        page.wait_for_timeout(20)
    raise AssertionError("it did not come true")


def test_two_browsers_talk(make_page: MakePage, server: ServerProcess, room: str) -> None:
    ada, bob = make_page(), make_page()
    come_in(ada, server.url, "ada", room)
    come_in(bob, server.url, "bob", room)
    hers, his = open_chat(ada), open_chat(bob)
    expect(hers).to_contain_text("No messages yet")

    say(ada, "is anybody here?")
    expect(his).to_contain_text("is anybody here?")
    say(bob, "I am")

    expect(hers).to_contain_text("I am")
    expect(hers.get_by_role("article")).to_have_count(2)
    expect(ada.get_by_label("Message", exact=True)).to_have_value("")
    ada.reload()
    expect(open_chat(ada).get_by_role("article")).to_have_count(2)


def test_shift_enter_begins_a_line_and_sends_nothing(page: Page, server: ServerProcess, room: str) -> None:
    come_in(page, server.url, room=room)
    said = open_chat(page)
    page.get_by_label("Message", exact=True).fill("one")
    page.keyboard.press("Shift+Enter")
    page.keyboard.type("two")
    expect(said.get_by_role("article")).to_have_count(0)

    page.get_by_role("button", name="Send").click()

    expect(said.get_by_role("article")).to_contain_text("one\ntwo", use_inner_text=True)


def test_messages_in_a_closed_chat_are_counted_until_they_are_read(
    page: Page, server: ServerProcess, room: str, open_room: OpenRoom
) -> None:
    come_in(page, server.url, "eve", room)
    ada = open_room(server, room)
    expect(page.get_by_role("button", name="Chat", exact=True)).to_be_visible()

    ada.post("first")
    ada.post("second")

    expect(page.get_by_role("button", name="Chat, 2 unread")).to_be_visible()
    page.reload()
    expect(page.get_by_role("button", name="Chat, 2 unread")).to_be_visible()
    expect(open_chat(page)).to_contain_text("second")
    page.get_by_role("dialog").get_by_role("button", name="Close").click()
    expect(page.get_by_role("button", name="Chat", exact=True)).to_be_visible()


def test_the_chat_reports_and_links_a_failed_job(
    page: Page, server: ServerProcess, room: str, open_room: OpenRoom
) -> None:
    come_in(page, server.url, "eve", room)
    said = open_chat(page)

    job = open_room(server, room).submit(Stumble(why="an orange"))

    expect(said).to_contain_text("slipped on an orange")
    said.get_by_role("link", name="A job failed").click()
    expect(page).to_have_url(f"{server.url}/rooms/{room}/jobs/{job.id}")
    expect(page.get_by_role("dialog")).to_have_count(0)
    expect(page.get_by_role("region", name="Job")).to_contain_text("slipped on an orange")


def test_messages_posted_while_the_page_loads_the_chat_are_shown(
    page: Page, server: ServerProcess, room: str, open_room: OpenRoom
) -> None:
    ada = open_room(server, room)
    come_in(page, server.url, "eve", room)
    held: list[tuple[Route, APIResponse]] = []
    heard: list[str] = []
    page.route("**/chat*", lambda route: held.append((route, route.fetch())))
    page.on("websocket", lambda socket: socket.on("framereceived", lambda frame: heard.append(str(frame))))
    page.reload()
    waits_until(page, lambda: bool(held) and any(f'[{{"room":"{room}"}}]' in frame for frame in heard))

    ada.post("did you hear me?")
    waits_until(page, lambda: any("chat:message" in frame for frame in heard))
    for route, answer in held:
        route.fulfill(response=answer)
    page.unroute("**/chat*")

    expect(open_chat(page)).to_contain_text("did you hear me?")


def test_older_messages_are_loaded_on_request(
    page: Page, server: ServerProcess, room: str, open_room: OpenRoom
) -> None:
    ada = open_room(server, room)
    for number in range(PAGE + 5):
        ada.post(f"message {number}.")
    come_in(page, server.url, "eve", room)

    said = open_chat(page)
    expect(said.get_by_role("article")).to_have_count(PAGE)
    expect(said).not_to_contain_text("message 4.")
    said.get_by_role("button", name="Earlier messages").click()

    expect(said.get_by_role("article")).to_have_count(PAGE + 5)
    expect(said.get_by_role("article").first).to_contain_text("message 0.")
    expect(said.get_by_role("button", name="Earlier messages")).to_have_count(0)
