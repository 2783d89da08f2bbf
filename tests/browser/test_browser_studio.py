"""The Studio: order, watch, look at what was made, and go on from it."""

from __future__ import annotations

import re
from collections.abc import Iterator
from typing import Any

import pytest
from playwright.sync_api import ConsoleMessage, Page, expect

from support.browser import MakePage, come_in
from workroom.testing.processes import ServerProcess, eventually

FOLLOW = """([task_id, until]) => new Promise((resolve) => {
  const seen = [];
  const eventSource = new EventSource(`/api/task/${task_id}/stream`);
  const add = (name) => (e) => {
    if (e.data === undefined) return;
    seen.push([name, JSON.parse(e.data)]);
    if (name !== until) return;
    eventSource.close();
    resolve(seen);
  };
  eventSource.addEventListener('progress', add('progress'));
  eventSource.addEventListener('complete', add('complete'));
  eventSource.addEventListener('error', add('error'));
})"""
ORDER = """async (body) => {
  const response = await fetch(`/api/task`, {
    method: 'POST',
    headers: { 'Content-Type': 'application/json' },
    body: JSON.stringify(body),
  });
  return (await response.json()).task_id;
}"""
ELAPSED = re.compile(r"\d s · drawing")
MANY = 160
PREVIEW = re.compile("^data:image/")


@pytest.fixture(scope="module")
def server(tmp_path_factory: pytest.TempPathFactory) -> Iterator[ServerProcess]:
    with ServerProcess(tmp_path_factory.mktemp("data"), packs="media", workers=1, slots=2) as server:
        yield server


def open_studio(page: Page, server: ServerProcess, room: str, name: str = "ada") -> None:
    come_in(page, server.url, name, room)
    page.goto(f"{server.url}/rooms/{room}/view/media/studio")
    page.get_by_role("heading", name="Studio", level=1).wait_for()


def generate(page: Page, prompt: str, button: str = "Generate") -> None:
    page.get_by_label("Prompt", exact=True).fill(prompt)
    page.get_by_role("button", name=button, exact=True).click()


def order(page: Page, server: ServerProcess, room: str, **params: Any) -> None:
    headers = {"Origin": server.url}
    assert page.request.post(f"{server.url}/api/task", data=body(room, **params), headers=headers).ok


def body(room: str, **params: Any) -> dict[str, Any]:
    payload = {"workflow_run_id": room, "provider": "local", "params": params}
    return {"actor": "media", "payload": payload}


def waiting_jobs(page: Page, server: ServerProcess, room: str) -> list[str]:
    """The ids of pending jobs, in the order in which they start."""
    found = page.request.get(f"{server.url}/api/rooms/{room}/jobs", params={"status": "pending"}).json()
    return [each["id"] for each in sorted(found["items"], key=lambda each: each["queue_position"])]


def test_a_picture_is_ordered_looked_at_and_used_for_the_next(
    page: Page, server: ServerProcess, room: str
) -> None:
    errors: list[str] = []
    page.on("console", lambda message: errors.extend(_error(message)))
    open_studio(page, server, room)
    expect(page.get_by_text("Nothing here yet")).to_be_visible()
    expect(page.get_by_text("Costs nothing")).to_be_visible()
    generate(page, "frost on a window")
    gallery = page.get_by_role("region", name="Gallery")
    gallery.get_by_role("button", name="frost on a window").click()

    box = page.get_by_role("dialog")
    expect(box.get_by_role("img", name="frost on a window")).to_be_visible()
    expect(box.get_by_role("cell", name="local", exact=True)).to_be_visible()
    box.get_by_role("button", name="Vary").click()
    expect(page.get_by_text("Begins with this image")).to_be_visible()
    generate(page, "the same in gold")
    gallery.get_by_role("button", name="the same in gold").click()
    expect(box.get_by_text("Began with")).to_be_visible()
    page.keyboard.press("ArrowRight")
    expect(box.get_by_text("Led to")).to_be_visible()
    page.keyboard.press("Escape")
    expect(box).to_have_count(0)

    page.get_by_label("Search in prompts").fill("gold")
    expect(gallery.get_by_role("button", name="frost on a window")).to_have_count(0)
    gallery.get_by_role("button", name="the same in gold").click()
    box.get_by_role("button", name="Began with: show it").click()  # it is not among what was found
    expect(box.get_by_role("img", name="frost on a window")).to_be_visible()
    assert errors == []


def test_a_reload_and_a_second_browser_see_what_is_being_made(
    make_page: MakePage, server: ServerProcess, room: str
) -> None:
    page, other = make_page(), make_page()
    open_studio(page, server, room)
    order(page, server, room, prompt="a slow river", width=64, height=64, pause=0.25)
    making = page.get_by_role("region", name="Being made")
    expect(making.get_by_text("a slow river")).to_be_visible()
    tile = making.get_by_role("listitem")
    expect(tile.get_by_text(ELAPSED)).to_be_visible()
    expect(tile.locator("img")).to_have_attribute("src", PREVIEW)
    page.reload()
    expect(making.get_by_text("a slow river")).to_be_visible()
    open_studio(other, server, room, "bob")

    for each in (page, other):
        gallery = each.get_by_role("region", name="Gallery")
        expect(gallery.get_by_role("button", name="a slow river")).to_be_visible()
        expect(each.get_by_role("region", name="Being made")).to_have_count(0)


def test_a_running_picture_can_be_cancelled_and_a_failure_shows_its_reason(
    page: Page, server: ServerProcess, room: str
) -> None:
    open_studio(page, server, room)
    order(page, server, room, prompt="never to be seen", width=64, height=64, pause=60)
    page.get_by_role("button", name="Cancel never to be seen").click()
    expect(page.get_by_role("region", name="Being made")).to_have_count(0)

    order(page, server, room, prompt="too small", width=3)
    page.get_by_role("button", name="Failed (1)").click()
    expect(page.get_by_text("64 to 1536 pixels")).to_be_visible()


def test_a_picture_becomes_a_video_from_the_lightbox(page: Page, server: ServerProcess, room: str) -> None:
    open_studio(page, server, room)
    order(page, server, room, prompt="a calm sea", width=64, height=64)
    gallery = page.get_by_role("region", name="Gallery")
    gallery.get_by_role("button", name="a calm sea").click()
    box = page.get_by_role("dialog")
    for name in ("Image from image", "Upscale", "Vary"):
        expect(box.get_by_role("button", name=name, exact=True)).to_be_visible()
    box.get_by_role("button", name="Video from image").click()
    expect(page.get_by_text("Begins with this image")).to_be_visible()
    generate(page, "it begins to storm")
    gallery.get_by_role("button", name="it begins to storm").click()
    expect(box.get_by_role("cell", name="Video from image")).to_be_visible()
    expect(box.get_by_role("img", name="it begins to storm")).to_be_visible()
    expect(box.get_by_text("Began with")).to_be_visible()


def test_only_the_pictures_in_sight_are_drawn(page: Page, server: ServerProcess, room: str) -> None:
    """Many records of one picture stand for many pictures."""
    open_studio(page, server, room)
    order(page, server, room, prompt="the only one", width=96, height=64)
    gallery = page.get_by_role("region", name="Gallery")
    expect(gallery.get_by_role("button", name="the only one")).to_be_visible()
    path = f"{server.url}/api/rooms/{room}/records/media-content"
    (record,) = page.request.get(path).json()["items"]
    for number in range(MANY):
        body = {**record["body"], "id": f"{record['id']}{number}", "request": named(record, f"no. {number}")}
        answer = page.request.put(f"{path}/{body['id']}", data={"body": body}, headers={"Origin": server.url})
        assert answer.ok, answer.text()
    page.reload()
    expect(gallery.get_by_role("button", name=f"no. {MANY - 1}", exact=True)).to_be_visible()
    pictures = gallery.get_by_role("button")
    expect(gallery.get_by_role("button", name="the only one")).to_have_count(0)
    assert pictures.count() < MANY / 2

    def scrolled() -> bool:
        page.evaluate("scrollTo(0, document.body.scrollHeight)")
        return gallery.get_by_role("button", name="the only one").is_visible()

    eventually(scrolled, 30, "the first picture, at the end")
    assert pictures.count() < MANY / 2
    expect(gallery.get_by_role("button", name=f"no. {MANY - 1}", exact=True)).to_have_count(0)


def named(record: Any, prompt: str) -> dict[str, Any]:
    return {**record["body"]["request"], "prompt": prompt}


def test_an_image_is_dropped_in(page: Page, server: ServerProcess, room: str) -> None:
    open_studio(page, server, room)
    dropped = page.evaluate_handle(
        """async () => {
          const canvas = new OffscreenCanvas(64, 64);
          canvas.getContext("2d").fillRect(8, 8, 32, 32);
          const data = new DataTransfer();
          data.items.add(new File([await canvas.convertToBlob()], "square.png", { type: "image/png" }));
          return data;
        }"""
    )
    target = page.get_by_role("heading", name="Studio", level=1)
    target.dispatch_event("dragover", {"dataTransfer": dropped})
    target.dispatch_event("drop", {"dataTransfer": dropped})
    expect(page.get_by_text("Begins with this image")).to_be_visible()
    generate(page, "a square, and more")
    expect(page.get_by_role("region", name="Gallery").get_by_role("button")).to_have_count(1)


def test_the_lines_of_a_simple_page_follow_a_task_through_a_reload(
    page: Page, server: ServerProcess, room: str
) -> None:
    open_studio(page, server, room)
    task = page.evaluate(ORDER, body(room, prompt="a fox", width=64, height=64, pause=0.2))
    first = page.evaluate(FOLLOW, [task, "progress"])
    page.reload()
    seen = page.evaluate(FOLLOW, [task, "complete"])

    assert {"elapsed_ms", "message"} <= set(first[0][1]["progress"])
    assert {name for name, _ in seen} == {"progress", "complete"}
    assert seen[-1][0] == "complete"
    assert seen[-1][1]["result"]["urls"][0].startswith(f"/workflow/{room}/media/gc_")


def test_the_lines_of_a_simple_page_get_the_error_of_a_task(
    page: Page, server: ServerProcess, room: str
) -> None:
    open_studio(page, server, room)
    task = page.evaluate(ORDER, body(room, prompt="too small", width=3))
    name, document = page.evaluate(FOLLOW, [task, "error"])[-1]

    assert name == "error"
    assert document["error"]["type"] == "BadRequest"
    assert "64 to 1536 pixels" in document["error"]["message"]


def test_my_queue_is_paused_reordered_and_cleared(page: Page, server: ServerProcess, room: str) -> None:
    open_studio(page, server, room)
    for number in range(2):  # they occupy the provider, and are not in the queue
        order(page, server, room, prompt=f"busy {number}", width=64, height=64, pause=60)
    making = page.get_by_role("region", name="Being made")
    expect(making.get_by_role("listitem").filter(has_text="drawing")).to_have_count(2)
    expect(page.get_by_role("status").filter(has_text="2 of 2 busy")).to_be_visible()
    page.get_by_label("Seeds").fill("1-3")
    generate(page, "moss", button="Generate 3 times")
    waiting = making.get_by_role("listitem").filter(has_text="moss")
    expect(waiting.filter(has_text="next")).to_have_count(1)
    expect(waiting.filter(has_text="2 ahead")).to_have_count(1)
    expect(page.get_by_role("status").filter(has_text="2 of 2 busy, 3 ahead")).to_be_visible()

    before = waiting_jobs(page, server, room)
    page.get_by_role("button", name="Move moss earlier").last.click()
    eventually(
        lambda: waiting_jobs(page, server, room) == [before[0], before[2], before[1]], 20, "the new order"
    )

    page.get_by_role("button", name="Pause my queue").click()
    expect(page.get_by_text("Your queue is paused")).to_be_visible()
    expect(waiting.filter(has_text="paused")).to_have_count(3)
    for number in range(2):
        page.get_by_role("button", name=f"Cancel busy {number}").click()
    expect(making.get_by_role("listitem")).to_have_count(3)
    page.reload()
    expect(waiting.filter(has_text="paused")).to_have_count(3)

    page.get_by_role("button", name="Resume my queue").click()
    gallery = page.get_by_role("region", name="Gallery")
    expect(gallery.get_by_role("button", name="moss")).to_have_count(3, timeout=30_000)
    order(page, server, room, prompt="one more", width=64, height=64, pause=60)
    order(page, server, room, prompt="another", width=64, height=64, pause=60)
    generate(page, "never to be seen", button="Generate 3 times")
    page.get_by_role("button", name="Clear my queue (3)").click()
    expect(making.get_by_role("listitem")).to_have_count(2)
    for prompt in ("one more", "another"):
        page.get_by_role("button", name=f"Cancel {prompt}").click()


def test_earlier_prompts_parameters_and_a_run_again_with_edits(
    page: Page, server: ServerProcess, room: str
) -> None:
    open_studio(page, server, room)
    page.get_by_label("Width").fill("96")
    page.get_by_label("Height").fill("64")
    page.get_by_role("textbox", name="Count").fill("2")
    generate(page, "a garden of glass")
    pictures = page.get_by_role("region", name="Gallery").get_by_role("button")
    expect(pictures).to_have_count(2)
    page.get_by_label("Prompt", exact=True).fill("")
    page.get_by_role("button", name="Earlier prompts").click()
    page.get_by_role("menuitem", name="a garden of glass").click()
    expect(page.get_by_label("Prompt", exact=True)).to_have_value("a garden of glass")

    pictures.first.press("Enter")
    box = page.get_by_role("dialog")
    expect(box.get_by_role("cell", name="96 \u00d7 64")).to_be_visible()
    box.get_by_role("button", name="Edit and run again").click()
    expect(page.get_by_label("Width")).to_have_value("96")
    page.get_by_role("textbox", name="Count").fill("1")
    generate(page, "a garden of stone")
    expect(pictures).to_have_count(3)
    expect(pictures.first).to_have_attribute("title", "a garden of stone")


def test_the_page_shows_what_a_restarted_server_goes_on_with(
    page: Page, tmp_path_factory: pytest.TempPathFactory
) -> None:
    with ServerProcess(tmp_path_factory.mktemp("again"), packs="media", workers=1, rooms="lab") as server:
        open_studio(page, server, "lab")
        order(page, server, "lab", prompt="a slow river", width=64, height=64, pause=0.3)
        making = page.get_by_role("region", name="Being made")
        expect(making.get_by_text("drawing")).to_be_visible()
        server.kill()
        server.restart()

        gallery = page.get_by_role("region", name="Gallery")
        expect(gallery.get_by_role("button", name="a slow river")).to_be_visible(timeout=90_000)
        expect(making).to_have_count(0)


@pytest.mark.parametrize(
    ("width", "scheme"),
    [
        (1440, "light"),
        (390, "dark"),
        pytest.param(1440, "dark", marks=pytest.mark.full),
        pytest.param(390, "light", marks=pytest.mark.full),
    ],
)
def test_the_page_fits_its_window(
    make_page: MakePage, server: ServerProcess, room: str, width: int, scheme: Any
) -> None:
    page = make_page(viewport={"width": width, "height": 900}, color_scheme=scheme)
    open_studio(page, server, room)
    order(page, server, room, prompt="moss", width=128, height=64, count=3)
    expect(page.get_by_role("region", name="Gallery").get_by_role("button")).to_have_count(3)

    assert page.evaluate("document.documentElement.scrollWidth <= window.innerWidth")
    boxes = [
        each.bounding_box() for each in page.get_by_role("region", name="Gallery").get_by_role("button").all()
    ]
    for box in boxes:
        assert box is not None
        assert 0 <= box["x"] <= box["x"] + box["width"] <= width
    rows = {(round(box["x"]), round(box["y"])) for box in boxes if box is not None}
    assert len(rows) == 3


def _error(message: ConsoleMessage) -> list[str]:
    return [message.text] if message.type == "error" else []
