"""The documentation site as a reader sees it."""

from __future__ import annotations

import os
import re
import sys
from collections.abc import Iterator
from functools import cache, partial
from html import unescape
from html.parser import HTMLParser
from http.server import SimpleHTTPRequestHandler, ThreadingHTTPServer
from pathlib import Path
from threading import Thread
from typing import Any
from urllib.parse import unquote, urlsplit

import pytest
import typer
from playwright.sync_api import Page, expect

import workroom
from support.command_line import ran
from support.watched_page import WatchedPage
from workroom.cli import app
from workroom.domain.events import EVENTS
from workroom.server.app import rest
from workroom.settings import Settings

ROOT = Path(__file__).parents[2]
TAG = re.compile(r"<[^>]+>")
BUILT = ROOT / "website" / "build" / "html"
_DRAWN = "[...document.querySelectorAll('pre.mermaid')].every((each) => each.querySelector('svg'))"


class _Quiet(SimpleHTTPRequestHandler):
    def log_message(self, *args: Any) -> None: ...


class _Links(HTMLParser):
    """The addresses and the ids in a page."""

    def __init__(self) -> None:
        super().__init__()
        self.targets: list[str] = []
        self.ids: set[str] = set()

    def handle_starttag(self, tag: str, attrs: list[tuple[str, str | None]]) -> None:
        for name, value in attrs:
            if name == "id" and value:
                self.ids.add(value)
            elif name in ("href", "src") and value:
                self.targets.append(value)


@pytest.fixture(scope="module")
def site() -> Path:
    path = os.pathsep.join([str(ROOT / "website"), os.environ.get("PYTHONPATH", "")])
    built = ran([sys.executable, "-m", "docsite"], cwd=ROOT, PYTHONPATH=path)
    assert built.code == 0, built.error
    return BUILT


@pytest.fixture(scope="module")
def url(site: Path) -> Iterator[str]:
    with ThreadingHTTPServer(("127.0.0.1", 0), partial(_Quiet, directory=str(site))) as server:
        Thread(target=server.serve_forever, daemon=True).start()
        yield f"http://127.0.0.1:{server.server_port}"
        server.shutdown()


def pages_of(site: Path) -> list[str]:
    return sorted(path.relative_to(site).as_posix() for path in site.rglob("*.html"))


@pytest.mark.timeout(300)
def test_every_page_renders_without_errors_on_a_desktop_and_on_a_phone(
    site: Path, url: str, page: Page
) -> None:
    watched = WatchedPage(page, url)
    found = pages_of(site)

    for path in found:
        watched.open(path)
        page.wait_for_function(_DRAWN)
        watched.check_widths()

    assert len(found) > 80
    assert watched.problems == []


def test_every_link_inside_the_site_leads_somewhere(site: Path) -> None:
    @cache
    def read(path: Path) -> _Links:
        links = _Links()
        links.feed(path.read_text())
        return links

    broken = []
    for name in pages_of(site):
        path = site / name
        for target in read(path).targets:
            address = urlsplit(target)
            if address.scheme:
                continue
            linked = (path.parent / unquote(address.path)).resolve() if address.path else path
            anchor = unquote(address.fragment)
            if not linked.is_file() or (anchor and anchor not in read(linked).ids):
                broken.append(f"{name}: {target}")
    assert broken == []


def test_the_reference_has_every_name_route_event_setting_and_command(site: Path) -> None:
    pages = [path.read_text() for path in (site / "reference").rglob("*.html")]
    text = unescape(TAG.sub("", "\n".join(pages)))
    commands: Any = typer.main.get_command(app)
    expected = {
        *(name for name in workroom.__all__ if name != "__version__"),
        *rest(Settings()).openapi()["paths"],
        *(kind.name for kind in EVENTS.values() if not kind.for_workers),
        *(f"WORKROOM_{name.upper()}" for name in Settings.model_fields),
        *(f"workroom {name}" for name in commands.commands),
    }

    assert len(expected) > 300
    assert {each for each in expected if each not in text} == set()


def test_the_search_finds_a_page_by_a_word_of_its_text(url: str, page: Page) -> None:
    watched = WatchedPage(page, url)

    watched.open("search.html?q=WorkerLost")

    expect(page.get_by_role("link", name="Troubleshooting").first).to_be_visible()
    assert watched.problems == []
