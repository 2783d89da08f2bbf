"""The view in a frame of another site, as in a notebook: shown if the server names that site."""

from __future__ import annotations

from collections.abc import Iterator
from functools import partial
from http.server import SimpleHTTPRequestHandler, ThreadingHTTPServer
from pathlib import Path
from threading import Thread
from typing import Any

import pytest
from playwright.sync_api import FrameLocator, Page, expect

from support.view_page import atoms
from workroom import Room
from workroom.testing.processes import ServerProcess

WATER = atoms([8, 1, 1], [[0, 0, 0], [0.96, 0, 0], [-0.24, 0.93, 0]])


class _Quiet(SimpleHTTPRequestHandler):
    def log_message(self, format: str, *args: Any) -> None:
        return


@pytest.fixture(scope="module")
def notebook(tmp_path_factory: pytest.TempPathFactory) -> Iterator[tuple[str, Path]]:
    """Another site, and the folder of its pages."""
    folder = tmp_path_factory.mktemp("notebook")
    with ThreadingHTTPServer(("127.0.0.1", 0), partial(_Quiet, directory=str(folder))) as site:
        thread = Thread(target=site.serve_forever, daemon=True)
        thread.start()
        yield f"http://localhost:{site.server_port}", folder
        site.shutdown()
        thread.join()


@pytest.fixture(scope="module")
def server(tmp_path_factory: pytest.TempPathFactory, notebook: tuple[str, Path]) -> Iterator[ServerProcess]:
    with ServerProcess(tmp_path_factory.mktemp("data"), frame_ancestors=notebook[0]) as server:
        yield server


def _show(page: Page, notebook: tuple[str, Path], html: str) -> FrameLocator:
    url, folder = notebook
    (folder / "index.html").write_text(f"<!doctype html><title>Notebook</title>{html}")
    page.goto(url)
    return page.frame_locator("iframe")


def test_a_frame_shows_the_room_and_follows_it(page: Page, notebook: tuple[str, Path], lab: Room) -> None:
    """Read-only, and without cookies or storage, which the browser denies to a frame of another site."""
    lab.frames.extend([WATER, WATER])

    frame = _show(page, notebook, lab._repr_html_())

    canvas = frame.get_by_test_id("canvas")
    expect(canvas).to_have_attribute("data-atoms", "3")
    lab.step = 1
    expect(canvas).to_have_attribute("data-frame", "1")
    expect(frame.get_by_role("button", name="Fit")).to_be_visible()
    for hidden in (frame.get_by_role("button", name="Undo"), frame.get_by_role("link", name="History")):
        expect(hidden).to_have_count(0)


def test_a_stored_notebook_lets_nobody_in(
    page: Page, browser: Any, notebook: tuple[str, Path], lab: Room
) -> None:
    lab.frames.append(WATER)
    html = lab._repr_html_()
    expect(_show(page, notebook, html).get_by_test_id("canvas")).to_be_visible()

    with browser.new_context() as context:
        frame = _show(context.new_page(), notebook, html)

        expect(frame.get_by_text("This view has ended")).to_be_visible()
        expect(frame.get_by_role("link", name="open the room in a tab")).to_be_visible()


def test_a_site_that_is_not_named_gets_no_frame(
    page: Page, notebook: tuple[str, Path], lab: Room, server: ServerProcess, room: str
) -> None:
    lab.frames.append(WATER)
    refusals: list[str] = []
    page.on("console", lambda message: refusals.append(message.text))
    html = lab._repr_html_()
    url, folder = notebook
    (folder / "index.html").write_text(f"<!doctype html><title>Notebook</title>{html}")

    page.goto(url.replace("localhost", "127.0.0.1"))

    expect(page.locator("iframe")).to_be_visible()
    page.wait_for_load_state("networkidle")
    expect(page.frame_locator("iframe").get_by_test_id("canvas")).to_have_count(0)
    assert any("frame-ancestors" in each for each in refusals), refusals


def test_somebody_who_opens_the_link_in_a_tab_logs_in_as_themselves(
    page: Page, lab: Room, server: ServerProcess
) -> None:
    """A link must not turn a tab, with all its rooms, into a viewer's."""
    lab.frames.append(WATER)
    address = lab.frame_url()
    assert address is not None

    page.goto(address)

    expect(page.get_by_label("Your name")).to_be_visible()
