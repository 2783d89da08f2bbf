"""What a notebook shows of a room and of a job, without a notebook."""

from __future__ import annotations

import base64
import io
import re
from collections.abc import Iterator

import numpy as np
import pytest
from PIL import Image

from support.extensions.samples import Echo
from support.sync_rooms import Enter, Serve
from workroom import Extension, Room
from workroom.errors import JobFailed
from workroom.testing.processes import ServerProcess

SITE = "https://hub.example.org"
WATER = {"numbers": np.array([8, 1, 1]), "positions": np.eye(3), "cell": np.eye(3) * 5}


class Fails(Extension, category="analysis"):
    def run(self) -> None:
        raise ValueError("not <b>today</b>")


@pytest.fixture(scope="module")
def framed(tmp_path_factory: pytest.TempPathFactory) -> Iterator[ServerProcess]:
    """A server whose page may be shown in frames of a site."""
    with ServerProcess(tmp_path_factory.mktemp("framed"), frame_ancestors=SITE) as server:
        yield server


def test_a_room_is_a_picture_with_a_link_where_frames_are_not_allowed(enter: Enter, name: str) -> None:
    room = enter()
    room.frames.extend([WATER, WATER])
    room.step = 1

    shown = room._repr_mimebundle_()

    assert shown["text/plain"] == f"Room '{name}' at {room.view_url}: frame 1 of 2, 3 atoms"
    assert f'<a href="{room.view_url}"' in shown["text/html"]
    assert "<iframe" not in shown["text/html"]
    assert "<script" not in shown["text/html"]
    with Image.open(io.BytesIO(base64.b64decode(shown["image/png"]))) as picture:
        assert picture.size == (480, 320)
    assert shown["image/png"] in shown["text/html"]
    assert room._repr_html_() == shown["text/html"]


def test_a_frame_has_a_link_of_its_own_each_time(framed: ServerProcess, name: str) -> None:
    with Room(name, framed.url, user="ada") as room:
        room.frames.append(WATER)
        first, second = (room._repr_html_() for _ in range(2))

    links = [re.search(r'<iframe [^>]*src="([^"]+)"', each) for each in (first, second)]
    assert links[0] is not None
    assert links[1] is not None
    assert links[0][1] != links[1][1]
    assert links[0][1].startswith(f"{room.view_url}#ticket=")


def test_names_and_messages_are_text(framed: ServerProcess) -> None:
    with Room("a-room", framed.url, user="ada", token="<script>alert(1)</script>") as room:
        shown = room._repr_mimebundle_()

    assert "<script" not in shown["text/html"]
    assert room.view_url in shown["text/plain"]


def test_an_empty_room_says_so(enter: Enter) -> None:
    shown = enter()._repr_mimebundle_()

    assert shown["text/plain"].endswith(": no frames yet")
    assert "image/png" not in shown


def test_a_room_without_a_server_is_a_link(name: str) -> None:
    with Room(name, "http://127.0.0.1:9", user="ada") as room:
        shown = room._repr_mimebundle_()

    assert f"http://127.0.0.1:9/rooms/{name}/view" in shown["text/html"]
    assert repr(room) == f"<Room '{name}' at http://127.0.0.1:9/rooms/{name}/view>"


def test_a_job_is_a_line(serve: Serve, enter: Enter) -> None:
    serve(Echo)
    job = enter().submit(Echo(text="hello"))
    job.result(timeout=20)

    assert job._repr_mimebundle_()["text/plain"] == "Echo: completed"
    assert '<progress value="1">' in job._repr_mimebundle_()["text/html"]
    assert repr(job) == f"<JobHandle {job.id} Echo: completed>"


def test_the_line_of_a_failed_job_says_why(serve: Serve, enter: Enter) -> None:
    serve(Fails)
    job = enter().submit(Fails())
    with pytest.raises(JobFailed):
        job.result(timeout=20)

    assert job._repr_mimebundle_()["text/plain"] == "Fails: failed, ValueError: not <b>today</b>"
    assert "<b>" not in job._repr_mimebundle_()["text/html"]
