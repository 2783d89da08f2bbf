"""Presets of a form: saved under a name, seen by those who may, loaded with a click."""

from __future__ import annotations

from collections.abc import Iterator
from urllib.parse import quote

import httpx
import pytest
from playwright.sync_api import Browser, Locator, Page, expect

from support.browser import MakePage, come_in, open_tool
from workroom.testing.guests import guest_token
from workroom.testing.processes import ServerProcess


@pytest.fixture(scope="module")
def workers() -> int:
    return 0


@pytest.fixture(scope="module")
def known(browser: Browser, server: ServerProcess) -> Iterator[Page]:
    """Ada's page, which all tests use: she logs in once."""
    with browser.new_context(reduced_motion="reduce") as context:
        page = context.new_page()
        come_in(page, server.url, "ada")
        yield page


@pytest.fixture
def ada(known: Page, server: ServerProcess, room: str) -> Page:
    """Ada in a room of her own, at a tool."""
    made = known.request.post(f"{server.url}/api/rooms", data={"name": room}, headers={"Origin": server.url})
    assert made.ok, made.text()
    known.goto(f"{server.url}/rooms/{room}/run/analysis/Echo")
    known.locator("form").wait_for()
    return known


def presets(page: Page) -> Locator:
    """The open list of presets."""
    dialog = page.get_by_role("dialog", name="Presets")
    button = page.get_by_role("button", name="Presets", exact=True)
    if button.get_attribute("aria-expanded") != "true":  # it is still visible while it closes
        button.click()
    dialog.wait_for()
    return dialog


def save(page: Page, name: str, *, shared: bool = False, answer: str = "Save") -> None:
    presets(page).get_by_role("button", name="Save as preset").click()
    dialog = page.get_by_role("dialog", name="Save as preset")
    dialog.get_by_label("Name").fill(name)
    dialog.get_by_label("Everybody in this room may load it").set_checked(shared)
    dialog.get_by_role("button", name=answer, exact=True).click()
    expect(dialog).to_be_hidden()


def text(page: Page) -> Locator:
    return page.get_by_label("Text", exact=False).first


def test_a_preset_is_saved_loaded_replaced_after_a_question_and_deleted(ada: Page) -> None:
    expect(presets(ada)).to_contain_text("Keep the values of this form under a name")
    text(ada).fill("quiet, please")
    save(ada, "50 % wide?")
    text(ada).fill("something else")

    presets(ada).get_by_role("region", name="Mine").get_by_role(
        "button", name="50 % wide?", exact=True
    ).click()
    expect(text(ada)).to_have_value("quiet, please")
    expect(ada.get_by_role("button", name="Presets", exact=True)).to_be_focused()

    text(ada).fill("louder")
    presets(ada).get_by_role("button", name="Save as preset").click()
    dialog = ada.get_by_role("dialog", name="Save as preset")
    dialog.get_by_label("Name").fill("50 % wide?")
    expect(dialog.get_by_role("status")).to_have_text("There is a preset '50 % wide?' already. Replace it?")
    dialog.get_by_role("button", name="Replace").click()
    expect(dialog).to_be_hidden()
    ada.get_by_role("button", name="Reset", exact=True).click()
    expect(text(ada)).to_have_value("hello")
    presets(ada).get_by_role("button", name="50 % wide?", exact=True).click()
    expect(text(ada)).to_have_value("louder")

    presets(ada).get_by_role("button", name="Delete the preset 50 % wide?").click()
    ada.get_by_role("dialog", name="Delete").get_by_role("button", name="Delete", exact=True).click()
    expect(ada.get_by_role("dialog", name="Delete")).to_be_hidden()
    expect(presets(ada)).to_contain_text("Keep the values of this form under a name")


def test_a_preset_of_the_room_appears_to_others_who_may_load_but_not_delete_it(
    ada: Page, make_page: MakePage, server: ServerProcess, room: str
) -> None:
    bob = make_page()
    come_in(bob, server.url, "bob", room)
    open_tool(bob, "Echo")
    expect(presets(bob)).to_contain_text("Keep the values")

    text(ada).fill("for all")
    save(ada, "ours", shared=True)
    text(ada).fill("for me")
    save(ada, "mine")

    shared = presets(bob).get_by_role("region", name="In this room")
    expect(shared.get_by_role("listitem")).to_have_count(1)
    expect(presets(bob).get_by_role("button", name="Delete")).to_have_count(0)
    shared.get_by_text("ours", exact=True).click()
    expect(text(bob)).to_have_value("for all")
    presets(bob).get_by_role("button", name="Save as preset").click()
    dialog = bob.get_by_role("dialog", name="Save as preset")
    dialog.get_by_label("Name").fill("ours")
    dialog.get_by_label("Everybody in this room may load it").check()
    expect(dialog.get_by_role("status")).to_contain_text("of somebody else: choose another name")
    expect(dialog.get_by_role("button", name="Replace")).to_be_disabled()
    expect(presets(ada).get_by_role("listitem")).to_have_count(2)


def test_what_no_longer_fits_the_form_is_named_and_what_is_invalid_is_marked(
    ada: Page, server: ServerProcess, room: str
) -> None:
    token = guest_token(server.url, "grace")
    saved = httpx.put(
        f"{server.url}/api/rooms/{room}/presets/analysis/Echo/room/{quote('old one')}",
        json={"data": {"text": "from then", "loudness": 99, "colour": "red", "size": 2}},
        headers={"Authorization": f"Bearer {token}"},
    )
    assert saved.status_code == 200, saved.text

    presets(ada).get_by_text("old one", exact=True).click()

    expect(text(ada)).to_have_value("from then")
    expect(
        ada.get_by_text("'colour' and 'size' are no longer fields of this tool and were left out.")
    ).to_be_visible()
    expect(ada.get_by_text("must be 11 or less")).to_be_visible()
    expect(ada.get_by_text("Please correct the values above.")).to_be_visible()


def test_a_secret_is_not_kept(ada: Page, server: ServerProcess, room: str) -> None:
    open_tool(ada, "Unlock")
    ada.get_by_role("textbox", name="Door").fill("back")
    ada.locator("input[type=password]").fill("hunter2")
    sent: list[str] = []
    ada.on("request", lambda request: sent.append(request.post_data or ""))

    save(ada, "back door")
    ada.reload()
    presets(ada).get_by_role("button", name="back door", exact=True).click()

    expect(ada.get_by_role("textbox", name="Door")).to_have_value("back")
    expect(ada.locator("input[type=password]")).to_have_value("")
    assert not [each for each in sent if "hunter2" in each]


def test_what_is_typed_halfway_is_not_kept_but_named(ada: Page) -> None:
    ada.locator("#field_loudness").fill("1e-")

    presets(ada).get_by_role("button", name="Save as preset").click()

    dialog = ada.get_by_role("dialog", name="Save as preset")
    dialog.get_by_label("Name").fill("halfway")
    expect(dialog.get_by_role("alert")).to_have_text(
        "'Loudness' has no valid value. Correct it before you save."
    )
    expect(dialog.get_by_role("button", name="Save", exact=True)).to_be_disabled()
    dialog.get_by_role("button", name="Go back").click()
    ada.locator("#field_loudness").fill("1e0")
    save(ada, "whole")
