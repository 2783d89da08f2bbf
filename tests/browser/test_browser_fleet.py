"""Who does the work: the workers of a room, and all of them for the admin."""

from __future__ import annotations

import re
import sys
from collections.abc import Iterator
from pathlib import Path

import httpx
import pytest
from playwright.sync_api import Locator, Page, expect

from support.browser import MakePage, come_in, come_in_as_admin
from support.extensions.page import Echo, Walk
from workroom import Room
from workroom.testing.fixtures import OpenRoom, StartWorker
from workroom.testing.guests import guest_token
from workroom.testing.processes import Process, ServerProcess

TOOL = '''
from workroom import Extension

class Twice(Extension, category="analysis"):
    """Doubles."""

    number: int = 5

    def run(self, job):
        return {"twice": 2 * self.number}
'''


@pytest.fixture(scope="module")
def server(tmp_path_factory: pytest.TempPathFactory) -> Iterator[ServerProcess]:
    """Nobody works here yet."""
    with ServerProcess(tmp_path_factory.mktemp("data")) as server:
        yield server


@pytest.fixture
def room(server: ServerProcess, room: str) -> str:
    """An open room of ada's."""
    bearer = {"Authorization": f"Bearer {guest_token(server.url, 'ada')}"}
    answer = httpx.post(f"{server.url}/api/rooms", json={"name": room}, headers=bearer)
    assert answer.status_code == 201, answer.text
    return room


@pytest.fixture
def guest(page: Page, server: ServerProcess, room: str) -> Page:
    come_in(page, server.url, "eve")
    page.goto(f"{server.url}/rooms/{room}/fleet")
    page.get_by_role("heading", name="Workers").wait_for()
    return page


@pytest.fixture
def admin(make_page: MakePage, server: ServerProcess) -> Page:
    page = make_page()
    come_in_as_admin(page, server.url)
    page.get_by_role("button", name="You are admin").click()
    page.get_by_role("menuitem", name="All workers").click()
    page.get_by_role("heading", name="All workers").wait_for()
    return page


@pytest.fixture
def ada(server: ServerProcess, room: str, open_room: OpenRoom) -> Room:
    return open_room(server, room)


@pytest.fixture
def gpu(room: str) -> str:
    """The name of a worker that no other test starts."""
    return f"gpu-{room}"


def card(page: Page, worker: str) -> Locator:
    return page.get_by_role("article", name=worker, exact=True)


def do(page: Page, worker: str, what: str) -> None:
    page.get_by_role("button", name=f"Actions for {worker}").click()
    page.get_by_role("menuitem", name=what).click()


def test_a_worker_appears_with_its_state_slots_machine_and_tools(
    guest: Page, server: ServerProcess, room: str, gpu: str, start_worker: StartWorker
) -> None:
    expect(guest.get_by_text("No worker is connected")).to_be_visible()

    worker = start_worker(
        server, "support.extensions.page:Walk", "support.extensions.page:Echo", room=room, name=gpu, slots=3
    )

    here = card(guest, gpu)
    expect(here).to_contain_text(re.compile(r"idle for \d"))
    expect(here).to_contain_text("0 of 3 slots used")
    expect(here).to_contain_text(f"Python {sys.version_info.major}.{sys.version_info.minor}")
    expect(here).to_contain_text(f"process {worker.pid}")
    expect(here.get_by_role("group", name="Tools")).to_contain_text("Walk")
    expect(here.get_by_role("group", name="Tools")).to_contain_text("Echo")


def test_what_a_worker_does_now_is_shown_and_leads_to_the_job(
    guest: Page, server: ServerProcess, room: str, gpu: str, start_worker: StartWorker, ada: Room
) -> None:
    start_worker(server, "support.extensions.page:Walk", room=room, name=gpu, slots=2)

    job = ada.submit(Walk(steps=9000))

    here = card(guest, gpu)
    expect(here).to_contain_text("1 of 2 slots used")
    expect(here).to_contain_text(re.compile(r"running for \d"))
    here.get_by_role("list", name="Current jobs").get_by_role("link", name="Walk of ada").click()
    expect(guest).to_have_url(f"{server.url}/rooms/{room}/jobs/{job.id}")
    job.cancel()


def test_a_guest_sees_the_fleet_of_the_room_and_no_button_that_is_not_theirs(
    guest: Page, admin: Page, server: ServerProcess, room: str, gpu: str, start_worker: StartWorker
) -> None:
    start_worker(server, "support.extensions.page:Walk", room=room, name=gpu)
    start_worker(server, "support.extensions.page:Echo", room=f"{room}-other", name=f"{gpu}-elsewhere")

    expect(card(admin, f"{gpu}-elsewhere")).to_be_visible()
    expect(admin.get_by_role("button", name=f"Actions for {gpu}")).to_have_count(2)
    expect(card(guest, gpu)).to_be_visible()
    expect(card(guest, f"{gpu}-elsewhere")).to_have_count(0)
    expect(guest.get_by_role("button", name="Actions for")).to_have_count(0)
    guest.get_by_role("button", name="You are eve").click()
    expect(guest.get_by_role("menuitem", name="All rooms")).to_be_visible()
    expect(guest.get_by_role("menuitem", name="All workers")).to_have_count(0)


def test_who_is_no_admin_is_refused_the_whole_fleet_in_words(guest: Page, server: ServerProcess) -> None:
    guest.goto(f"{server.url}/fleet")

    expect(guest.get_by_role("alert")).to_contain_text("admin")


def test_a_drained_worker_gets_nothing_new_until_it_is_given_work_again(
    admin: Page, server: ServerProcess, room: str, gpu: str, start_worker: StartWorker, ada: Room
) -> None:
    start_worker(
        server, "support.extensions.page:Walk", "support.extensions.page:Echo", room=room, name=gpu, slots=2
    )
    walk = ada.submit(Walk(steps=9000))
    expect(card(admin, gpu)).to_contain_text("1 of 2 slots used")

    do(admin, gpu, "Drain (no new jobs)")
    expect(admin.get_by_text(f"{gpu} finishes its jobs and gets no new ones")).to_be_visible()
    expect(card(admin, gpu).get_by_text("draining")).to_be_visible()
    echo = ada.submit(Echo(text="at last"))
    expect(admin.get_by_role("region", name="Pending")).to_contain_text("1")
    expect(card(admin, gpu)).to_contain_text("1 of 2 slots used")
    assert echo.refresh()["status"] == "pending"

    do(admin, gpu, "Resume")
    expect(card(admin, gpu).get_by_text("draining")).to_have_count(0)
    assert echo.result(timeout=20)["text"] == "at last"
    walk.cancel()


def test_a_worker_is_removed_after_a_word_of_what_is_lost(
    admin: Page, server: ServerProcess, room: str, gpu: str, start_worker: StartWorker, ada: Room
) -> None:
    start_worker(server, "support.extensions.page:Walk", room=room, name=gpu)
    job = ada.submit(Walk(steps=9000))
    expect(card(admin, gpu)).to_contain_text("1 of 1 slot used")

    do(admin, gpu, "Remove")
    dialog = admin.get_by_role("dialog", name=f"Remove {gpu}")
    expect(dialog).to_contain_text("It has 1 job. Jobs that have started are lost")
    dialog.get_by_role("button", name="Remove", exact=True).click()

    expect(card(admin, gpu)).to_have_count(0)
    assert job.refresh()["status"] == "failed"


def stranger(tmp_path: Path) -> dict[str, str]:
    """Somebody else at another machine."""
    return {"WORKROOM_USER": "mallory", "WORKROOM_STATE_DIR": str(tmp_path / "mallory")}


def test_a_stranger_s_worker_waits_until_somebody_who_may_accepts_it(
    guest: Page,
    make_page: MakePage,
    server: ServerProcess,
    room: str,
    gpu: str,
    start_worker: StartWorker,
    tmp_path: Path,
) -> None:
    start_worker(server, "support.extensions.page:Echo", room=room, name=gpu)
    admin = make_page()
    come_in_as_admin(admin, server.url)
    admin.goto(f"{server.url}/rooms/{room}/fleet")
    late = f"{gpu}-late"

    start_worker(server, "support.extensions.page:Echo", room=room, name=late, environment=stranger(tmp_path))

    asks = card(guest, late).get_by_role("list", name="Awaits consent")
    expect(asks).to_contain_text(re.compile("Needs approval from .* or the room's owner to run Echo"))
    expect(guest.get_by_role("button", name="Accept")).to_have_count(0)
    card(admin, late).get_by_role("button", name="Accept").click()
    expect(asks).to_have_count(0)
    expect(card(guest, late).get_by_role("group", name="Tools")).to_contain_text("Echo")


def test_a_refused_worker_leaves_the_page_and_ends(
    make_page: MakePage, server: ServerProcess, room: str, gpu: str, start_worker: StartWorker, tmp_path: Path
) -> None:
    start_worker(server, "support.extensions.page:Echo", room=room, name=gpu)
    admin = make_page()
    come_in_as_admin(admin, server.url)
    admin.goto(f"{server.url}/rooms/{room}/fleet")
    late = f"{gpu}-late"
    worker = start_worker(
        server, "support.extensions.page:Echo", room=room, name=late, environment=stranger(tmp_path)
    )

    card(admin, late).get_by_role("button", name="Refuse").click()

    expect(card(admin, late)).to_have_count(0)
    assert worker.child.wait(20) == 1
    assert "refused on the web page" in worker.log.read_text()


def test_the_owner_of_a_room_dismisses_a_stranger_s_worker_from_it(
    guest: Page, server: ServerProcess, room: str, gpu: str, start_worker: StartWorker, tmp_path: Path
) -> None:
    mine = f"{room}-of-eve"
    guest.request.post(f"{server.url}/api/rooms", data={"name": mine, "title": "", "private": False})
    guest.goto(f"{server.url}/rooms/{mine}/fleet")
    worker = start_worker(
        server, "support.extensions.page:Echo", room=mine, name=gpu, environment=stranger(tmp_path)
    )

    do(guest, gpu, "Dismiss from this room")
    dialog = guest.get_by_role("dialog", name=f"Dismiss {gpu}")
    expect(dialog).to_contain_text("needs your consent to return")
    dialog.get_by_role("button", name="Dismiss", exact=True).click()

    expect(card(guest, gpu)).to_have_count(0)
    assert worker.child.wait(20) == 1


def test_the_sparklines_have_a_text_alternative(
    guest: Page, server: ServerProcess, room: str, gpu: str, start_worker: StartWorker, ada: Room
) -> None:
    waiting = guest.get_by_role("region", name="Pending")
    start_worker(server, "support.extensions.page:Walk", "support.extensions.page:Echo", room=room, name=gpu)
    ada.submit(Echo()).result(timeout=20)
    jobs = ada.submit_many([Walk(steps=9000) for _ in range(3)])

    expect(waiting.get_by_role("img")).to_have_accessible_name(
        re.compile(r"Pending jobs in the last .+: now 2, at most 2")
    )
    expect(guest.get_by_role("region", name="Finished").get_by_role("img")).to_have_accessible_name(
        re.compile(r"Jobs finished in the last .+: \d\.\d per minute")
    )
    expect(guest.get_by_role("region", name="Wait", exact=True).get_by_role("img")).to_have_accessible_name(
        re.compile(r"Wait before a job starts in the last .+: median \d")
    )
    for job in jobs:
        job.cancel()


def test_a_pairing_code_makes_any_machine_a_worker(guest: Page, ada: Room, tmp_path: Path) -> None:
    (tmp_path / "tools.py").write_text(TOOL)
    guest.get_by_role("button", name="Add a worker").click()
    guest.get_by_role("button", name="Create a pairing code").click()
    shown = guest.locator("pre", has_text="workroom join")
    words = shown.inner_text().replace("tools.py", str(tmp_path / "tools.py")).split()
    assert words[:2] == ["workroom", "join"]

    machine = Process([sys.executable, "-m", *words, "--name", "lent"], {}, tmp_path / "lent.log")
    try:
        guest.get_by_role("dialog").get_by_role("button", name="Close").click()
        expect(card(guest, "lent")).to_contain_text("Twice")
        assert ada.submit_named("analysis", "Twice", {"number": 4}).result(timeout=20) == {"twice": 8}
    finally:
        machine.close()


def test_the_page_shows_a_command_that_adds_a_worker(
    guest: Page, room: str, ada: Room, tmp_path: Path
) -> None:
    guest.get_by_role("button", name="Add a worker").click()
    dialog = guest.get_by_role("dialog", name="Add a worker")
    (tmp_path / "tools.py").write_text(dialog.locator("pre", has_text="class MyTool").inner_text())
    shown = dialog.locator("pre", has_text="workroom worker").inner_text()
    words = shown.replace("tools.py", str(tmp_path / "tools.py")).split()

    machine = Process([sys.executable, "-m", *words, "--name", "mine"], {}, tmp_path / "mine.log")
    try:
        dialog.get_by_role("button", name="Close").click()
        expect(card(guest, "mine")).to_contain_text("My tool")
        assert ada.submit_named("analysis", "MyTool", {"number": 4}).result(timeout=20) == {"twice": 8}
    finally:
        machine.close()
