"""Every kind of field, round-tripped: what `run()` receives is what was entered."""

from __future__ import annotations

from collections.abc import Callable
from datetime import UTC, date, datetime, time, timedelta
from decimal import Decimal
from pathlib import Path
from typing import Any, NamedTuple
from uuid import UUID

import pytest
from playwright.sync_api import Page, expect
from pydantic import SecretStr

from browser.forms.conftest import Sheet
from support.browser import choose
from support.extensions.fields import Atom, Box, Branch, Cell, Ink, Level, Pair, Phase, Point, Sphere, shown

UUID_TEXT = "3f2b8c1e-6f1d-4c7b-9a53-1f0e2d4c6b8a"


class Case(NamedTuple):
    name: str
    act: Callable[[Page], Any]
    meant: Any


def fill(text: str, field: str = "field_value") -> Callable[[Page], Any]:
    return lambda page: page.locator(f"[id='{field}']").fill(text)


def press(name: str) -> Callable[[Page], Any]:
    return lambda page: page.get_by_role("button", name=name, exact=True).click()


def check(label: str) -> Callable[[Page], Any]:
    return lambda page: page.get_by_role("checkbox", name=label).check()


def pick(option: str, label: str = "Value") -> Callable[[Page], Any]:
    return lambda page: choose(page, label, option)


def each(*acts: Callable[[Page], Any]) -> Callable[[Page], Any]:
    def act(page: Page) -> None:
        for one in acts:
            one(page)

    return act


def nothing(page: Page) -> None:
    """The default is what is meant."""


def label(text: str, value: str) -> Callable[[Page], Any]:
    return lambda page: page.get_by_label(text, exact=True).fill(value)


CASES = [
    Case("Text", fill("Ångström, “quotes” & <tags>"), "Ångström, “quotes” & <tags>"),
    Case("Text", press("second"), "second"),
    Case("LongText", fill("two\nlines"), "two\nlines"),
    Case("Number", fill("1e-8"), 1e-8),
    Case("Whole", fill("-3"), -3),
    Case(
        "Slider",
        each(lambda page: page.get_by_role("slider").focus(), lambda page: page.keyboard.press("ArrowRight")),
        0.51,
    ),
    Case("Steps", fill("35"), 35),
    Case("Exact", fill("0.1234567890123456789012345"), Decimal("0.1234567890123456789012345")),
    Case("Exact", fill("2.5"), Decimal("2.5")),
    Case("Flag", check("Value"), True),
    Case("MaybeFlag", pick("No"), False),
    Case("MaybeFlag", nothing, None),
    Case("MaybeNumber", fill("2"), 2.0),
    Case("MaybeNumber", nothing, None),
    Case("MaybeText", fill(""), None),
    Case("Words", pick("fast"), "fast"),
    Case("Mixed", pick("None"), None),
    Case("Mixed", pick("one"), "one"),
    Case("Levels", pick("high"), Level.high),
    Case("Inks", pick("BLUE (#00f)"), Ink.BLUE),
    Case("Phases", each(pick("solid"), lambda page: page.keyboard.press("Escape")), {Phase.SOLID}),
    Case("Day", fill("2026-2-28"), date(2026, 2, 28)),
    Case("Moment", fill("2026-11-18 06:30"), datetime(2026, 11, 18, 6, 30)),
    Case("Moment", fill("2026-11-18T06:30:05.5Z"), datetime(2026, 11, 18, 6, 30, 5, 500000, UTC)),
    Case("Moment", nothing, datetime(2027, 5, 31, 14, 30, tzinfo=UTC)),
    Case("Clock", fill("7:05"), time(7, 5)),
    Case("Span", fill("2h 30m"), timedelta(hours=2, minutes=30)),
    Case("Span", fill("1.5 days"), timedelta(days=1.5)),
    Case("Span", fill("-1:30:00.25"), -timedelta(hours=1, minutes=30, seconds=0.25)),
    Case("Secret", fill("hunter2 "), SecretStr("hunter2 ")),
    Case("Ident", fill(UUID_TEXT), UUID(UUID_TEXT)),
    Case("Folder", fill("runs/7"), Path("runs/7")),
    Case("Colour", fill("rebeccapurple"), "rebeccapurple"),
    Case("Colour", lambda page: page.locator("input[type=color]").fill("#00ff00"), "#00ff00"),
    Case("Floats", fill("1.5\n2e-3\n-7"), [1.5, 2e-3, -7.0]),
    Case("Floats", fill("1, 5, 2, 8"), [1.0, 5.0, 2.0, 8.0]),
    Case("Floats", fill("[1; 2; 3]"), [1.0, 2.0, 3.0]),
    Case("Floats", fill(""), []),
    Case("Wholes", fill("1\t2\t3"), [1, 2, 3]),
    Case("MaybeFloats", nothing, None),
    Case("MaybeFloats", fill("4 5"), [4.0, 5.0]),
    Case("Matrix", label("Value, row 1, column 2", "2.5e-1"), [[1.0, 0.25], [0.0, 1.0]]),
    Case(
        "Matrix",
        each(
            press("Edit as text"),
            lambda page: page.get_by_label("Value", exact=True).last.fill("1 2 3\n4 5 6"),
        ),
        [[1.0, 2.0, 3.0], [4.0, 5.0, 6.0]],
    ),
    Case("Matrix", press("Remove the last row"), [[1.0, 0.0]]),
    Case("Tags", each(press("Add"), fill("fresh", "field_value_1")), ["new", "fresh"]),
    Case(
        "Atoms",
        each(label("Charge, row 1", "1"), check("Fixed, row 2")),
        [Atom(charge=1), Atom(symbol="O", charge=-2, fixed=True)],
    ),
    Case(
        "Atoms",
        each(press("Add a row"), label("Symbol, row 3", "C")),
        [Atom(), Atom(symbol="O", charge=-2), Atom(symbol="C")],
    ),
    Case("Cells", fill("-1", "field_value_0_origin_x"), [Cell(origin=Point(x=-1))]),
    Case("Tuple", each(fill("7", "field_value_0"), fill("b", "field_value_1")), (7, "b", 0.5)),
    Case("Named", fill("z", "field_value_1"), Pair(1, "z")),
    Case(
        "Weights",
        each(press("Add"), label("Key 2 of Value", "b"), label("Value b", "2e3")),
        {"a": 1.0, "b": 2000.0},
    ),
    Case(
        "Places",
        each(press("Add"), label("Key 1 of Value", "home"), fill("3", "field_value_home_x")),
        {"home": Point(x=3)},
    ),
    Case("Anything", fill('{"deep": [1, null, "x"]}'), {"deep": [1, None, "x"]}),
    Case("Anything", nothing, None),
    Case("Free", fill('{"a": {"b": true}}'), {"a": {"b": True}}),
    Case("Raw", fill("[1, 2]"), [1, 2]),
    Case(
        "Nested",
        each(fill("salt", "field_value_title"), fill("5", "field_value_origin_y")),
        Cell(title="salt", origin=Point(y=5)),
    ),
    Case("MaybePoint", nothing, None),
    Case("MaybePoint", each(check("Value"), fill("2", "field_value_y")), Point(y=2)),
    Case("Figure", fill("2.5", "field_value_radius"), Sphere(radius=2.5)),
    Case("Figure", each(pick("Box"), fill("4", "field_value_width")), Box(width=4)),
    Case("Either", each(pick("Text"), label("Value, text", "3")), "3"),
    Case("Either", label("Value, whole number", "12"), 12),
    Case("Auto", nothing, "auto"),
    Case("Auto", each(pick("Number"), label("Value, number", "0.5")), 0.5),
    Case("Typed", fill("9", "field_value_height"), {"width": 1, "height": 9}),
    Case(
        "Tree",
        each(press("Add"), fill("leaf", "field_value_branches_0_name")),
        Branch(branches=[Branch(name="leaf")]),
    ),
]


@pytest.mark.parametrize("case", CASES, ids=[f"{case.name}-{number}" for number, case in enumerate(CASES)])
def test_run_receives_what_was_entered(sheet: Sheet, case: Case) -> None:
    sheet.open(case.name)
    case.act(sheet.page)

    assert sheet.run() == shown(case.meant)


def test_every_kind_of_field_has_a_case() -> None:
    assert len({case.name for case in CASES}) >= 40


@pytest.mark.parametrize(
    ("name", "text", "reason"),
    [
        ("Day", "2026-02-30", "is not a day of the calendar"),
        ("Moment", "2026-11-18", "needs a time"),
        ("Clock", "25:00", "is not a time of the day"),
        ("Span", "90", "needs a unit"),
        ("Span", "soon", "is not a duration"),
        ("Floats", "1, two, 3", "“two” (number 2) is not a number"),
        ("Floats", "1,000", "begins with a zero"),
        ("Wholes", "1 2.5", "must be a whole number"),
        ("Anything", "{'a': 1}", "is not valid JSON"),
        ("Anything", "12345678901234567890", "is too large to be sent exactly"),
        ("Ident", "not-a-uuid", "must be a uuid"),
        ("Secret", "", "is required"),
    ],
)
def test_what_is_not_understood_is_refused_beside_its_field(
    sheet: Sheet, name: str, text: str, reason: str
) -> None:
    sheet.open(name)
    sheet.page.locator("#field_value").fill(text)

    sheet.is_refused(reason)


DROP = """() => {
    const data = new DataTransfer();
    data.items.add(new File(["12345"], "dropped.txt"));
    return data;
}"""
PASTE = """(input, text) => {
    const clipboardData = new DataTransfer();
    clipboardData.setData("text", text);
    input.dispatchEvent(new ClipboardEvent("paste", { clipboardData, bubbles: true, cancelable: true }));
}"""


def test_a_file_is_dropped_on_its_field(sheet: Sheet) -> None:
    sheet.open("Sample")
    dropped = sheet.page.evaluate_handle(DROP)
    for event in ("dragover", "drop"):
        sheet.page.locator(".droppable").dispatch_event(event, {"dataTransfer": dropped})
    expect(sheet.page.locator("#field_value")).to_have_value("dropped.txt (5 B)")

    assert "File(" in sheet.run()


def test_numbers_are_pasted_into_the_cells_of_a_grid(sheet: Sheet) -> None:
    sheet.open("Matrix")
    cell = sheet.page.get_by_label("Value, row 1, column 1", exact=True)
    cell.evaluate(PASTE, "1\t2\n3\t4\n5\t6")

    assert sheet.run() == repr([[1.0, 2.0], [3.0, 4.0], [5.0, 6.0]])


def test_a_key_that_is_there_twice_is_refused(sheet: Sheet) -> None:
    sheet.open("Weights")
    sheet.page.get_by_role("button", name="Add", exact=True).click()
    sheet.page.get_by_label("Key 2 of Value").fill("a")

    sheet.page.get_by_role("button", name="Run", exact=True).click()

    expect(sheet.page.get_by_text("has the key “a” twice")).to_be_visible()
