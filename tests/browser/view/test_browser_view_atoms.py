"""From a file to the picture: with the atoms pack, a file that is dropped into a room is loaded and shown."""

from __future__ import annotations

from collections.abc import Iterator

import pytest
from playwright.sync_api import expect

from support.browser import MakePage, come_in
from support.view_page import drop_file, open_tab
from workroom import Room
from workroom.packs.atoms import atoms_of
from workroom.testing.processes import ServerProcess, eventually

WATER = '3\nLattice="9 0 0 0 9 0 0 0 9"\nO 0 0 0\nH 0.96 0 0\nH -0.24 0.93 0\n'


@pytest.fixture(scope="module")
def server(tmp_path_factory: pytest.TempPathFactory) -> Iterator[ServerProcess]:
    with ServerProcess(tmp_path_factory.mktemp("data"), packs="atoms", workers=1, slots=2) as server:
        yield server


def test_a_dropped_file_is_loaded_shown_changed_and_undone(
    make_page: MakePage, server: ServerProcess, room: str, lab: Room
) -> None:
    page = make_page()
    come_in(page, server.url, "ada", room)

    drop_file(page, "water.extxyz", WATER * 5)
    expect(page.get_by_text("water.extxyz is being loaded.")).to_be_visible()
    page.get_by_role("link", name="View", exact=True).click(timeout=60_000)
    expect(page.get_by_text("3 atoms")).to_be_visible()
    expect(page.get_by_text("of 5")).to_be_visible()

    open_tab(page, "Tools")
    panel = page.get_by_role("tabpanel", name="Tools")
    panel.get_by_role("combobox", name="Tool").click()
    page.get_by_role("option", name="Supercell").click()
    panel.get_by_role("button", name="Run", exact=True).click()
    eventually(lambda: len(atoms_of(lab)[0]) == 24, 60, "the supercell")
    expect(page.get_by_text("24 atoms")).to_be_visible()

    page.get_by_role("button", name="Undo").click()
    expect(page.get_by_text("3 atoms")).to_be_visible()
    assert [len(each) for each in atoms_of(lab)] == [3] * 5
