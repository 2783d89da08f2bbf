"""Everybody can use the page: axe finds nothing serious anywhere, and nothing scrolls sideways on a phone."""

from __future__ import annotations

from collections.abc import Callable, Iterator
from contextlib import suppress
from typing import Any

import pytest
from playwright.sync_api import Page, expect

from support.browser import MakePage, choose, come_in, come_in_as_admin, job_panel, open_tool, run
from support.extensions.page import Echo, Show, Stumble, Walk
from support.looker import COLOURS, RULES, SCHEMES, Looker
from workroom import Room
from workroom.errors import JobFailed
from workroom.testing.processes import ServerProcess

DESKTOP, PHONE = (1280, 800), (390, 844)
ROOM = "lab"


@pytest.fixture(scope="module")
def lab(server: ServerProcess) -> Iterator[dict[str, str]]:
    """A room where something of everything was run, and something runs: the ids of its jobs."""
    kinds = ["table", "image", "plot", "markdown", "tree", "file", "parts"]
    with Room(ROOM, server.url, user="ada") as ada:
        jobs = {kind: ada.submit(Show(kind=kind)) for kind in kinds}
        jobs |= {
            "failure": ada.submit(Stumble()),
            "success": ada.submit(Stumble(why="")),
            "left": ada.submit(Echo(text="this")),
        }
        jobs["right"] = ada.submit(Echo(text="that"))
        for job in jobs.values():
            with suppress(JobFailed):
                job.result(timeout=20)
        jobs["right"].annotate(name="The best", starred=True, tags=["paper"], note="Look again.")
        ada.post("Who is at the microscope?")
        running = ada.submit(Walk(steps=9000))
        yield {name: job.id for name, job in jobs.items()} | {"running": running.id}
        running.cancel()


@pytest.fixture(
    params=[
        pytest.param((DESKTOP, SCHEMES), id="desktop"),
        pytest.param((PHONE, {"light": RULES}), id="phone"),
        pytest.param((PHONE, {"dark": COLOURS}), id="phone-dark", marks=pytest.mark.full),
    ]
)
def looker(request: pytest.FixtureRequest, make_page: MakePage) -> Looker:
    """A phone has the same colours, so that the dark ones are looked at on a desktop."""
    (width, height), schemes = request.param
    return Looker(make_page(viewport={"width": width, "height": height}), schemes)


def test_the_door_and_the_rooms_are_for_everybody(
    looker: Looker, server: ServerProcess, lab: dict[str, str]
) -> None:
    page = looker.page
    page.goto(server.url)
    page.get_by_label("Your name").wait_for()
    looker.look("door")
    come_in_as_admin(page, server.url)
    looker.look("rooms")
    page.get_by_role("button", name="New room").click()
    page.get_by_role("dialog").wait_for()
    looker.look("new room")
    page.goto(f"{server.url}/join#nowhere/AAAA-BBBB")
    page.get_by_role("alert").wait_for()
    looker.look("refused invite")
    page.goto(f"{server.url}/rooms/nowhere")
    page.get_by_label("Invite code").wait_for()
    looker.look("no room")
    page.goto(f"{server.url}/fleet")
    page.get_by_role("article").first.wait_for()
    looker.look("whole fleet")
    page.get_by_role("button", name="You are admin").click()
    page.get_by_role("menuitem", name="All workers").wait_for()
    looker.look("menu")

    assert not looker.found, looker.report()


def test_the_pages_of_a_room_are_for_everybody(
    looker: Looker, server: ServerProcess, lab: dict[str, str]
) -> None:
    page = looker.page
    come_in(page, server.url, "eve", ROOM)
    looker.look("tools")
    for place, act in _places(lab).items():
        act(page)
        looker.look(place)

    assert not looker.found, looker.report()


def _places(lab: dict[str, str]) -> dict[str, Callable[[Page], Any]]:
    return {
        "history": _history,
        "compare": lambda page: _compare(page, f"history?compare={lab['left']},{lab['right']}"),
        "fleet": lambda page: _go(page, "fleet", "Workers"),
        "chat": _chat,
        "palette": _palette,
        "running job": lambda page: _go(page, f"jobs/{lab['running']}", "Walk"),
        "failed job": lambda page: _go(page, f"jobs/{lab['failure']}", "Stumble"),
        "annotation": lambda page: _annotation(page, lab["right"]),
        **{kind: _job(lab, kind) for kind in ("table", "image", "plot", "markdown", "tree", "file", "parts")},
    }


def _go(page: Page, path: str, heading: str) -> None:
    page.goto(f"{page.url.partition('/rooms/')[0]}/rooms/{ROOM}/{path}")
    page.get_by_role("heading", name=heading, level=1).wait_for()


def _job(lab: dict[str, str], kind: str) -> Callable[[Page], None]:
    return lambda page: _go(page, f"jobs/{lab[kind]}", "Show")


def _history(page: Page) -> None:
    """With a name, tags and a selection in sight."""
    _go(page, "history", "History")
    page.get_by_role("list", name="Jobs").get_by_role("checkbox").first.check()
    page.get_by_role("toolbar", name="Selected jobs").wait_for()


def _compare(page: Page, path: str) -> None:
    _go(page, path, "History")
    page.get_by_role("table", name="Values").wait_for()


def _annotation(page: Page, job: str) -> None:
    _go(page, f"jobs/{job}", "The best")
    page.get_by_role("button", name="Edit name, tags, note").click()
    page.get_by_role("dialog", name="Name, tags and note").wait_for()


def _chat(page: Page) -> None:
    page.get_by_role("button", name="Chat").click()
    page.get_by_text("Who is at the microscope?").wait_for()


def _palette(page: Page) -> None:
    page.reload()
    page.get_by_role("heading", name="Workers", level=1).wait_for()
    page.keyboard.press("Control+k")
    page.get_by_label("Go to").wait_for()


def test_a_tool_and_its_job_are_for_everybody(looker: Looker, server: ServerProcess, room: str) -> None:
    page = looker.page
    come_in(page, server.url, "olga", room)
    _tool(page, "Build")
    looker.look("deep form")
    _tool(page, "Weigh")
    looker.look("file form")
    _tool(page, "Echo")
    page.locator("#field_loudness").fill("99")
    page.get_by_role("button", name="Run", exact=True).click()
    looker.look("form with a fault")
    page.get_by_role("button", name="Presets").click()
    page.get_by_role("button", name="Save as preset").click()
    page.get_by_role("textbox", name="Name").fill("loud")
    page.get_by_label("Everybody in this room").check()
    looker.look("saving a preset")
    page.get_by_role("button", name="Save", exact=True).click()
    page.get_by_role("button", name="Presets").click()
    page.get_by_role("dialog", name="Presets").get_by_text("loud", exact=True).wait_for()
    looker.look("presets")
    _tool(page, "Show")
    choose(page, "Kind", "parts")
    expect(run(page)).to_contain_text("Completed")
    looker.look("finished")
    _tool(page, "Stumble")
    expect(run(page)).to_contain_text("Failed")
    looker.look("failed")
    _tool(page, "Walk")
    page.get_by_label("Steps").last.fill("9000")
    expect(run(page)).to_contain_text("step 3")
    looker.look("running")
    page.get_by_role("button", name="Your jobs: 1 running").click()
    page.get_by_role("list", name="Your jobs in all rooms").wait_for()
    looker.look("my jobs")
    page.keyboard.press("Escape")
    job_panel(page).get_by_role("button", name="Cancel").click()
    expect(job_panel(page)).to_contain_text("Cancelled")
    looker.look("cancelled")
    page.get_by_role("button", name="Room settings").click()
    page.get_by_role("dialog").get_by_role("region", name="Members").wait_for()
    looker.look("settings of the room")

    assert not looker.found, looker.report()


def _tool(page: Page, title: str) -> None:
    menu = page.get_by_role("button", name="Menu")
    if menu.is_visible():
        menu.click()
    open_tool(page, title)
