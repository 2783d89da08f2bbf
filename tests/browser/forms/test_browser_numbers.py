# ruff: noqa: RUF001 - look-alike digits and signs are what is tested
"""Numbers are text until they are valid: what is sent is what was meant, or nothing is."""

from __future__ import annotations

import pytest
from playwright.sync_api import expect

from browser.forms.conftest import Sheet

UNDERSTOOD: dict[str, dict[str, float]] = {
    "Number": {
        "1e-8": 1e-8,
        "2.5e3": 2.5e3,
        "-10": -10.0,
        ".5": 0.5,
        "5.": 5.0,
        "+7": 7.0,
        "1_000": 1000.0,
        "1_000.000_1": 1000.0001,
        "6.02214076E23": 6.02214076e23,
        "6.022×10²³": 6.022e23,
        "1.5x10^-3": 1.5e-3,
        "−273.15": -273.15,
        "  42  ": 42.0,
        "1e308": 1e308,
        "5e-324": 5e-324,
        "0.1234567890123456789": 0.1234567890123456789,
        "-0.0": 0.0,
        "007": 7.0,
    },
    "Whole": {
        "12": 12,
        "-3": -3,
        "1e3": 1000,
        "2.5e3": 2500,
        "1.0": 1,
        "1_000_000": 1_000_000,
        "9007199254740991": 9007199254740991,
    },
}
REFUSED = {
    "Number": {
        "1e": "is not a number",
        "1e-": "is not a number",
        "1.2.3": "is not a number",
        "--5": "is not a number",
        "0x1F": "is not a number",
        "1/3": "is not a number",
        "10%": "is not a number",
        "5 Å": "is not a number",
        "abc": "is not a number",
        "１２": "is not a number",
        "1__0": "is not a number",
        "1e400": "is too large",
        "1e-400": "is too close to zero",
        "NaN": "must be a finite number",
        "-inf": "must be a finite number",
        "1,5": "has a comma",
        "1, 5, 2, 8": "has a comma",
        "1 5 2 8": "has several numbers",
        "": "is required",
    },
    "Whole": {
        "1.5": "must be a whole number",
        "1e-2": "must be a whole number",
        "1.00000000000000000001": "must be a whole number",
        "9007199254740993": "is too large to be sent exactly",
        "12345678901234567890": "is too large to be sent exactly",
    },
    "AtMostFive": {"99": "must be 5 or less", "6": "must be 5 or less"},
    "Slider": {"1.0001": "must be 1 or less", "-1e-9": "must be 0 or more"},
    "Steps": {"7": "must be a multiple of 5"},
}


@pytest.mark.parametrize("name", UNDERSTOOD)
def test_a_number_is_sent_as_it_was_meant(sheet: Sheet, name: str) -> None:
    sheet.open(name)
    for text, meant in UNDERSTOOD[name].items():
        sheet.page.locator("#field_value").fill(text)

        assert sheet.run() == repr(meant), text
        expect(sheet.page.locator("#field_value")).to_have_value(text)


@pytest.mark.parametrize("name", REFUSED)
def test_a_number_that_is_not_understood_is_refused_beside_its_field(sheet: Sheet, name: str) -> None:
    sheet.open(name)
    for text, reason in REFUSED[name].items():
        sheet.page.locator("#field_value").fill(text)

        sheet.is_refused(reason)
        expect(sheet.page.locator("#field_value")).to_have_value(text)


def test_what_is_typed_key_by_key_is_kept(sheet: Sheet) -> None:
    sheet.open("Number")
    field = sheet.page.locator("#field_value")
    field.fill("")
    field.press_sequentially("2.50e-3")

    expect(field).to_have_value("2.50e-3")
    assert sheet.run() == "0.0025"


def test_arrow_keys_step_and_the_wheel_does_not(sheet: Sheet) -> None:
    sheet.open("AtMostFive")
    field = sheet.page.locator("#field_value")
    field.focus()

    sheet.page.keyboard.press("ArrowUp")
    expect(field).to_have_value("4")
    field.hover()
    sheet.page.mouse.wheel(0, 300)
    sheet.page.keyboard.press("ArrowUp")
    sheet.page.keyboard.press("ArrowUp")
    expect(field).to_have_value("5")
    sheet.page.keyboard.press("ArrowDown")

    assert sheet.run() == "4"


def test_a_refused_number_outlives_a_refresh_as_it_was_typed(sheet: Sheet) -> None:
    sheet.open("Number")
    sheet.page.locator("#field_value").fill("1e-")
    sheet.page.wait_for_function("JSON.stringify({...sessionStorage}).includes('1e-')")

    sheet.page.reload()

    expect(sheet.page.locator("#field_value")).to_have_value("1e-")
    sheet.is_refused("is not a number")
