"""Streams as a page reads them: Chromium's own EventSource."""

from __future__ import annotations

from typing import Any

import pytest
from playwright.sync_api import Page

from support.browser import come_in
from support.scripted_worker import MakeScriptedWorker, ScriptedWorker, fence
from support.stream_readers import events
from workroom.testing.processes import ServerProcess, eventually

Document = dict[str, Any]
LISTEN = """([url, names]) => {
    window.heard = [];
    window.source = new EventSource(url);
    for (const name of names)
        source.addEventListener(name, ({ data, lastEventId }) => {
            if (data !== undefined) heard.push({ name, id: lastEventId, data: JSON.parse(data) });
        });
}"""
NAMES = ["open", "reset", "state", "progress", "log", "preview", "artifact", "chat", "files", "end"]


class SocketListener:
    """An EventSource in a page."""

    def __init__(self, page: Page, url: str) -> None:
        self._page = page
        page.evaluate(LISTEN, [url, NAMES])

    @property
    def heard(self) -> list[Document]:
        heard: list[Document] = self._page.evaluate("heard")
        return heard

    def named(self, name: str) -> list[Document]:
        return [each["data"] for each in self.heard if each["name"] == name]

    def until(self, state: str) -> None:
        """`CLOSED`: the source was told not to come back. `CONNECTING`: it tries to."""
        check = f"source.readyState === EventSource.{state}"
        eventually(lambda: self._page.evaluate(check), what=check)


def submit(scripted: ScriptedWorker) -> Document:
    response = scripted.http.post("/api/rooms/demo/extensions/analysis/Scripted/submit", json={"data": {}})
    assert response.status_code == 202, response.text
    job: Document = response.json()
    return job


def history(scripted: ScriptedWorker, job: Document) -> list[Document]:
    items: list[Document] = scripted.http.get(f"/api/jobs/{job['id']}/history").json()["items"]
    return items


def hold_on(scripted: ScriptedWorker, item: Document) -> None:
    """Back on a restarted server, with what was not begun yet."""
    scripted.reconnect()
    scripted.hello([{**fence(item), "phase": "queued"}], seen=item["number"])


def test_chromium_receives_the_same_events_as_httpx_sse(
    workroom_server: ServerProcess, make_scripted_worker: MakeScriptedWorker, page: Page
) -> None:
    scripted = make_scripted_worker(workroom_server)
    job = submit(scripted)
    path = f"/api/jobs/{job['id']}/stream"
    come_in(page, workroom_server.url)
    ear = SocketListener(page, path)
    item = scripted.take()
    scripted.start(item)
    line = {
        "at": "2026-01-02T03:04:05.678Z",
        "stream": "stdout",
        "level": None,
        "text": "a\tb\u2028c",
        "seq": 1,
    }
    scripted.call("job:log", [{**fence(item), "lines": [line]}])
    scripted.call("job:progress", [{**fence(item), "fraction": 0.5, "message": "half\n\nevent: end"}])
    scripted.finish(item, "failed", error={"type": "Odd", "message": "a\nb"})
    ear.until("CLOSED")
    told = list(events(scripted.url, path, scripted.token))

    lasting = [each for each in ear.heard if each["name"] != "progress"]
    assert lasting == [
        {"name": each.event, "id": each.id, "data": each.json()} for each in told if each.event != "progress"
    ]
    assert ear.named("progress")[-1] == next(each.json() for each in told if each.event == "progress")
    assert ear.named("state") == history(scripted, job)


@pytest.mark.parametrize("how", ["kill", "stop"])
def test_chromium_goes_on_after_the_server_was_gone(
    workroom_server: ServerProcess, make_scripted_worker: MakeScriptedWorker, page: Page, how: str
) -> None:
    scripted = make_scripted_worker(workroom_server)
    job = submit(scripted)
    item = scripted.take()
    come_in(page, workroom_server.url)
    ear = SocketListener(page, f"/api/jobs/{job['id']}/stream")
    eventually(lambda: len(ear.named("state")) == 2, what="two steps")

    scripted.drop()
    getattr(workroom_server.process, how)()
    ear.until("CONNECTING")
    workroom_server.restart()
    hold_on(scripted, item)
    scripted.start(item)
    scripted.finish(item)
    ear.until("CLOSED")

    assert ear.named("state") == history(scripted, job)
    assert [each["name"] for each in ear.heard].count("end") == 1


def test_chromium_goes_on_in_a_room_after_the_server_was_killed(
    workroom_server: ServerProcess, make_scripted_worker: MakeScriptedWorker, page: Page
) -> None:
    scripted = make_scripted_worker(workroom_server)
    come_in(page, workroom_server.url)
    ear = SocketListener(page, "/api/rooms/demo/stream")
    eventually(lambda: ear.named("open"), what="the opening")
    job = submit(scripted)
    item = scripted.take()
    eventually(lambda: len(ear.named("state")) == 2, what="two steps")

    scripted.drop()
    workroom_server.kill()
    workroom_server.restart()
    hold_on(scripted, item)
    scripted.http.post("/api/rooms/demo/chat", json={"text": "are you there?"})
    scripted.start(item)
    scripted.finish(item)
    scripted.http.post("/api/rooms/demo/chat", json={"text": "yes"})
    eventually(lambda: len(ear.named("chat")) == 2, what="what was said")

    assert ear.named("state") == history(scripted, job)
    assert [said["text"] for said in ear.named("chat")] == ["are you there?", "yes"]
    assert [each["name"] for each in ear.heard].count("open") == 1


def test_a_page_without_a_cookie_streams_with_a_ticket_once(
    workroom_server: ServerProcess, make_scripted_worker: MakeScriptedWorker, page: Page
) -> None:
    scripted = make_scripted_worker(workroom_server)
    job = submit(scripted)
    scripted.finish(scripted.take(), "failed", error={"type": "Odd", "message": "no"})
    ticket = scripted.http.post("/api/stream-ticket").json()["ticket"]
    path = f"/api/jobs/{job['id']}/stream?ticket={ticket}"
    page.goto(workroom_server.url)
    ear = SocketListener(page, path)
    ear.until("CLOSED")

    assert ear.named("state") == history(scripted, job)
    ear = SocketListener(page, path)
    ear.until("CLOSED")
    assert ear.heard == []
