"""Shows results of every kind on the real page, and finds what is wrong with how they look."""

from __future__ import annotations

from collections.abc import Iterable, Iterator
from contextlib import contextmanager

from playwright.sync_api import ConsoleMessage, Locator, Page

from support.browser import job_panel
from workroom import Room

Look = tuple[dict[str, int], str]

ROOM = "results"
WIDE = {"width": 1440, "height": 900}
PHONE = {"width": 390, "height": 844}
LOOKS: tuple[Look, ...] = ((WIDE, "light"), (PHONE, "dark"))
OTHER_LOOKS: tuple[Look, ...] = ((PHONE, "light"), (WIDE, "dark"))

# Text that is cut off, and text on other text.
_FIND = """(region) => {
    const found = [];
    const texts = [];
    for (const node of region.querySelectorAll("*")) {
        if (node.closest("svg, math, .js-plotly-plot, audio, video, iframe")) continue;
        const style = getComputedStyle(node);
        const isClipped = style.overflowX === "hidden" && style.textOverflow !== "ellipsis";
        if (isClipped && node.scrollWidth > node.clientWidth + 1 && node.clientWidth > 4)
            found.push(`clipped: ${node.outerHTML.slice(0, 200)}`);
        const own = [...node.childNodes].filter((each) => each.nodeType === 3 && each.data.trim());
        for (const text of own) {
            const range = document.createRange();
            range.selectNodeContents(text);
            for (const line of range.getClientRects()) {
                const box = visible(line, node);
                if (box) texts.push([text, box]);
            }
        }
    }
    function visible({ left, right, top, bottom }, node) {
        for (let each = node; each && each !== document.body; each = each.parentElement) {
            if (getComputedStyle(each).overflow === "visible") continue;
            const box = each.getBoundingClientRect();
            left = Math.max(left, box.left); right = Math.min(right, box.right);
            top = Math.max(top, box.top); bottom = Math.min(bottom, box.bottom);
        }
        return right - left > 1 && bottom - top > 1 ? { left, right, top, bottom } : null;
    }
    const some = texts.slice(0, 400);
    for (const [index, [one, a]] of some.entries())
        for (const [two, b] of some.slice(index + 1)) {
            const across = Math.min(a.right, b.right) - Math.max(a.left, b.left);
            const down = Math.min(a.bottom, b.bottom) - Math.max(a.top, b.top);
            if (one !== two && across > 2 && down > 4)
                found.push(`overlap: ${one.data.slice(0, 60)} / ${two.data.slice(0, 60)}`);
        }
    return found;
}"""


_FITS = "() => document.documentElement.scrollWidth <= window.innerWidth"


class ResultSheet:
    """One page that goes from job to job without loading again."""

    def __init__(self, page: Page, room: Room, url: str) -> None:
        self.page = page
        self._room = room
        self._url = url
        self.complaints: list[str] = []
        page.on("console", self._hear)
        page.on("pageerror", lambda error: self.complaints.append(str(error)))

    def _hear(self, message: ConsoleMessage) -> None:
        if message.type in {"error", "warning"}:
            self.complaints.append(f"{message.text} ({message.location['url']})")

    def open(self, job_id: str, state: str = "Completed") -> Locator:
        """The panel of a job in this state."""
        self.complaints.clear()
        self.page.evaluate("path => history.pushState({}, '', path)", f"/rooms/{ROOM}/jobs/{job_id}")
        panel = job_panel(self.page)
        panel.get_by_text(state, exact=False).first.wait_for()
        return panel

    @contextmanager
    def on(self, size: dict[str, int], scheme: str) -> Iterator[None]:
        self.page.set_viewport_size({"width": size["width"], "height": size["height"]})
        self.page.emulate_media(color_scheme="dark" if scheme == "dark" else "light")
        self.page.locator(f"html[data-mantine-color-scheme={scheme}]").wait_for()
        yield
        self.page.set_viewport_size({"width": WIDE["width"], "height": WIDE["height"]})
        self.page.emulate_media(color_scheme="light")

    def faults(self, panel: Locator, looks: Iterable[Look] = LOOKS) -> list[str]:
        """What is wrong at these widths and in these themes."""
        found: list[str] = []
        for size, scheme in looks:
            with self.on(size, scheme):
                found += [f"{size['width']} px, {scheme}: {each}" for each in self.look(panel)]
        return found + self.complaints

    def look(self, panel: Locator) -> list[str]:
        """What is wrong as the page is now."""
        return find_faults(panel)


def find_faults(region: Locator) -> list[str]:
    """Text that is cut off, or on other text. Waits until the page is not wider than its window."""
    region.page.wait_for_function(_FITS)  # plots follow the window a little later
    found: list[str] = region.evaluate(_FIND)
    return found
