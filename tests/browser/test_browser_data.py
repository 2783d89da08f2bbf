"""The data of a room: frames, locks, versions and documents, live, for everybody, on any screen."""

from __future__ import annotations

import math
from collections.abc import Iterator
from typing import Any

import httpx
import numpy as np
import pytest
from playwright.sync_api import ConsoleMessage, Locator, Page, expect

from support.browser import MakePage, come_in
from support.frame_messages import encode
from support.looker import Looker
from workroom.testing.guests import guest_token
from workroom.testing.processes import ServerProcess

WIDE, PHONE = (1440, 900), (390, 844)


def frames(count: int, first: int = 0) -> bytes:
    numbers = range(first, first + count)
    return encode(
        count,
        stack={"positions": np.array([np.full((20, 3), number, "<f4") for number in numbers])},
        values={
            "info.energy": [math.sin(number / 5) for number in numbers],
            "info.step": list(numbers),
            "info.name": [f"frame {number}" for number in numbers],
        },
    )


class Somebody:
    """A member of the room who uses REST."""

    def __init__(self, server: ServerProcess, room: str, name: str = "mia") -> None:
        self.name = name
        headers = {"Authorization": f"Bearer {guest_token(server.url, name)}"}
        self.http = httpx.Client(base_url=f"{server.url}/api/rooms/{room}/", headers=headers, timeout=20)

    def append(self, message: bytes, summary: str = "") -> None:
        params = {"op": "append", **({"summary": summary} if summary else {})}
        self.http.post("frames", params=params, content=message).raise_for_status()

    def write(self, key: str, value: Any) -> None:
        self.http.put(f"state/{key}", json=value).raise_for_status()

    def read(self, key: str) -> Any:
        return self.http.get(f"state/{key}").json()

    def lock(self, message: str) -> None:
        body = {"token": "a-token-that-nobody-knows", "message": message, "ttl": 300}
        self.http.post("locks/frames", json=body).raise_for_status()


@pytest.fixture(scope="module")
def workers() -> int:
    return 0


@pytest.fixture
def data(page: Page, server: ServerProcess, room: str) -> Iterator[Page]:
    """Olga's room on its data page. There are no errors in its console."""
    errors: list[ConsoleMessage] = []
    page.on("console", lambda message: errors.extend([message] if message.type == "error" else []))
    come_in(page, server.url, "olga", room)
    page.get_by_role("link", name="Data", exact=True).click()
    page.get_by_role("heading", name="Data", level=1).wait_for()
    yield page
    assert [each.text for each in errors] == []


@pytest.fixture
def mia(data: Page, server: ServerProcess, room: str) -> Iterator[Somebody]:
    somebody = Somebody(server, room)
    with somebody.http:
        yield somebody


def part(page: Page, name: str) -> Locator:
    return page.get_by_role("region", name=name, exact=True)


def test_frames_are_shown_with_their_keys_and_curves_and_grow_as_they_are_added(
    data: Page, mia: Somebody
) -> None:
    shown = part(data, "Frames")
    expect(shown.get_by_text("This room has no frames.")).to_be_visible()
    mia.append(frames(100), "Load a trajectory")

    expect(shown.get_by_text("100 frames")).to_be_visible()
    row = shown.get_by_role("row", name="positions")
    expect(row).to_contain_text("float32")
    expect(row).to_contain_text("20 × 3")  # noqa: RUF001
    expect(shown.get_by_role("img", name="info.energy: -1 to 0.9996")).to_be_visible()
    expect(shown.get_by_role("img", name="info.step: 0 to 99")).to_be_visible()
    expect(shown.get_by_role("row", name="info.name").get_by_role("img")).to_have_count(0)

    mia.append(frames(50, 100))
    expect(shown.get_by_text("150 frames")).to_be_visible()
    expect(shown.get_by_role("img", name="info.step: 0 to 149")).to_be_visible()
    expect(part(data, "Versions").get_by_text("Load a trajectory")).to_be_visible()


def test_a_curve_of_many_frames_has_few_points(data: Page, mia: Somebody) -> None:
    with data.expect_response(lambda response: "frames/columns" in response.url) as fetched:
        mia.append(encode(10_000, values={"info.step": list(range(10_000))}))
    expect(part(data, "Frames").get_by_role("img", name="info.step")).to_be_visible()

    assert "step=5" in fetched.value.url
    assert len(fetched.value.body()) < 20_000


def test_changes_are_undone_redone_and_restored(data: Page, mia: Somebody) -> None:
    mia.append(frames(3), "First frames")
    mia.append(frames(2, 3), "More frames")
    shown, versions = part(data, "Frames"), part(data, "Versions")
    expect(shown.get_by_text("5 frames")).to_be_visible()

    versions.get_by_role("button", name="Undo").click()
    expect(shown.get_by_text("3 frames")).to_be_visible()
    versions.get_by_role("button", name="Redo").click()
    expect(shown.get_by_text("5 frames")).to_be_visible()
    data.keyboard.press("Control+z")
    expect(shown.get_by_text("3 frames")).to_be_visible()
    data.keyboard.press("Control+Shift+z")
    expect(shown.get_by_text("5 frames")).to_be_visible()
    first = versions.get_by_role("listitem").filter(has_text="First frames").first
    first.get_by_role("button", name="Restore version").click()
    expect(shown.get_by_text("3 frames")).to_be_visible()


def test_a_lock_is_shown_with_who_holds_it_and_why_and_the_owner_breaks_it(
    data: Page, mia: Somebody, make_page: MakePage, server: ServerProcess, room: str
) -> None:
    locks = part(data, "Locks")
    expect(locks.get_by_text("Nobody holds a lock.")).to_be_visible()
    mia.lock("Uploading 1000 frames")
    expect(locks.get_by_text("Uploading 1000 frames")).to_be_visible()
    expect(locks.get_by_role("listitem")).to_contain_text("is locked by mia")
    other = make_page()
    come_in(other, server.url, "nora", room)
    other.goto(f"{server.url}/rooms/{room}/data")
    expect(part(other, "Locks").get_by_text("Uploading 1000 frames")).to_be_visible()
    expect(part(other, "Locks").get_by_role("button")).to_have_count(0)

    locks.get_by_role("button", name="Break the lock on frames").click()
    for page in (data, other):
        expect(part(page, "Locks").get_by_text("Nobody holds a lock.")).to_be_visible()


def test_a_document_is_edited_and_nobody_is_overwritten(data: Page, mia: Somebody) -> None:
    mia.write("metadata", {"author": "mia"})
    documents = part(data, "Documents")
    documents.get_by_role("button", name="metadata").click()
    documents.get_by_role("button", name="Edit metadata").click()
    text = documents.get_by_label("Value of metadata")
    text.fill("{")
    expect(documents.get_by_text("This is not valid JSON.")).to_be_visible()
    text.fill('{"author": "olga"}')
    mia.write("metadata", {"author": "both"})
    expect(documents.get_by_role("alert")).to_contain_text("Somebody else changed this document.")
    expect(documents.get_by_role("button", name="Save")).to_be_disabled()

    documents.get_by_role("button", name="Load theirs").click()
    expect(text).to_have_value('{\n  "author": "both"\n}')
    text.fill('{"author": "all"}')
    documents.get_by_role("button", name="Save").click()
    expect(documents.get_by_role("button", name="Edit metadata")).to_be_visible()
    assert mia.read("metadata") == {"author": "all"}


def test_a_viewer_sees_the_data_and_changes_nothing(
    data: Page, mia: Somebody, make_page: MakePage, server: ServerProcess, room: str
) -> None:
    mia.append(frames(3))
    mia.write("metadata", {"a": 1})
    make_private(data, server, room)
    viewer = make_page()
    come_in(viewer, server.url, f"vic in {room}", f"{room}-own")
    user = viewer.request.get(f"{server.url}/api/users/me").json()["user"]
    headers = {"Origin": server.url}
    body = {"user": user, "role": "viewer"}
    assert data.request.post(f"{server.url}/api/rooms/{room}/members", data=body, headers=headers).ok
    viewer.goto(f"{server.url}/rooms/{room}/data")

    expect(part(viewer, "Frames").get_by_text("3 frames")).to_be_visible()
    part(viewer, "Documents").get_by_role("button", name="metadata").click()
    expect(part(viewer, "Documents").get_by_text("a:")).to_be_visible()
    for name in ("Undo", "Redo", "Edit metadata"):
        expect(viewer.get_by_role("button", name=name)).to_have_count(0)
    expect(viewer.get_by_role("button", name="Restore")).to_have_count(0)
    viewer.keyboard.press("Control+z")
    expect(part(data, "Frames").get_by_text("3 frames")).to_be_visible()


def make_private(page: Page, server: ServerProcess, room: str) -> None:
    changed = page.request.patch(
        f"{server.url}/api/rooms/{room}", data={"private": True}, headers={"Origin": server.url}
    )
    assert changed.ok


@pytest.mark.parametrize("size", [WIDE, PHONE], ids=["wide", "phone"])
def test_the_data_page_is_for_everybody(
    make_page: MakePage, server: ServerProcess, room: str, size: tuple[int, int]
) -> None:
    looker = Looker(make_page(viewport={"width": size[0], "height": size[1]}))
    come_in(looker.page, server.url, "olga", room)
    somebody = Somebody(server, room)
    with somebody.http:
        somebody.append(frames(200), "Load a trajectory")
        somebody.write("metadata", {"author": "mia", "tags": ["a", "b"]})
        somebody.write("bookmarks", {"3": "here"})
        somebody.lock("Uploading 1000 frames")
    looker.page.goto(f"{server.url}/rooms/{room}/data")
    part(looker.page, "Frames").get_by_role("img", name="info.energy").wait_for()
    looker.page.get_by_role("button", name="metadata").click()
    looker.page.get_by_role("button", name="Edit metadata").click()
    looker.look("data")

    assert not looker.found, looker.report()
