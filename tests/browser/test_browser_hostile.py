"""Script in every text that anybody can give to a page: it is shown, and never run."""

from __future__ import annotations

import re
import threading
from collections.abc import Iterator
from contextlib import suppress
from http.server import BaseHTTPRequestHandler, ThreadingHTTPServer
from typing import ClassVar, get_args

import httpx
import pytest
from playwright.sync_api import ConsoleMessage, Page, expect

from support.browser import choose, come_in, job_panel, open_tool, run
from support.extensions.hostile import KINDS, PICTURE, SCRIPT, Hostile
from support.extensions.page import Echo
from workroom import JobHandle, Room
from workroom.errors import JobFailed
from workroom.testing.fixtures import OpenRoom, StartWorker
from workroom.testing.guests import guest_token
from workroom.testing.processes import ServerProcess

EXPECTED = re.compile(r"/api/users/me 401|/preview 404")


@pytest.fixture(scope="module")
def server(tmp_path_factory: pytest.TempPathFactory) -> Iterator[ServerProcess]:
    with ServerProcess(
        tmp_path_factory.mktemp("data"),
        "support.extensions.page",
        "support.extensions.hostile",
        workers=1,
        slots=2,
    ) as server:
        yield server


@pytest.fixture
def ada(server: ServerProcess, room: str, open_room: OpenRoom) -> Room:
    """Owns the room, and has given it a title."""
    ada = open_room(server, room)
    ada.post(SCRIPT)
    token = guest_token(server.url, "ada")
    headers = {"Authorization": f"Bearer {token}"}
    httpx.patch(f"{server.url}/api/rooms/{room}", json={"title": SCRIPT}, headers=headers).raise_for_status()
    return ada


@pytest.fixture
def faults(page: Page) -> list[str]:
    """What the browser complains of, but for what must be: nobody known at the door, no preview yet."""
    found: list[str] = []

    def hear(message: ConsoleMessage) -> None:
        where = message.location["url"]
        code = re.search(r"status of (\d+)", message.text)
        said = f"{where} {code[1]}" if code else f"{message.text} ({where})"
        if message.type in {"error", "warning"} and not EXPECTED.search(said):
            found.append(said)

    page.on("console", hear)
    page.on("pageerror", lambda error: found.append(str(error)))
    return found


@pytest.fixture
def inside(page: Page, server: ServerProcess, ada: Room, room: str, faults: list[str]) -> Iterator[Page]:
    """Afterwards nothing has run, and nothing had to be refused."""
    come_in(page, server.url, "eve", room)
    yield page
    assert page.evaluate("window.hacked") is None
    assert faults == []


def over(job: JobHandle) -> JobHandle:
    with suppress(JobFailed):
        job.result(timeout=20)
    return job


def unfold_all(page: Page) -> None:
    folded = page.get_by_role("main").get_by_role("button", expanded=False)
    while folded.count():
        folded.first.click()


def see(page: Page, path: str, text: str = SCRIPT) -> None:
    page.goto(page.url.partition("/rooms/")[0] + path)
    expect(page.get_by_text(text, exact=False).first).to_be_visible()
    assert page.evaluate("window.hacked") is None


def test_the_rooms_and_the_frame_show_a_title_as_it_is(inside: Page, room: str) -> None:
    expect(inside.get_by_role("banner").get_by_role("link", name=SCRIPT)).to_be_visible()
    expect(inside).to_have_title(f"{SCRIPT} · Workroom")

    see(inside, "/")


def test_descriptions_titles_choices_and_defaults_are_shown_as_they_are(inside: Page) -> None:
    expect(inside.get_by_text("Reads well. <script>").first).to_be_visible()
    inside.keyboard.press("Control+k")
    inside.get_by_label("Go to").fill("Hostile")
    expect(inside.get_by_role("dialog").get_by_text("Reads well.")).to_be_visible()
    inside.keyboard.press("Enter")
    inside.locator("form").wait_for()

    for title in ("Text", "Choice", "Size", "Inner", "Words"):
        expect(inside.get_by_text(f"{title} {SCRIPT}").first).to_be_visible()
    expect(inside.get_by_label(f"Text {SCRIPT}")).to_have_value(SCRIPT)
    inside.get_by_role("combobox", name="Choice").click()
    inside.get_by_role("option", name="another").click()
    inside.get_by_label(f"Text {SCRIPT}").fill("harmless")
    expect(run(inside)).to_contain_text("Completed")


def test_the_output_of_a_running_job_is_shown_unchanged(inside: Page) -> None:
    open_tool(inside, "Hostile")
    inside.get_by_label("Seconds").fill("60")

    panel = run(inside)

    expect(panel.get_by_role("progressbar")).to_be_visible()
    expect(panel.get_by_text(SCRIPT).first).to_be_visible()
    expect(panel.get_by_role("log")).to_have_text(SCRIPT)
    expect(panel.get_by_text("read on")).to_be_visible()
    expect(panel.locator("a[href^='javascript:']")).to_have_count(0)
    panel.get_by_role("button", name="Cancel").click()
    expect(panel).to_contain_text("Cancelled")


def test_what_a_job_left_is_shown_as_it_is(inside: Page, ada: Room, room: str) -> None:
    jobs = {kind: ada.submit(Hostile(kind=kind)) for kind in get_args(KINDS)}
    for kind, job in jobs.items():
        over(job)

        see(inside, f"/rooms/{room}/jobs/{job.id}")

        inside.wait_for_load_state("networkidle")
        unfold_all(inside)
        panel = job_panel(inside)
        expect(panel.get_by_role("log")).to_have_text(SCRIPT)
        expect(panel).to_contain_text("Failed" if kind == "failure" else "Completed")
        inside.wait_for_load_state("networkidle")
        expect(inside.locator("a[href^='javascript:']")).to_have_count(0)


def test_the_stack_trace_of_an_own_job_is_shown_as_it_is(inside: Page) -> None:
    open_tool(inside, "Hostile")
    choose(inside, "Kind", "failure")
    panel = run(inside)

    panel.get_by_role("button", name="Stack trace").click()

    expect(panel.get_by_role("alert").locator("pre")).to_contain_text(
        f"support.extensions.hostile.{SCRIPT}: {SCRIPT}"
    )


def test_the_history_and_two_jobs_side_by_side_are_shown_as_they_are(
    inside: Page, ada: Room, room: str
) -> None:
    left, right = over(ada.submit(Hostile(kind="tree"))), over(ada.submit(Hostile(kind="failure")))

    see(inside, f"/rooms/{room}/history", "Hostile")
    see(inside, f"/rooms/{room}/history?extension={PICTURE}/x&user={PICTURE}", "No matching jobs")
    inside.goto(f"{inside.url.partition('?')[0]}?compare={left.id},{right.id}")

    expect(inside.get_by_role("dialog").get_by_text(SCRIPT).first).to_be_visible()


def test_the_chat_shows_messages_and_failures_as_plain_text(inside: Page, ada: Room) -> None:
    over(ada.submit(Hostile(kind="failure")))

    inside.get_by_role("button", name="Chat").click()

    said = inside.get_by_role("log", name="Messages")
    expect(said.get_by_text(SCRIPT)).to_have_count(2)


def test_the_fleet_shows_the_name_of_a_worker_as_it_is(
    inside: Page, server: ServerProcess, room: str, start_worker: StartWorker
) -> None:
    start_worker(server, "workroom.packs.demo:Wave", room=room, name=PICTURE)

    see(inside, f"/rooms/{room}/fleet", PICTURE)


def test_a_file_of_the_room_shows_its_name_as_it_is(inside: Page, ada: Room) -> None:
    ada.upload(b"12345", name=f"{PICTURE}.bin")
    open_tool(inside, "Weigh")

    inside.get_by_role("combobox", name="Sample").click()
    inside.get_by_role("option", name=PICTURE).click()

    expect(run(inside)).to_contain_text("Completed")


def test_the_settings_of_a_room_show_its_title_as_it_is(page: Page, server: ServerProcess, room: str) -> None:
    come_in(page, server.url, "olga", room)
    page.get_by_role("button", name="Room settings").click()
    page.get_by_label("Title").fill(SCRIPT)
    page.get_by_role("button", name="Rename").click()

    expect(page.get_by_role("banner").get_by_role("link", name=SCRIPT)).to_be_visible()
    assert page.evaluate("window.hacked") is None


def test_a_file_that_is_opened_by_itself_runs_nothing(inside: Page, ada: Room, server: ServerProcess) -> None:
    job = over(ada.submit(Hostile(kind="files")))
    for each in job.artifacts():
        answer = inside.request.get(f"{server.url}/api/jobs/{job.id}/artifacts/{each['name']}?inline=true")
        assert "sandbox" in answer.headers["content-security-policy"]


class Elsewhere(BaseHTTPRequestHandler):
    """Another site, that would like to know who reads what."""

    asked: ClassVar[list[str]] = []

    def do_GET(self) -> None:
        self.asked.append(self.path)
        self.send_response(204)
        self.end_headers()

    def log_message(self, format: str, *args: object) -> None:
        """Nobody reads it."""


def test_an_image_of_another_site_is_not_requested(
    page: Page, server: ServerProcess, room: str, open_room: OpenRoom
) -> None:
    come_in(page, server.url, "eve", room)
    elsewhere = ThreadingHTTPServer(("127.0.0.1", 0), Elsewhere)
    threading.Thread(target=elsewhere.serve_forever, daemon=True).start()
    text = f"# Report\n\n![spy](http://127.0.0.1:{elsewhere.server_port}/spy.png)"
    job = over(open_room(server, room).submit(Echo(text=text)))

    page.goto(f"{server.url}/rooms/{room}/jobs/{job.id}")
    expect(page.get_by_role("heading", name="Report")).to_be_visible()
    page.wait_for_load_state("networkidle")

    assert Elsewhere.asked == []
    elsewhere.shutdown()
    elsewhere.server_close()
