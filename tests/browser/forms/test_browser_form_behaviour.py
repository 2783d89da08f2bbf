"""What a form shows beside its fields, and what hostile schemas cannot do to it."""

from __future__ import annotations

from collections.abc import Callable
from typing import Any

import httpx
import pytest
from playwright.sync_api import Page, expect

from browser.forms.conftest import ROOM, Sheet
from support.browser import come_in
from workroom.testing.guests import guest_token
from workroom.testing.processes import ServerProcess


def test_a_docstring_is_shown_as_markdown(sheet: Sheet) -> None:
    sheet.open("Hints")

    main = sheet.page.get_by_role("main")
    expect(main.locator("strong", has_text="bold")).to_be_visible()
    expect(main.get_by_role("link", name="a link")).to_have_attribute("href", "https://example.org")


def test_units_groups_examples_and_advanced_fields_are_where_they_belong(sheet: Sheet) -> None:
    sheet.open("Hints")
    form = sheet.page.locator("form")

    expect(form.get_by_text("High (K)")).to_be_visible()
    expect(form.get_by_role("group", name="Picture").get_by_label("Width")).to_have_value("640")
    expect(form.get_by_label("Tolerance")).to_have_count(0)
    form.get_by_role("button", name="Advanced").click()
    expect(form.get_by_label("Tolerance")).to_have_value("1e-6")
    form.get_by_role("button", name="1e-8", exact=True).click()

    expect(form.get_by_label("Low")).to_have_value("1e-8")
    assert sheet.run() == repr((1e-8, 2.0, 640, 480, 1e-6))


def test_an_error_in_a_folded_group_opens_it(sheet: Sheet) -> None:
    sheet.open("Hints")
    advanced = sheet.page.get_by_role("button", name="Advanced")
    advanced.click()
    sheet.page.get_by_label("Tolerance").fill("tiny")
    advanced.click()
    sheet.page.reload()

    sheet.is_refused("is not a number", "field_tolerance")
    expect(sheet.page.locator("#field_tolerance")).to_be_focused()


def test_what_a_model_validator_refuses_stands_beside_the_fields_that_it_names(sheet: Sheet) -> None:
    sheet.open("Hints")
    sheet.page.get_by_label("Low").fill("9")
    sheet.page.get_by_role("button", name="Run", exact=True).click()

    for field in ("low", "high"):
        expect(sheet.page.locator(f"#field_{field}-error")).to_have_text("low must be below high")
    sheet.page.get_by_label("Low").fill("1")
    expect(sheet.page.locator("#field_low-error")).to_have_count(0)
    assert sheet.run().startswith("(1.0, 2.0")


def test_reset_brings_the_defaults_back(sheet: Sheet) -> None:
    sheet.open("Nested")
    sheet.page.locator("#field_value_title").fill("salt")

    sheet.page.get_by_role("button", name="Reset", exact=True).click()

    expect(sheet.page.locator("#field_value_title")).to_have_value("unnamed")
    expect(sheet.page.get_by_role("button", name="Reset", exact=True)).to_have_count(0)


def test_run_stays_in_view_below_a_long_form(sheet: Sheet) -> None:
    sheet.page.set_viewport_size({"width": 1280, "height": 420})
    sheet.open("Hints")

    expect(sheet.page.get_by_role("button", name="Run", exact=True)).to_be_in_viewport(ratio=1)

    sheet.page.set_viewport_size({"width": 1280, "height": 900})


def _doubled(levels: int) -> dict[str, Any]:
    defs: dict[str, Any] = {f"L{levels}": {"type": "object", "properties": {"x": {"type": "number"}}}}
    for level in range(levels):
        half = {"$ref": f"#/$defs/L{level + 1}"}
        properties = {"a": half, "b": half}
        defs[f"L{level}"] = {"type": "object", "properties": properties, "required": ["a", "b"]}
    return {"type": "object", "$defs": defs, "properties": {"root": {"$ref": "#/$defs/L0"}}}


HOSTILE = {
    "Pattern": {
        "type": "object",
        "properties": {"text": {"type": "string", "pattern": "^(a+)+$", "default": "a" * 40 + "!"}},
    },
    "Doubled": _doubled(26),
    "Endless": {
        "type": "object",
        "properties": {
            "many": {"type": "array", "items": {"type": "string"}, "minItems": 3_000_000},
            "wide": {"type": "object", "properties": {f"p{n}": {"type": "string"} for n in range(1500)}},
        },
    },
}


@pytest.fixture(scope="module")
def hostile(server: ServerProcess) -> None:
    """A worker that never connects offers extensions with hostile schemas."""
    token = guest_token(server.url, "mallory")
    body = {
        "worker_id": "00000000-0000-4000-8000-000000000018",
        "name": "mallory-1",
        "slots": 1,
        "machine": {},
        "extensions": [
            {
                "category": "hostile",
                "name": name,
                "schema": schema,
                "room": "pit",
                "public": False,
                "policy": {},
            }
            for name, schema in HOSTILE.items()
        ],
    }
    headers = {"Authorization": f"Bearer {token}"}
    httpx.post(f"{server.url}/api/rooms", json={"name": "pit"}, headers=headers)
    httpx.post(f"{server.url}/api/workers/register", json=body, headers=headers).raise_for_status()


@pytest.fixture
def visit(page: Page, server: ServerProcess, hostile: None) -> Callable[[str], None]:
    come_in(page, server.url, "mallory", "pit")

    def go(name: str) -> None:
        page.goto(f"{server.url}/rooms/pit/run/hostile/{name}")
        page.locator("form").wait_for()

    return go


@pytest.mark.parametrize("name", HOSTILE)
def test_a_hostile_schema_does_not_freeze_the_page(
    page: Page, visit: Callable[[str], None], name: str
) -> None:
    visit(name)
    page.get_by_role("button", name="Run", exact=True).click()

    # The theme is switched at once: nothing keeps the page from drawing.
    page.get_by_role("button", name="Dark").or_(page.get_by_role("button", name="dark")).first.click()
    page.locator("html[data-mantine-color-scheme=dark]").wait_for()
    assert page.locator("form input, form textarea").count() <= 450


def test_nothing_is_lost_between_the_forms_of_two_tools(sheet: Sheet) -> None:
    sheet.open("Text")
    sheet.page.locator("#field_value").fill("half a senten")
    sheet.page.evaluate("path => history.pushState(null, '', path)", f"/rooms/{ROOM}/run/fields/Number")
    expect(sheet.page.locator("#field_value")).to_have_value("1.5")

    sheet.page.evaluate("path => history.pushState(null, '', path)", f"/rooms/{ROOM}/run/fields/Text")

    expect(sheet.page.locator("#field_value")).to_have_value("half a senten")
