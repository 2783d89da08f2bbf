"""A job asks, and somebody else answers in the page."""

from __future__ import annotations

from collections.abc import Iterator
from pathlib import Path

import httpx
import pytest
from playwright.sync_api import Page, expect

from support.browser import MakePage, choose, come_in
from support.extensions.questions import Confirm, Descend
from workroom import Room
from workroom.testing.guests import guest_token
from workroom.testing.processes import ServerProcess, eventually


@pytest.fixture(scope="module")
def server(tmp_path_factory: pytest.TempPathFactory) -> Iterator[ServerProcess]:
    data_dir: Path = tmp_path_factory.mktemp("data")
    module = "support.extensions.questions"
    extensions = (f"{module}:Confirm", f"{module}:Descend")
    with ServerProcess(data_dir, *extensions, workers=1, slots=1) as server:
        yield server


def test_a_question_is_answered_by_a_second_person(
    page: Page, make_page: MakePage, server: ServerProcess, room: str
) -> None:
    come_in(page, server.url, "ada", room)
    with Room(room, server.url, user="carl") as carl:
        job = carl.submit(Confirm(text="Keep this structure?"))
        page.goto(f"{server.url}/rooms/{room}/jobs/{job.id}")
        status = page.get_by_role("region", name="Job").get_by_role("status")
        expect(status).to_contain_text("Waiting")
        expect(status).to_contain_text("The job asked a question")
        bobs = make_page()
        come_in(bobs, server.url, "bob", room)
        questions = bobs.get_by_role("region", name="Open questions")
        expect(questions).to_contain_text("Keep this structure?")
        expect(questions).to_contain_text("carl")
        choose(bobs, "Verdict", "discard")
        questions.get_by_label("Note").fill("too hot")
        questions.get_by_role("button", name="Answer").click()

        expect(questions).to_have_count(0)
        assert job.result(timeout=20) == "discard: too hot"
    asked = page.get_by_role("region", name="Questions")
    expect(asked).to_contain_text("Answered by bob")
    expect(asked).to_contain_text("too hot")
    expect(page.get_by_role("region", name="Job")).to_contain_text("Completed")


def test_a_question_that_was_answered_elsewhere_meanwhile_shows_by_whom(
    page: Page, server: ServerProcess, room: str
) -> None:
    come_in(page, server.url, "ada", room)
    with Room(room, server.url, user="carl") as carl:
        job = carl.submit(Confirm())
        page.goto(f"{server.url}/rooms/{room}/jobs/{job.id}")
        asked = page.get_by_role("region", name="Questions")
        expect(asked.get_by_role("button", name="Answer", exact=True)).to_be_visible()
        job.answer(1, {"note": "mine"})

        expect(asked).to_contain_text("Answered by carl")
        expect(asked.get_by_role("button", name="Answer", exact=True)).to_have_count(0)
        job.result(timeout=20)


def test_a_jobs_page_links_its_parent_and_its_children(page: Page, server: ServerProcess, room: str) -> None:
    come_in(page, server.url, "ada", room)
    with Room(room, server.url, user="carl") as carl:
        job = carl.submit(Descend(depth=1))
        assert job.result(timeout=30) == 1
        child = next(each for each in carl.jobs() if each["parent"] == job.id)
    page.goto(f"{server.url}/rooms/{room}/jobs/{job.id}")
    family = page.get_by_role("list", name="Related jobs")
    expect(family).to_contain_text("submitted by this job")
    family.get_by_role("link").click()

    eventually(lambda: page.url.endswith(child["id"]))
    expect(page.get_by_role("list", name="Related jobs")).to_contain_text("submitted this job")


def test_a_viewer_reads_a_question_and_cannot_answer_it(page: Page, server: ServerProcess, room: str) -> None:
    closed = f"{room}-closed"
    with Room(closed, server.url, user="olga", create=True) as olga:
        job = olga.submit(Confirm())
        bearer = {"Authorization": f"Bearer {guest_token(server.url, 'olga')}"}
        changed = httpx.patch(f"{server.url}/api/rooms/{closed}", json={"private": True}, headers=bearer)
        assert changed.status_code == 200
        come_in(page, server.url, "vera", room)
        page.goto(olga.invite(role="viewer"))
        expect(page.get_by_text("view only")).to_be_visible()
        page.goto(f"{server.url}/rooms/{closed}/jobs/{job.id}")

        asked = page.get_by_role("region", name="Questions")
        expect(asked).to_contain_text("Keep this structure?")
        expect(asked.get_by_role("button")).to_have_count(0)
        job.cancel()
