"""Streams as a page reads them: Chromium's own EventSource."""

from __future__ import annotations

from typing import Any

import pytest
from playwright.sync_api import Page

from browsing import come_in
from listening import events
from puppet import MakePuppet, Puppet, fence
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


class Ear:
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


def submit(puppet: Puppet) -> Document:
    response = puppet.http.post("/api/rooms/demo/extensions/analysis/Puppet/submit", json={"data": {}})
    assert response.status_code == 202, response.text
    job: Document = response.json()
    return job


def history(puppet: Puppet, job: Document) -> list[Document]:
    items: list[Document] = puppet.http.get(f"/api/jobs/{job['id']}/history").json()["items"]
    return items


def hold_on(puppet: Puppet, item: Document) -> None:
    """Back on a restarted server, with what was not begun yet."""
    puppet.reconnect()
    puppet.hello([{**fence(item), "phase": "queued"}], seen=item["number"])


def test_chromium_hears_what_httpx_sse_hears(
    workroom_server: ServerProcess, make_puppet: MakePuppet, page: Page
) -> None:
    puppet = make_puppet(workroom_server)
    job = submit(puppet)
    path = f"/api/jobs/{job['id']}/stream"
    come_in(page, workroom_server.url)
    ear = Ear(page, path)
    item = puppet.take()
    puppet.start(item)
    line = {
        "at": "2026-01-02T03:04:05.678Z",
        "stream": "stdout",
        "level": None,
        "text": "a\tb\u2028c",
        "seq": 1,
    }
    puppet.call("job:log", [{**fence(item), "lines": [line]}])
    puppet.call("job:progress", [{**fence(item), "fraction": 0.5, "message": "half\n\nevent: end"}])
    puppet.finish(item, "failed", error={"type": "Odd", "message": "a\nb"})
    ear.until("CLOSED")
    told = list(events(puppet.url, path, puppet.token))

    lasting = [each for each in ear.heard if each["name"] != "progress"]
    assert lasting == [
        {"name": each.event, "id": each.id, "data": each.json()} for each in told if each.event != "progress"
    ]
    assert ear.named("progress")[-1] == next(each.json() for each in told if each.event == "progress")
    assert ear.named("state") == history(puppet, job)


@pytest.mark.parametrize("how", ["kill", "stop"])
def test_chromium_goes_on_after_the_server_was_gone(
    workroom_server: ServerProcess, make_puppet: MakePuppet, page: Page, how: str
) -> None:
    puppet = make_puppet(workroom_server)
    job = submit(puppet)
    item = puppet.take()
    come_in(page, workroom_server.url)
    ear = Ear(page, f"/api/jobs/{job['id']}/stream")
    eventually(lambda: len(ear.named("state")) == 2, what="two steps")

    puppet.drop()
    getattr(workroom_server.process, how)()
    ear.until("CONNECTING")
    workroom_server.restart()
    hold_on(puppet, item)
    puppet.start(item)
    puppet.finish(item)
    ear.until("CLOSED")

    assert ear.named("state") == history(puppet, job)
    assert [each["name"] for each in ear.heard].count("end") == 1


def test_chromium_goes_on_in_a_room_after_the_server_was_killed(
    workroom_server: ServerProcess, make_puppet: MakePuppet, page: Page
) -> None:
    puppet = make_puppet(workroom_server)
    come_in(page, workroom_server.url)
    ear = Ear(page, "/api/rooms/demo/stream")
    eventually(lambda: ear.named("open"), what="the opening")
    job = submit(puppet)
    item = puppet.take()
    eventually(lambda: len(ear.named("state")) == 2, what="two steps")

    puppet.drop()
    workroom_server.kill()
    workroom_server.restart()
    hold_on(puppet, item)
    puppet.http.post("/api/rooms/demo/chat", json={"text": "are you there?"})
    puppet.start(item)
    puppet.finish(item)
    puppet.http.post("/api/rooms/demo/chat", json={"text": "yes"})
    eventually(lambda: len(ear.named("chat")) == 2, what="what was said")

    assert ear.named("state") == history(puppet, job)
    assert [said["text"] for said in ear.named("chat")] == ["are you there?", "yes"]
    assert [each["name"] for each in ear.heard].count("open") == 1


def test_a_page_without_a_cookie_hears_by_a_ticket_once(
    workroom_server: ServerProcess, make_puppet: MakePuppet, page: Page
) -> None:
    puppet = make_puppet(workroom_server)
    job = submit(puppet)
    puppet.finish(puppet.take(), "failed", error={"type": "Odd", "message": "no"})
    ticket = puppet.http.post("/api/stream-ticket").json()["ticket"]
    path = f"/api/jobs/{job['id']}/stream?ticket={ticket}"
    page.goto(workroom_server.url)
    ear = Ear(page, path)
    ear.until("CLOSED")

    assert ear.named("state") == history(puppet, job)
    ear = Ear(page, path)
    ear.until("CLOSED")
    assert ear.heard == []
