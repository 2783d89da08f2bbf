"""`workroom lock`, `undo`, `redo` and `versions`."""

from __future__ import annotations

from support.command_line import Run
from workroom import Room
from workroom.testing.processes import ServerProcess


def test_locks_are_listed_and_broken(run: Run, server: ServerProcess, room: str) -> None:
    assert run("lock", room).out == f"No locks in room {room}.\n"
    with (
        Room(room, server.url, user="bob") as place,
        place.lock("frames", message="[red]up\x1b[2Jloading[/]"),
    ):
        title, line = run("lock", room).out.splitlines()
        assert title.split() == ["target", "holder", "since", "message"]
        assert line.split()[:2] == ["frames", "bob"]
        assert line.rstrip().endswith("[red]up?[2Jloading[/]")
        assert [lock["holder"] for lock in run("lock", room, "--json").json] == ["bob"]
        assert run("lock", room, "--break", "frames").out == f"No locks in room {room}.\n"

    refused = run("lock", room, "--break", "frames")
    assert (refused.code, refused.complaint) == (1, "Nobody holds the lock on 'frames'.")


def test_changes_are_listed_undone_redone_and_restored(run: Run, server: ServerProcess, room: str) -> None:
    assert run("versions", room).out == f"No changes in room {room} yet.\n"
    with Room(room, server.url, user="bob") as place:
        for value in (1, 2, 3):
            place.state["notes"] = value
        first = place.versions()[-1]["number"]
        assert run("undo", room, "--times", "2").out.count("set notes") == 2
        assert place.state["notes"] == 1
        assert run("redo", room).code == 0
        assert place.state["notes"] == 2
        assert run("versions", room, "--restore", str(first)).code == 0
        assert place.state["notes"] == 1

    title, newest, *others = run("versions", room).out.splitlines()
    assert title.split() == ["version", "at", "by", "change"]
    assert f"restore {first}: set notes" in newest
    assert sum("(undone)" in line for line in others) == 1
    assert [each["kind"] for each in run("versions", room, "--json", "--limit", "2").json] == [
        "restore",
        "redo",
    ]
    refused = run("redo", room)
    assert (refused.code, refused.complaint) == (1, "there is nothing to redo")
