"""In through the front door, and around the rooms."""

from __future__ import annotations

from playwright.sync_api import APIResponse, Page, Route, expect

from browsing import MakePage, come_in
from workroom.testing.fixtures import StartServer
from workroom.testing.processes import ServerProcess, eventually


def test_a_guest_says_a_name_and_sees_the_rooms(page: Page, server: ServerProcess) -> None:
    come_in(page, server.url, "grace")

    expect(page.get_by_role("button", name="You are grace")).to_be_visible()


def test_who_is_known_is_not_asked_again(page: Page, server: ServerProcess) -> None:
    come_in(page, server.url)

    page.reload()

    expect(page.get_by_role("heading", name="Rooms")).to_be_visible()


def test_a_room_is_created_and_entered(page: Page, server: ServerProcess, room: str) -> None:
    come_in(page, server.url)

    page.get_by_role("button", name="New room").click()
    page.get_by_label("Name", exact=False).first.fill(room)
    page.get_by_label("Title").fill("The lab")
    page.get_by_role("button", name="Create room").click()

    expect(page).to_have_url(f"{server.url}/rooms/{room}")
    expect(page.get_by_role("banner").get_by_role("link", name="The lab")).to_be_visible()


def test_a_room_that_is_made_while_it_is_asked_for_is_entered(
    page: Page, server: ServerProcess, room: str
) -> None:
    come_in(page, server.url)
    held: list[tuple[Route, APIResponse]] = []
    heard: list[str] = []

    def hold_the_first(route: Route) -> None:
        if held:
            route.continue_()
        else:
            held.append((route, route.fetch(url=f"{server.url}/api/rooms/{room}-not-yet")))

    page.route(f"**/api/rooms/{room}", hold_the_first)
    page.on("websocket", lambda socket: socket.on("framereceived", lambda frame: heard.append(str(frame))))
    page.goto(f"{server.url}/rooms/{room}")
    eventually(lambda: page.evaluate("true") and any(f'{{"room":"{room}"}}' in each for each in heard))
    route, answer = held[0]
    assert answer.status == 404
    route.fulfill(response=answer)

    expect(page.get_by_role("heading", name="Tools")).to_be_visible()


def test_a_name_that_cannot_be_is_refused_in_words(page: Page, server: ServerProcess) -> None:
    come_in(page, server.url)

    page.get_by_role("button", name="New room").click()
    page.get_by_label("Name", exact=False).first.fill("public")
    page.get_by_role("button", name="Create room").click()

    expect(page.get_by_role("alert")).to_contain_text("public")


def test_the_admin_s_link_leads_in_once_and_leaves_the_address(
    make_page: MakePage, start_server: StartServer
) -> None:
    server = start_server()
    page, other = make_page(), make_page()
    link = f"{server.url}/#login={server.admin_code}"

    page.goto(link)
    expect(page.get_by_role("heading", name="Rooms")).to_be_visible()
    expect(page).to_have_url(f"{server.url}/")
    page.get_by_role("button", name="You are admin").click()
    expect(page.get_by_role("menuitem", name="All workers")).to_be_visible()

    other.goto(link)
    expect(other.get_by_role("alert")).to_be_visible()
    expect(other.get_by_label("Your name")).to_be_visible()


def test_logging_out_closes_the_door(page: Page, server: ServerProcess) -> None:
    come_in(page, server.url)

    page.get_by_role("button", name="You are").click()
    page.get_by_role("menuitem", name="Log out").click()

    expect(page.get_by_label("Your name")).to_be_visible()


def test_a_password_that_is_wrong_is_refused(page: Page, server: ServerProcess) -> None:
    page.goto(server.url)
    page.get_by_role("button", name="I have a password").click()
    page.get_by_label("Your name").fill("admin")
    page.locator("input[type=password]").fill("wrong")
    page.get_by_role("button", name="Come in").click()

    expect(page.get_by_role("alert")).to_be_visible()


def test_an_address_that_leads_nowhere_says_so(page: Page, server: ServerProcess) -> None:
    come_in(page, server.url)

    page.goto(f"{server.url}/rooms/demo/nowhere")

    expect(page.get_by_role("heading", name="There is nothing here")).to_be_visible()
