"""What goes wrong on a page: messages in the console, requests that fail or go elsewhere, too much width."""

from __future__ import annotations

from playwright.sync_api import ConsoleMessage, Page, Request, Response

WIDTHS = (1440, 390)
_TOO_WIDE = "document.documentElement.scrollWidth - document.documentElement.clientWidth"


class WatchedPage:
    """Collects the problems of every page that is opened with it."""

    def __init__(self, page: Page, url: str) -> None:
        self.page = page
        self.url = url
        self.problems: list[str] = []
        page.on("console", self._read_console)
        page.on("pageerror", lambda error: self._add(f"error: {error}"))
        page.on("request", self._read_request)
        page.on("response", self._read_response)

    def open(self, path: str) -> None:
        self.page.goto(f"{self.url}/{path}")

    def check_widths(self, height: int = 900) -> None:
        """Nothing may make the page scroll sideways."""
        for width in WIDTHS:
            self.page.set_viewport_size({"width": width, "height": height})
            pixels = self.page.evaluate(_TOO_WIDE)
            if pixels > 0:
                self._add(f"{pixels} px too wide at {width}")

    def _add(self, problem: str) -> None:
        self.problems.append(f"{self.page.url.removeprefix(self.url)}: {problem}")

    def _read_console(self, message: ConsoleMessage) -> None:
        if message.type in ("error", "warning"):
            self._add(f"console: {message.text}")

    def _read_request(self, request: Request) -> None:
        if not request.url.startswith((self.url, "data:", "blob:")):
            self._add(f"requests {request.url}")

    def _read_response(self, response: Response) -> None:
        if response.status >= 400:
            self._add(f"{response.status} for {response.url}")
