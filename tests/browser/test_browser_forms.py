"""Forms made from schemas, however odd these are."""

from __future__ import annotations

from pathlib import Path

import pytest
from playwright.sync_api import Page, expect

from support.browser import come_in, job_panel, open_tool, run
from workroom.testing.processes import ServerProcess


@pytest.fixture
def inside(page: Page, server: ServerProcess, room: str) -> Page:
    come_in(page, server.url, room=room)
    return page


def test_a_field_has_its_default_description_and_unit_in_the_author_s_order(inside: Page) -> None:
    open_tool(inside, "Echo")

    expect(inside.get_by_label("Text")).to_have_value("hello")
    expect(inside.get_by_text("what to say")).to_be_visible()
    expect(inside.get_by_text("Loudness (dB)")).to_be_visible()
    form = inside.locator("form").inner_text()
    assert form.index("Text") < form.index("Loudness")


def test_a_bounded_number_has_a_slider_that_the_keyboard_moves(inside: Page) -> None:
    open_tool(inside, "Echo")
    slider = inside.get_by_role("slider", name="Loudness")

    slider.focus()
    inside.keyboard.press("ArrowRight")

    expect(inside.locator("#field_loudness")).to_have_value("6")
    expect(run(inside)).to_contain_text("loudness6")


def test_a_fault_stands_beside_its_field_and_nothing_is_submitted(inside: Page) -> None:
    open_tool(inside, "Echo")
    inside.get_by_label("Text").fill("")
    inside.locator("#field_loudness").fill("99")

    inside.get_by_role("button", name="Run", exact=True).click()

    expect(inside.get_by_text("must be 11 or less").first).to_be_visible()
    expect(inside.get_by_text("Please correct the values above.")).to_be_visible()
    expect(job_panel(inside)).to_have_count(0)
    inside.locator("#field_loudness").fill("3")
    inside.get_by_label("Text").fill("well")
    expect(run(inside)).to_contain_text("loudness3")


def test_what_was_typed_outlives_a_refresh_and_what_was_run_comes_back(inside: Page) -> None:
    open_tool(inside, "Echo")
    inside.get_by_label("Text").fill("half a senten")
    inside.reload()
    expect(inside.get_by_label("Text")).to_have_value("half a senten")

    inside.get_by_label("Text").fill("a sentence")
    expect(run(inside)).to_contain_text("Completed")
    inside.evaluate("sessionStorage.clear()")
    inside.reload()
    expect(inside.get_by_label("Text")).to_have_value("a sentence")


def test_one_of_five_hundred_is_found_by_typing(inside: Page) -> None:
    open_tool(inside, "Build")
    element = inside.get_by_role("combobox", name="Element").first
    expect(element).to_have_value("E7 (element-7)")

    element.fill("t-431")
    inside.get_by_role("option", name="element-431").click()

    expect(run(inside)).to_contain_text("elementelement-431")


def test_a_deep_form_is_filled_in_and_kept_as_it_was_meant(inside: Page) -> None:
    open_tool(inside, "Build")
    inside.get_by_label("Title").first.fill("salt")
    inside.get_by_label("Limit").fill("4")

    panel = run(inside)

    expect(panel).to_contain_text("Completed")
    expect(panel).to_contain_text("titlesalt")
    expect(panel).to_contain_text("limit4")
    expect(panel).to_contain_text("extraNone")
    expect(panel).to_contain_text("both3")


def test_a_field_that_may_be_null_is_null_when_it_is_emptied(inside: Page) -> None:
    open_tool(inside, "Build")
    inside.get_by_label("Limit").fill("4")
    inside.get_by_label("Limit").fill("")

    expect(run(inside)).to_contain_text("limitNone")


def test_entries_are_added_to_a_list(inside: Page) -> None:
    open_tool(inside, "Build")

    inside.locator("#field_tags__add").click()
    inside.locator("#field_tags_0").fill("fresh")

    expect(run(inside)).to_contain_text("fresh")


def test_a_file_is_uploaded_and_given_to_the_job(inside: Page, tmp_path: Path) -> None:
    sample = tmp_path / "sample.bin"
    sample.write_bytes(b"x" * 12_345)
    open_tool(inside, "Weigh")

    with inside.expect_file_chooser() as chooser:
        inside.get_by_role("button", name="Upload").click()
    chooser.value.set_files(sample)
    expect(inside.get_by_role("combobox", name="Sample")).to_have_value("sample.bin (12.3 kB)")

    expect(run(inside)).to_contain_text("12,345")


def test_a_missing_required_value_is_reported(inside: Page) -> None:
    open_tool(inside, "Weigh")

    inside.get_by_role("button", name="Run", exact=True).click()

    expect(inside.get_by_text("is required").first).to_be_visible()


def test_a_secret_is_hidden_not_kept_and_must_be_entered_again(inside: Page) -> None:
    open_tool(inside, "Unlock")
    inside.get_by_label("Door").fill("back")
    key = inside.locator("#field_key")
    expect(key).to_have_attribute("type", "password")
    key.fill("hunter2-secret")

    expect(run(inside)).to_contain_text("length14")
    inside.get_by_role("button", name="Edit and run again").click()
    expect(inside.get_by_label("Door")).to_have_value("back")
    expect(key).to_have_value("")
    key.fill("another-secret")
    kept = inside.evaluate("JSON.stringify([{...sessionStorage}, {...localStorage}])")
    assert "hunter2" not in kept
    assert "another-" not in kept
    assert "**********" not in kept

    inside.get_by_role("button", name="Run again", exact=True).click()
    expect(job_panel(inside)).to_contain_text("length14")
    inside.reload()
    expect(inside.get_by_label("Door")).to_have_value("back")
    expect(key).to_have_value("")
