"""What a running job shows of the atoms is drawn while it runs."""

from __future__ import annotations

from playwright.sync_api import Page, expect

from support.view_page import CAMERA, Picture, atoms, open_view
from workroom import Room
from workroom.testing.fixtures import StartWorker
from workroom.testing.processes import ServerProcess, eventually


def test_atoms_are_drawn_where_a_running_job_moves_them(
    page: Page, server: ServerProcess, lab: Room, room: str, start_worker: StartWorker
) -> None:
    lab.frames.append(atoms([8], [[0, 0, 0]]))
    lab.camera = CAMERA
    picture = Picture(open_view(page, server.url, room))
    expect(picture.canvas).to_have_attribute("data-camera", "0.000 0.000 0.000 1.000 10.000")
    empty, oxygen = picture.colour(0, 2), picture.colour(0, 0)
    assert empty != oxygen

    start_worker(server, "support.extensions.moving:Push", room=room)
    job = lab.submit_named("modifiers", "Push", {})
    badge = page.get_by_text("Preview of Push")
    expect(badge).to_be_visible()
    eventually(lambda: (picture.colour(0, 2), picture.colour(0, 0)) == (oxygen, empty), what="the preview")
    assert lab.frames[0]["positions"].tolist() == [[0, 0, 0]]

    job.cancel()
    expect(badge).to_have_count(0)
    eventually(lambda: (picture.colour(0, 2), picture.colour(0, 0)) == (empty, oxygen), what="the frame")
