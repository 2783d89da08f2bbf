"""Looks at pages with axe, in one or both themes."""

from __future__ import annotations

from pathlib import Path
from typing import Any, Final, Literal

from playwright.sync_api import Page

AXE = Path(__file__).parents[1] / "js/node_modules/axe-core/axe.min.js"
RULES: Final = {"rules": {"label-content-name-mismatch": {"enabled": True}}}
COLOURS: Final = {"runOnly": ["color-contrast"]}
Schemes = dict[Literal["light", "dark"], Any]
SCHEMES: Schemes = {"light": RULES, "dark": COLOURS}
FIND = """async (options) => {
    const { violations } = await axe.run(document, options);
    return violations
        .filter(({ impact }) => impact === "serious" || impact === "critical")
        .flatMap(({ id, nodes }) => nodes.map((node) => `${id}: ${node.html} ${node.failureSummary}`));
}"""


class Looker:
    """Goes from place to place, and notes what axe finds there, and what is too wide."""

    def __init__(self, page: Page, schemes: Schemes = SCHEMES) -> None:
        """With the rules of axe that are applied in each theme."""
        self.page = page
        self._schemes = schemes
        self.found: dict[str, list[str]] = {}

    def look(self, place: str) -> None:
        self.page.wait_for_load_state("networkidle")
        if not self.page.evaluate("'axe' in window"):
            self.page.evaluate(AXE.read_text())
        for scheme, rules in self._schemes.items():
            self.page.emulate_media(color_scheme=scheme)
            self.page.locator(f"html[data-mantine-color-scheme={scheme}]").wait_for()
            if found := self.page.evaluate(FIND, rules):
                self.found[f"{place} in {scheme}"] = found
        if self.page.evaluate("document.documentElement.scrollWidth > window.innerWidth"):
            self.found[f"width of {place}"] = ["scrolls sideways"]

    def report(self) -> str:
        """Each finding once, with all the places that have it."""
        places: dict[str, list[str]] = {}
        for place, found in self.found.items():
            for each in found:
                places.setdefault(each, []).append(place)
        return "\n".join(f"{', '.join(where)}: {each}" for each, where in places.items())
