"""In through the front door, and around the rooms."""

from __future__ import annotations

import pytest
from playwright.sync_api import APIResponse, Page, Route, expect

from support.browser import MakePage, come_in
from workroom.testing.fixtures import StartServer
from workroom.testing.processes import ADMIN_PASSWORD, ServerProcess, eventually


@pytest.fixture(scope="module")
def workers() -> int:
    return 0


def test_a_guest_enters_a_name_and_sees_the_rooms(page: Page, server: ServerProcess) -> None:
    come_in(page, server.url, "grace")

    expect(page.get_by_role("button", name="You are grace")).to_be_visible()


def test_the_login_page_asks_for_nothing_that_is_refused(page: Page, server: ServerProcess) -> None:
    complaints: list[str] = []
    page.on("console", lambda message: complaints.append(f"{message.type}: {message.text}"))
    page.on("pageerror", lambda error: complaints.append(str(error)))
    page.on("response", lambda answer: complaints.append(answer.url) if answer.status >= 400 else None)

    for path in ("/", "/rooms/demo", "/rooms/demo/run/analysis/Echo", "/join#demo/AAAA-BBBB", "/fleet"):
        page.goto(f"{server.url}{path}")
        expect(page.get_by_role("heading", name="Log in")).to_be_visible()
    page.wait_for_load_state("networkidle")
    assert complaints == []

    come_in(page, server.url)
    page.get_by_role("button", name="You are").click()
    page.get_by_role("menuitem", name="Log out", exact=True).click()
    expect(page.get_by_role("heading", name="Log in")).to_be_visible()
    page.goto("about:blank")  # ends what is under way
    complaints.clear()
    page.goto(server.url)
    expect(page.get_by_role("heading", name="Log in")).to_be_visible()
    page.wait_for_load_state("networkidle")
    assert complaints == []


def test_a_known_user_does_not_log_in_again(page: Page, server: ServerProcess) -> None:
    come_in(page, server.url)

    page.reload()

    expect(page.get_by_role("heading", name="Rooms")).to_be_visible()


def test_a_guest_who_has_lost_the_cookie_is_the_same_guest_until_they_log_out(
    page: Page, server: ServerProcess
) -> None:
    come_in(page, server.url, "margaret")
    page.context.clear_cookies()

    come_in(page, server.url, "margaret")

    page.get_by_role("button", name="You are margaret", exact=True).click()
    page.get_by_role("menuitem", name="Log out", exact=True).click()
    expect(page.get_by_label("Your name")).to_be_visible()
    come_in(page, server.url, "margaret")
    expect(page.get_by_role("button", name="You are margaret-2")).to_be_visible()


def test_a_room_is_created_and_entered(page: Page, server: ServerProcess, room: str) -> None:
    come_in(page, server.url)

    page.get_by_role("button", name="New room").click()
    page.get_by_label("Name", exact=False).first.fill(room)
    page.get_by_label("Title").fill("The lab")
    page.get_by_role("button", name="Create room").click()

    expect(page).to_have_url(f"{server.url}/rooms/{room}")
    expect(page.get_by_role("banner").get_by_role("link", name="The lab")).to_be_visible()


def test_a_room_that_is_created_while_its_page_loads_is_entered(
    page: Page, server: ServerProcess, room: str
) -> None:
    come_in(page, server.url)
    page.request.post(f"{server.url}/api/rooms", data={"name": room}, headers={"Origin": server.url})
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
    joined = f'{{"room":"{room}"}}'
    eventually(lambda: page.evaluate("true") and held and any(joined in each for each in heard))
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
    page.get_by_role("menuitem", name="Log out", exact=True).click()

    expect(page.get_by_label("Your name")).to_be_visible()


def test_a_password_that_is_wrong_is_refused(page: Page, server: ServerProcess) -> None:
    page.goto(server.url)
    page.get_by_role("button", name="I have a password").click()
    page.get_by_label("Your name").fill("admin")
    page.locator("input[type=password]").fill("wrong")
    page.get_by_role("button", name="Log in").click()

    expect(page.get_by_role("alert")).to_be_visible()


def test_an_unknown_address_shows_that_there_is_nothing(page: Page, server: ServerProcess) -> None:
    come_in(page, server.url)

    page.goto(f"{server.url}/rooms/demo/nowhere")

    expect(page.get_by_role("heading", name="Page not found")).to_be_visible()


@pytest.mark.parametrize("name", ["Grace Hopper", "O'Neil", "李雷", "Zoë"])
def test_people_come_in_by_typing_their_names(page: Page, server: ServerProcess, name: str) -> None:
    come_in(page, server.url, name)

    expect(page.get_by_role("button", name=f"You are {name}")).to_be_visible()
    page.get_by_role("button", name=f"You are {name}").click()
    expect(page.get_by_role("menu")).to_contain_text("guest")


def test_a_look_alike_is_refused_at_the_door_in_words(page: Page, server: ServerProcess) -> None:
    page.goto(server.url)
    page.get_by_label("Your name").fill("\u0430dmin")  # a Cyrillic a
    page.get_by_role("button", name="Log in").click()

    expect(page.get_by_role("alert")).to_contain_text("write it in one script")


def test_others_see_the_name_as_it_was_typed_and_the_role(
    make_page: MakePage, server: ServerProcess, room: str
) -> None:
    writer, reader = make_page(), make_page()
    come_in(writer, server.url, "Administrator")
    writer.goto(f"{server.url}/rooms")
    writer.request.post(f"{server.url}/api/rooms", data={"name": room})
    writer.request.post(f"{server.url}/api/rooms/{room}/chat", data={"text": "hello"})
    come_in(reader, server.url, "Ada Lovelace", room)
    reader.get_by_role("button", name="Chat").click()

    message = reader.get_by_role("article").filter(has_text="hello")
    expect(message).to_contain_text("Administrator")
    expect(message).to_contain_text("guest")


def test_a_name_is_changed_in_the_menu(page: Page, server: ServerProcess) -> None:
    come_in(page, server.url, "Lord Byron")
    page.get_by_role("button", name="You are Lord Byron").click()
    page.get_by_role("menuitem", name="Change your name").click()
    page.get_by_role("textbox", name="Your name").fill("George Gordon")
    page.get_by_role("button", name="Save").click()

    expect(page.get_by_role("button", name="You are George Gordon")).to_be_visible()


def test_logging_out_everywhere_ends_the_other_browser_too(
    make_page: MakePage, start_server: StartServer
) -> None:
    server = start_server()
    here, there = make_page(), make_page()
    for page in (here, there):
        page.goto(server.url)
        page.get_by_role("button", name="I have a password").click()
        page.get_by_label("Your name").fill("admin")
        page.get_by_label("Password").first.fill(ADMIN_PASSWORD)
        page.get_by_role("button", name="Log in").click()
        page.get_by_role("heading", name="Rooms").wait_for()
    here.get_by_role("button", name="You are admin").click()
    here.get_by_role("menuitem", name="Log out everywhere").click()

    expect(here.get_by_role("heading", name="Log in")).to_be_visible()
    there.reload()
    expect(there.get_by_role("heading", name="Log in")).to_be_visible()
