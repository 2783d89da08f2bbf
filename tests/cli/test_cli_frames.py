"""`workroom frames`."""

from __future__ import annotations

from pathlib import Path

import numpy as np
import pytest

from support.command_line import Run, ran_on_a_terminal
from support.frames import frame, large_frames, numbers
from workroom import Room
from workroom.runtime.frames.encoder import encode_frames
from workroom.runtime.frames.files import write_messages
from workroom.testing.processes import ServerProcess


def test_the_frames_of_a_room_are_shown(run: Run, server: ServerProcess, room: str) -> None:
    assert run("frames", room).out == "0 frames, 0.0 MB, version 0\n"
    with Room(room, server.url, user="bob") as place:
        place.frames.extend([{**frame(0), "box": np.zeros(())}, {**frame(1, atoms=5), "box": np.ones(())}])

    first, title, *rows = run("frames", room).out.splitlines()
    assert first.startswith("2 frames, 0.0 MB, version ")
    assert title.split() == ["key", "dtype", "shape"]
    assert [row.split() for row in rows] == [
        ["positions", "<f8", "varies"],
        ["numbers", "<i8", "varies"],
        ["info.number", "value"],
        ["box", "<f8", "scalar"],
    ]
    shown = run("frames", room, "--json").json
    assert (shown["length"], shown["user"]) == (2, "bob")


@pytest.mark.parametrize("suffix", ["wrf", "npz"])
def test_frames_are_exported_and_imported(
    run: Run, server: ServerProcess, room: str, tmp_path: Path, suffix: str
) -> None:
    file = tmp_path / f"trajectory.{suffix}"
    with Room(room, server.url, user="bob") as place:
        place.frames.extend(large_frames(12))
        done = run("frames", "export", room, str(file))
        assert (done.code, done.out) == (0, f"Saved 12 frames to {file}.\n")
        done = run("frames", "import", room, str(file))
        assert (done.code, done.out) == (0, f"Appended 12 frames to room {room}.\n")

        assert numbers(place.frames.iterate(keys=["info.number"])) == [*range(12), *range(12)]
        assert place.frames[20]["positions"].tobytes() == place.frames[8]["positions"].tobytes()
        assert run("undo", room).code == 0
        assert len(place.frames) == 12
    assert [each.name for each in tmp_path.iterdir()] == [file.name]


def test_what_cannot_be_saved_or_read_is_explained(
    run: Run, server: ServerProcess, room: str, tmp_path: Path
) -> None:
    with Room(room, server.url, user="bob") as place:
        place.frames.extend([frame(0), frame(1, atoms=5)])

    refused = run("frames", "export", room, str(tmp_path / "a.npz"))
    assert (refused.code, refused.complaint) == (
        1,
        "'positions' has different shapes: export the frames to a .wrf file",
    )
    refused = run("frames", "export", room, str(tmp_path / "a.xyz"))
    assert refused.complaint == "'a.xyz' is neither a .wrf nor an .npz file"
    refused = run("frames", "import", room, str(tmp_path / "none.wrf"))
    assert refused.complaint == f"Cannot read {tmp_path / 'none.wrf'}: No such file or directory"
    refused = run("frames", "export", room, str(tmp_path / "none" / "a.wrf"))
    assert refused.complaint == f"Cannot write {tmp_path / 'none' / 'a.wrf'}: No such file or directory"
    assert list(tmp_path.iterdir()) == []


def test_an_import_shows_its_progress_on_a_terminal(server: ServerProcess, room: str, tmp_path: Path) -> None:
    file = tmp_path / "trajectory.wrf"
    with file.open("wb") as target:
        list(write_messages([encode_frames(large_frames(100))], target))

    out, shown = ran_on_a_terminal("frames", "import", room, str(file), "--url", server.url, "--user", "bob")

    assert out == f"Appended 100 frames to room {room}.\n"
    assert "Uploading frames" in shown
    assert "/100" in shown
