"""The forms of docs/fields.md: nothing overlaps or is clipped, and neither axe nor the browser complains."""

from __future__ import annotations

from collections.abc import Iterator
from pathlib import Path
from typing import Literal

import pytest
from playwright.sync_api import Browser

from browser.forms.conftest import TIMEOUT_MS, complaints_of
from support.browser import come_in
from support.looker import AXE, FIND, RULES
from workroom.testing.processes import ServerProcess

EXAMPLES = Path(__file__).parents[3] / "docs/examples/fields.py"
NAMES = ("Numbers", "Texts", "Choices", "Times", "Lists", "Nested", "Hints")
FAULTS = """() => {
    const form = document.querySelector("form");
    const frame = form.getBoundingClientRect();
    const all = form.querySelectorAll("input, textarea, button, label, legend, p, th");
    const parts = [...all].filter((part) => {
        const style = getComputedStyle(part);
        const box = part.getBoundingClientRect();
        return box.width > 2 && box.height > 2 && style.opacity !== "0" && style.visibility === "visible";
    });
    const nameOf = (part) => `${part.tagName} ${part.id || part.innerText || part.ariaLabel}`;
    const isInside = (a, b) => a.contains(b) || b.contains(a);
    const isOneInput = (a, b) => {
        const around = a.closest(".mantine-Input-wrapper, .mantine-Slider-root, .mantine-Checkbox-root");
        return around !== null && around.contains(b);
    };
    const faults = [];
    for (const [index, part] of parts.entries()) {
        const box = part.getBoundingClientRect();
        const isScrolled = part.closest(".mantine-TableScrollContainer-scrollContainer") !== null;
        if (!isScrolled && (box.right > frame.right + 1 || box.left < frame.left - 1))
            faults.push(`${nameOf(part)} is wider than the form`);
        const isText = ["BUTTON", "LABEL", "LEGEND", "P", "TH"].includes(part.tagName);
        const isCut = part.scrollWidth > part.clientWidth + 1;
        if (isText && isCut && getComputedStyle(part).overflow !== "visible")
            faults.push(`${nameOf(part)} is clipped`);
        for (const other of parts.slice(index + 1)) {
            if (isInside(part, other) || isOneInput(part, other)) continue;
            const next = other.getBoundingClientRect();
            const width = Math.min(box.right, next.right) - Math.max(box.left, next.left);
            const height = Math.min(box.bottom, next.bottom) - Math.max(box.top, next.top);
            if (width > 2 && height > 2) faults.push(`${nameOf(part)} overlaps ${nameOf(other)}`);
        }
    }
    if (document.documentElement.scrollWidth > innerWidth) faults.push("the page scrolls sideways");
    return faults;
}"""


@pytest.fixture(scope="module")
def server(tmp_path_factory: pytest.TempPathFactory) -> Iterator[ServerProcess]:
    with ServerProcess(tmp_path_factory.mktemp("data"), str(EXAMPLES)) as server:
        yield server


@pytest.mark.parametrize(
    ("width", "scheme"),
    [
        (1440, "light"),
        (390, "dark"),
        pytest.param(1440, "dark", marks=pytest.mark.full),
        pytest.param(390, "light", marks=pytest.mark.full),
    ],
)
def test_every_form_fits(
    browser: Browser, server: ServerProcess, width: int, scheme: Literal["light", "dark"]
) -> None:
    with browser.new_context(
        viewport={"width": width, "height": 1200}, color_scheme=scheme, reduced_motion="reduce"
    ) as context:
        context.set_default_timeout(TIMEOUT_MS)
        page = context.new_page()
        complaints = complaints_of(page)
        come_in(page, server.url, "ada", "demo")
        found: dict[str, list[str]] = {}
        for name in NAMES:
            page.goto(f"{server.url}/rooms/demo/run/fields/{name}")
            page.locator("form").wait_for()
            for folded in page.locator("form").get_by_role("button", expanded=False).all():
                folded.click()
            page.evaluate(AXE.read_text())
            if faults := [*page.evaluate(FAULTS), *page.evaluate(FIND, RULES)]:
                found[name] = faults

    assert found == {}
    assert complaints == []
