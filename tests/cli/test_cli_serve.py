"""`workroom serve` and `workroom demo`."""

from __future__ import annotations

import os
import socket
from pathlib import Path
from typing import Any

import orjson
import psutil

from support.command_line import Start, ran, workroom
from workroom import Room
from workroom.testing.processes import eventually

PACK = """
from workroom import Extension


class Double(Extension, category="analysis"):
    n: int = 1

    def run(self) -> int:
        return 2 * self.n
"""


def install(folder: Path) -> dict[str, Any]:
    """A package with an entry point, as pip would leave it, and the environment that finds it."""
    about = folder / "doubling-1.0.dist-info"
    about.mkdir(parents=True)
    (about / "METADATA").write_text("Metadata-Version: 2.1\nName: doubling\nVersion: 1.0\n")
    (about / "entry_points.txt").write_text("[workroom.packs]\ndoubling = doubling\n")
    (folder / "doubling.py").write_text(PACK)
    path = os.pathsep.join([str(folder), os.environ["PYTHONPATH"]])
    return {"PYTHONPATH": path, "WORKROOM_PACKS": ""}


def test_the_demo_prints_commands_that_work_and_ends_on_ctrl_c(start: Start, tmp_path: Path) -> None:
    demo = start("demo", "--port", "0", "--data-dir", str(tmp_path / "data"))
    lines = demo.wait_for("Ctrl-C").splitlines()
    submit, jobs = [line.strip() for line in lines if line.startswith("  ")]

    assert lines[0].startswith("Workroom is at http://127.0.0.1:")
    assert '"pi": 3.1' in ran(["sh", "-c", submit]).out
    assert "analysis/EstimatePi" in ran(["sh", "-c", jobs]).out

    children = psutil.Process(demo.pid).children(recursive=True)
    demo.interrupt()

    assert demo.end() == 0
    assert "Traceback" not in demo.printed
    eventually(lambda: not any(child.is_running() for child in children), what="the end of its workers")


def test_the_demo_has_a_room_with_atoms_where_tools_work_at_a_click(start: Start, tmp_path: Path) -> None:
    options = ["--json", "--port", "0", "--data-dir", str(tmp_path / "data")]
    demo = start("demo", *options, WORKROOM_PACKS="atoms")
    url = orjson.loads(demo.wait_for("\n").splitlines()[0])["url"]

    with Room("atoms", url, user="ada") as room:
        eventually(lambda: len(room.frames) == 60, 60, "the trajectory")
        for name in ("Supercell", "Relax"):
            room.submit_named("modifiers", name, {}).result(timeout=60)
        room.submit_named("analysis", "RDF", {}).result(timeout=60)

        assert len(room.atoms) == 8 * 32
        assert list(room.figures) == ["RDF"]


def test_the_demo_has_a_studio_where_a_dozen_pictures_are_made(start: Start, tmp_path: Path) -> None:
    options = ["--json", "--port", "0", "--data-dir", str(tmp_path / "data")]
    demo = start("demo", *options, WORKROOM_PACKS="media")
    url = orjson.loads(demo.wait_for("\n").splitlines()[0])["url"]

    with Room("studio", url, user="ada") as room:
        eventually(lambda: len(room.jobs(extension="media/Generate")) == 12, 60, "the orders")
        first = eventually(lambda: list(room.records("media-content").find()), 60, "the first picture")
        assert first[0]["body"]["media_type"] == "image/png"


def test_an_installed_pack_is_served_without_any_option(start: Start, tmp_path: Path) -> None:
    """The first line for machines is one JSON object with the port that was picked."""
    environment = install(tmp_path / "site")
    options = ["--json", "--port", "0", "--data-dir", str(tmp_path / "data")]
    server = start("serve", *options, **environment)
    address = orjson.loads(server.wait_for("\n").splitlines()[0])

    assert address.keys() >= {"url", "host", "port"}
    assert address["url"] == f"http://127.0.0.1:{address['port']}"
    with Room("demo", address["url"], user="ada") as room:
        assert room.submit_named("analysis", "Double", {"n": 21}).result(timeout=60) == 42


def test_a_setting_names_the_packs_that_are_served(start: Start, tmp_path: Path) -> None:
    """Settings of packs reach the local workers; other settings of the server do not."""
    environment = install(tmp_path / "site")
    (tmp_path / "site" / "doubling.py").write_text(
        PACK.replace("return 2", 'import os; return int(os.environ["WORKROOM_PACK_FACTOR"])')
    )
    options = ["--json", "--port", "0", "--data-dir", str(tmp_path / "data")]
    own = {"WORKROOM_PACKS": "doubling", "WORKROOM_PACK_FACTOR": "3"}
    server = start("serve", *options, **{**environment, **own})
    address = orjson.loads(server.wait_for("\n").splitlines()[0])

    with Room("demo", address["url"], user="ada") as room:
        assert [each["name"] for each in room.extensions()] == ["Double"]
        assert room.submit_named("analysis", "Double", {"n": 14}).result(timeout=60) == 42


def test_an_unknown_pack_is_named(tmp_path: Path) -> None:
    environment = {**install(tmp_path / "site"), "WORKROOM_PACKS": "tripling"}
    refused = workroom("serve", "--port", "0", "--data-dir", str(tmp_path / "data"), **environment)
    assert refused.complaint.startswith("there is no pack 'tripling': installed are ")


def test_a_port_that_is_taken_is_named(tmp_path: Path) -> None:
    with socket.create_server(("127.0.0.1", 0)) as taken:
        port = taken.getsockname()[1]

        refused = workroom("serve", "--port", str(port), "--data-dir", str(tmp_path))

    assert (refused.code, refused.error.count("\n")) == (1, 1)
    assert f"cannot listen on 127.0.0.1:{port}" in refused.error


def test_without_a_command_there_is_help() -> None:
    assert "serve" in workroom().out
