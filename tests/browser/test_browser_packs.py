"""A view of a pack is a page of the room: loaded when it is opened, live, and no danger to the rest."""

from __future__ import annotations

from collections.abc import Iterator
from pathlib import Path

import pytest
from playwright.sync_api import Page, Request, expect

from support.browser import come_in
from workroom.testing.processes import ServerProcess

EXAMPLES = Path(__file__).parents[2] / "docs/examples"
FAULTY = """
from pathlib import Path
from workroom import Pack, View
here = Path(__file__).parent
views = [View(name.lower(), name, here / f"{name.lower()}.js") for name in ("Throws", "Empty")]
pack = Pack("faulty", views=views)
"""


@pytest.fixture(scope="module")
def server(tmp_path_factory: pytest.TempPathFactory) -> Iterator[ServerProcess]:
    folder = tmp_path_factory.mktemp("site")
    about = folder / "some_packs-1.0.dist-info"
    about.mkdir()
    (about / "METADATA").write_text("Metadata-Version: 2.1\nName: some-packs\nVersion: 1.0\n")
    entries = "[workroom.packs]\nnotes = notes_pack:pack\nfaulty = faulty_pack:pack"
    (about / "entry_points.txt").write_text(entries)
    (folder / "faulty_pack.py").write_text(FAULTY)
    (folder / "throws.js").write_text("export function mount() { throw new Error('no graphics card'); }")
    (folder / "empty.js").write_text("export const nothing = 1;")
    with pytest.MonkeyPatch.context() as patch:
        patch.setenv("PYTHONPATH", f"{folder}:{EXAMPLES}")
        with ServerProcess(tmp_path_factory.mktemp("data"), packs="notes,faulty") as server:
            yield server


def test_a_module_is_loaded_when_its_view_is_opened(page: Page, server: ServerProcess, room: str) -> None:
    requests: list[Request] = []
    page.on("request", lambda request: requests.extend([request]))
    come_in(page, server.url, "ada", room)
    link = page.get_by_role("link", name="Notes", exact=True)
    expect(link).to_be_visible()
    assert not [each.url for each in requests if "/packs/notes/board" in each.url]
    link.click()

    expect(page.get_by_role("heading", name="Notes", level=1)).to_be_visible()
    page.get_by_role("button", name="Add a note").click()
    expect(page.get_by_role("list", name="Notes").get_by_text("Look here")).to_be_visible()
    page.get_by_role("link", name="History").first.click()
    expect(page.get_by_role("list", name="Notes")).to_have_count(0)


@pytest.mark.parametrize(("name", "reason"), [("Throws", "no graphics card"), ("Empty", "mount")])
def test_a_module_that_fails_shows_a_sentence_and_the_page_goes_on(
    page: Page, server: ServerProcess, room: str, name: str, reason: str
) -> None:
    come_in(page, server.url, "ada", room)
    page.get_by_role("link", name=name).click()

    expect(page.get_by_role("alert")).to_contain_text(f"The view “{name}” cannot be shown")
    expect(page.get_by_role("alert")).to_contain_text(reason)
    page.get_by_role("link", name="Workers", exact=True).click()
    expect(page.get_by_role("heading", name="Workers", level=1)).to_be_visible()
