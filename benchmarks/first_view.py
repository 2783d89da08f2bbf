"""How long until a new browser can use a room, and how much does it load?

    python benchmarks/first_view.py [--times 5]

From the first request to a list of tools that can be clicked, on loopback, with nothing cached. The size is
that of everything loaded until the network is idle, as sent: scripts and styles are compressed.
"""

from __future__ import annotations

import argparse
import os
import shutil
import time
from collections.abc import Iterator
from contextlib import contextmanager
from operator import itemgetter
from pathlib import Path
from statistics import median
from tempfile import TemporaryDirectory

from playwright.sync_api import Browser, Page, Request, StorageState, sync_playwright

from fresh import fresh_server
from workroom import Room

ROOM = "demo"
EXTENSIONS = "workroom.packs.demo"
LOOK_MS = 10
SHOWN = 8
TOOL = "nav[aria-label=Tools] a"


@contextmanager
def chromium() -> Iterator[Browser]:
    path = shutil.which("chromium")
    assert path is not None, "Chromium is missing: `make test` installs it"
    with (
        sync_playwright() as playwright,
        playwright.chromium.launch(executable_path=path, args=["--no-sandbox"]) as browser,
    ):
        yield browser


def visitor(browser: Browser, url: str) -> StorageState:
    """A known user; the measured browsers have only its cookie."""
    page = browser.new_page()
    page.goto(url)
    page.get_by_label("Your name").fill("ada")
    page.get_by_role("button", name="Log in").click()
    page.get_by_role("heading", name="Rooms").wait_for()
    return page.context.storage_state()


def seconds_until_usable(page: Page, url: str) -> float:
    """Poll for the link at every frame: Playwright's own wait soon polls only twice a second."""
    begun = time.perf_counter()
    page.goto(f"{url}/rooms/{ROOM}", wait_until="commit")
    page.wait_for_function("link => document.querySelector(link)", arg=TOOL, polling=LOOK_MS)
    page.locator(TOOL).first.click(trial=True)
    return time.perf_counter() - begun


def loaded_bytes(page: Page, url: str) -> dict[str, int]:
    """By address."""
    requests: list[Request] = []

    def note(request: Request) -> None:
        requests.append(request)

    page.on("requestfinished", note)
    page.goto(f"{url}/rooms/{ROOM}", wait_until="networkidle")
    page.locator(TOOL).first.wait_for()
    return {each.url.removeprefix(url): each.sizes()["responseBodySize"] for each in requests}


def first_views(times: int) -> tuple[list[float], dict[str, int]]:
    with TemporaryDirectory() as name, chromium() as browser:
        os.environ["WORKROOM_STATE_DIR"] = str(Path(name, "state"))
        with fresh_server(Path(name, "data"), EXTENSIONS, workers=1) as server:
            with Room(ROOM, server.url, user="grace") as room:
                room.post("Here we are.")
            state = visitor(browser, server.url)
            found = []
            for _ in range(times):
                with browser.new_context(storage_state=state) as context:
                    found.append(seconds_until_usable(context.new_page(), server.url))
            with browser.new_context(storage_state=state) as context:
                return found, loaded_bytes(context.new_page(), server.url)


if __name__ == "__main__":
    parser = argparse.ArgumentParser(description=__doc__)
    parser.add_argument("--times", type=int, default=5)
    seconds, sizes = first_views(parser.parse_args().times)
    print(f"a room can be used after {median(seconds):.2f} s (median of {len(seconds)})")
    print("  ".join(f"{each:.2f}" for each in seconds))
    print(f"it loads {sum(sizes.values()) / 1000:.0f} kB in {len(sizes)} responses; the largest:")
    for address, size in sorted(sizes.items(), key=itemgetter(1), reverse=True)[:SHOWN]:
        print(f"  {size / 1000:6.1f} kB  {address}")
