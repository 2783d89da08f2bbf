"""Frames over REST: uploaded, edited like a list, and read."""

from __future__ import annotations

import random
from typing import Any

import numpy as np
import pytest

from support.frame_messages import RoomFrames, decode, encode, name_of, numbered, sha256
from support.users import Person, the_problem


@pytest.fixture
def frames(ada: Person, room: str) -> RoomFrames:
    return RoomFrames(ada, room)


def test_an_empty_room_has_no_frames(frames: RoomFrames) -> None:
    assert frames.summary() == {
        "length": 0,
        "version": 0,
        "bytes": 0,
        "user": None,
        "job_id": None,
        "changed_at": None,
        "keys": [],
    }
    assert frames.read() == []
    the_problem(frames.get(index="0"), 404, "frame_not_found")


def test_what_is_appended_is_read_by_everybody(frames: RoomFrames, bob: Person, room: str) -> None:
    response = frames.post(numbered(1, 2))
    assert response.json() == {"length": 2, "version": 1}
    assert response.headers["etag"] == '"1"'
    frames.append(3)

    found = RoomFrames(bob, room)
    assert found.numbers() == [1, 2, 3]
    summary = found.summary()
    assert (summary["length"], summary["version"], summary["user"]) == (3, 2, frames.person.user)
    assert summary["keys"] == [
        {"key": "positions", "kind": "array", "dtype": "<f8", "shape": [3, 3]},
        {"key": "number", "kind": "value", "dtype": None, "shape": None},
        {"key": "kind", "kind": "value", "dtype": None, "shape": None},
    ]
    assert summary["bytes"] > 3 * 72


def test_the_summary_joins_the_keys_of_the_first_and_the_last_frame(frames: RoomFrames) -> None:
    frames.post(encode(1, stack={"a": np.zeros((1, 5))}, value={"b": 1}))
    frames.post(encode(1, stack={"a": np.zeros((1, 6)), "c": np.zeros(1, "<i4")}))

    assert frames.summary()["keys"] == [
        {"key": "a", "kind": "array", "dtype": "<f8", "shape": None},
        {"key": "b", "kind": "value", "dtype": None, "shape": None},
        {"key": "c", "kind": "array", "dtype": "<i4", "shape": []},
    ]


@pytest.mark.parametrize(
    ("query", "numbers"),
    [
        ({"index": "0"}, [0]),
        ({"index": "3,-1,3"}, [3, 9, 3]),
        ({"start": 2, "stop": 5}, [2, 3, 4]),
        ({"start": -2}, [8, 9]),
        ({"step": -3}, [9, 6, 3, 0]),
        ({"start": 8, "stop": 100, "step": 1}, [8, 9]),
        ({"start": 5, "stop": 5}, []),
    ],
)
def test_indices_and_slices_mean_what_they_mean_in_python(
    frames: RoomFrames, query: dict[str, Any], numbers: list[int]
) -> None:
    for first in range(0, 10, 2):
        frames.append(first, first + 1)

    assert frames.numbers(**query) == numbers
    response = frames.get(**query)
    assert response.headers["frames-length"] == "10"
    assert int(response.headers["frames-selected"]) == len(numbers)
    assert response.headers["content-type"] == "application/vnd.workroom.frames"


def test_the_first_of_the_selected_frames_are_skipped(frames: RoomFrames) -> None:
    frames.append(*range(10))

    found = frames.get(step=2, after=3)
    assert [frame["number"] for frame in decode(found.content)] == [6, 8]
    assert found.headers["frames-selected"] == "5"
    assert decode(frames.get(after=10).content) == []


def test_edits_mean_what_they_mean_for_a_list(frames: RoomFrames) -> None:
    model = list(range(20))
    frames.append(*model)

    frames.edit("insert", numbered(100), at=3)
    model.insert(3, 100)
    frames.edit("insert", numbered(101), at=-1000)
    model.insert(-1000, 101)
    frames.edit("set", numbered(102), at=-2)
    model[-2] = 102
    frames.edit("delete", at=7)
    del model[7]
    frames.edit("assign", numbered(103, 104), numbered(105), start=2, stop=9)
    model[2:9] = [103, 104, 105]
    frames.edit("assign", numbered(106, 107), start=8, stop=2, step=-3)
    model[8:2:-3] = [106, 107]
    frames.edit("delete", start=None, stop=None, step=4)
    del model[::4]
    frames.edit("insert", at=1, sources=[{"frames": [None, None, -1]}, {"frames": [0, 2, None]}])
    model[1:1] = [*model[::-1], *model[0:2]]
    assert frames.numbers() == model

    response = frames.edit("delete", start=3)
    assert response.json()["length"] == 3
    assert frames.numbers() == model[:3]


def test_random_edits_mean_what_they_mean_for_a_list(frames: RoomFrames) -> None:
    chance, model, number = random.Random(5), list[int](), 0
    for _ in range(60):
        start, stop = chance.randint(-30, 30), chance.randint(-30, 30)
        new = list(range(number, number + chance.randint(1, 4)))
        number += len(new)
        match chance.randint(0, 3):
            case 0:
                frames.edit("append", numbered(*new))
                model += new
            case 1:
                frames.edit("assign", numbered(*new), start=start, stop=stop)
                model[start:stop] = new
            case 2:
                frames.edit("assign", start=start, stop=stop, sources=[{"frames": [None, 5, None]}])
                model[start:stop] = model[:5]
            case 3:
                frames.edit("delete", start=start, stop=stop, step=3)
                del model[start:stop:3]
    assert frames.numbers() == model
    assert frames.numbers(step=-2) == model[::-2]


def test_an_edit_of_what_is_not_there_is_refused(frames: RoomFrames) -> None:
    frames.append(0, 1, 2)

    problem = the_problem(frames.edit("set", numbered(5), at=3), 404, "frame_not_found")
    assert (problem["index"], problem["length"]) == (3, 3)
    the_problem(frames.edit("delete", at=-4), 404, "frame_not_found")
    the_problem(frames.edit("set", numbered(5, 6), at=0), 422, "length_mismatch")
    the_problem(frames.edit("assign", numbered(5), step=2), 422, "length_mismatch")
    the_problem(frames.edit("delete", step=0), 422, "invalid_request")
    problem = the_problem(frames.edit("append", sources=[{"piece": "0" * 64}]), 404, "piece_not_found")
    assert problem["pieces"] == ["0" * 64]
    assert frames.summary()["version"] == 1


def test_some_keys_are_read_and_numbers_in_single_precision(frames: RoomFrames) -> None:
    positions = np.random.default_rng(1).random((2, 5, 3))
    frames.post(
        encode(
            2,
            stack={"positions": positions, "tags": np.arange(10).reshape(2, 5)},
            same={"cell": np.eye(3)},
            values={"energy": [1.5, None]},
        )
    )

    found = frames.read(keys="positions,cell,energy,missing", dtype="f32")
    assert [set(frame) for frame in found] == [{"positions", "cell", "energy"}] * 2
    assert found[0]["positions"].dtype == found[0]["cell"].dtype == "<f4"
    np.testing.assert_array_equal(found[1]["positions"], positions[1].astype("<f4"))
    assert [frame["energy"] for frame in found] == [1.5, None]
    assert frames.read(index="1")[0]["tags"].tolist() == [5, 6, 7, 8, 9]


def test_frames_of_every_kind_read_as_they_were_written(frames: RoomFrames) -> None:
    arrays: dict[str, Any] = {
        "bool": np.array([True, False]),
        "i1": np.array([-1], "|i1"),
        "u8": np.array([2**64 - 1], "<u8"),
        "f2": np.array([[1.5]], "<f2"),
        "c16": np.array([1 + 2j], "<c16"),
        "text": np.array(["Grüße", "☃"], "<U5"),
        "bytes": np.array([b"ab", b"c"], "|S2"),
        "empty": np.zeros((0, 3)),
        "scalar": np.array(2.5, "<f4"),
        "deep": np.zeros((1,) * 8),
    }
    values: dict[str, Any] = {
        "n": None,
        "b": True,
        "i": -(2**63),
        "f": 1e300,
        "s": "☃",
        "list": [1, {"a": None}],
        "map": {},
    }
    content = encode(1, same=arrays, value=values)
    frames.post(content)

    (found,) = frames.read()
    for key, array in arrays.items():
        np.testing.assert_array_equal(found[key], array)
        assert (found[key].dtype, found[key].shape) == (array.dtype, array.shape)
    assert {key: found[key] for key in values} == values


def test_many_frames_come_in_several_responses(frames: RoomFrames) -> None:
    for number in range(4):
        frames.edit("append", numbered(*range(number * 50, number * 50 + 50), atoms=2000))

    first = frames.get()
    assert 3_500_000 < len(first.content) < 4_500_000
    assert 0 < int(first.headers["frames-count"]) < 200
    assert frames.numbers() == list(range(200))
    assert frames.numbers(step=-7) == list(range(200))[::-7]


def test_a_large_frame_comes_whole(frames: RoomFrames) -> None:
    frames.edit("append", numbered(1, atoms=300_000))
    frames.append(2)

    assert int(frames.get().headers["frames-count"]) == 1
    assert frames.numbers() == [1, 2]


def test_a_reader_that_has_the_version_gets_no_content(frames: RoomFrames) -> None:
    frames.append(1)
    tag = frames.get().headers["etag"]

    person = frames.person
    assert person.get(f"{frames.path}/data", headers={"If-None-Match": tag}).status_code == 304
    frames.append(2)
    assert person.get(f"{frames.path}/data", headers={"If-None-Match": tag}).status_code == 200


def test_an_older_version_is_read_in_parts_while_others_edit(frames: RoomFrames) -> None:
    frames.append(0, 1, 2)
    version = frames.summary()["version"]
    frames.edit("delete", start=0)
    frames.append(9)

    assert frames.numbers(version=version) == [0, 1, 2]
    assert frames.numbers() == [9]
    the_problem(frames.get(version=version + 100), 404, "version_not_found")


def test_a_version_has_all_edits_of_its_group_and_an_etag_those_that_were_shown(frames: RoomFrames) -> None:
    group = {"Edit-Group": "upload"}
    frames.append(0)
    for number in (1, 2, 3):
        frames.post(numbered(number), headers=group)
        if number == 1:
            shown = int(frames.get().headers["etag"].strip('"'))
    last = frames.summary()["version"]
    frames.edit("delete", start=0)

    assert last == shown + 2
    assert frames.numbers(version=shown) == [0, 1, 2, 3]
    assert frames.numbers(version=last) == frames.numbers(etag=last) == [0, 1, 2, 3]
    assert frames.numbers(version=shown - 1) == [0]
    assert frames.get(version=shown).headers["etag"] == f'"{last}"'
    assert frames.numbers(etag=shown) == [0, 1]
    assert frames.numbers(etag=0) == []
    the_problem(frames.get(etag=last + 100), 404, "version_not_found")
    the_problem(frames.get(etag=last, version=last), 422, "invalid_request")


def test_the_frames_after_an_undo_have_an_etag_of_their_own(
    frames: RoomFrames, ada: Person, room: str
) -> None:
    frames.append(0)
    frames.append(1)
    undone = ada.post(f"/api/rooms/{room}/undo").json()["number"]
    frames.append(2)

    assert frames.numbers(etag=undone) == frames.numbers(version=undone) == [0]


def test_frames_are_empty_in_a_version_before_the_first_of_them(
    frames: RoomFrames, ada: Person, room: str
) -> None:
    version = ada.put(f"/api/rooms/{room}/state/notes", json=1).json()["version"]
    frames.append(0)

    assert frames.numbers(version=version) == []
    assert frames.numbers(version=version + 1) == [0]


def test_undo_redo_and_restore_work_on_frames(frames: RoomFrames, ada: Person, room: str) -> None:
    frames.append(0)
    frames.append(1)
    frames.edit("delete", at=0)

    ada.post(f"/api/rooms/{room}/undo")
    assert frames.numbers() == [0, 1]
    ada.post(f"/api/rooms/{room}/undo")
    assert frames.numbers() == [0]
    ada.post(f"/api/rooms/{room}/redo")
    assert frames.numbers() == [0, 1]
    ada.post(f"/api/rooms/{room}/versions/3/restore")
    assert frames.numbers() == [1]
    assert [each["key"] for each in ada.items(f"/api/rooms/{room}/state")] == []


def test_two_versions_of_frames_differ_between_a_start_and_a_stop(
    frames: RoomFrames, ada: Person, room: str
) -> None:
    def compare(before: int, after: int) -> Any:
        return ada.items(f"/api/rooms/{room}/versions/diff", before=before, after=after)

    frames.append(*range(10))
    first = frames.summary()["version"]
    ada.put(f"/api/rooms/{room}/state/notes", json=1)
    changed = frames.edit("delete", start=3, stop=5).json()["version"]
    last = frames.edit("append", sources=[{"frames": [0, 1, None]}]).json()["version"]

    (found, notes) = compare(first, changed)
    assert (found["key"], notes["key"]) == ("frames", "notes")
    assert found["before"] == {"length": 10, "start": 3, "stop": 5}
    assert found["after"] == {"length": 8, "start": 3, "stop": 3}
    assert found["before_size"] > found["after_size"]
    (backwards,) = compare(last, changed)
    assert (backwards["before"]["start"], backwards["before"]["stop"]) == (8, 9)
    ada.post(f"/api/rooms/{room}/undo")
    undone = ada.post(f"/api/rooms/{room}/undo").json()["number"]
    assert [each["key"] for each in compare(first, undone)] == ["notes"]


def test_columns_are_stacks_of_numbers_where_they_can_be(frames: RoomFrames) -> None:
    frames.post(
        encode(3, values={"e": [1.5, 2, -1], "n": [1, 2, 3], "t": ["a", None, "b"]}, value={"b": True})
    )
    frames.post(encode(1, value={"e": 7.0, "n": 4, "b": False}, stack={"x": np.zeros(1)}))

    response = frames.person.get(f"{frames.path}/columns", params={"keys": "e,n,b,t,x,z"})
    found = decode(response.content)
    assert [frame["e"].tolist() for frame in found] == [1.5, 2.0, -1.0, 7.0]
    assert [frame["n"].tolist() for frame in found] == [1, 2, 3, 4]
    assert found[0]["n"].dtype == "<i8"
    assert [frame["b"].tolist() for frame in found] == [True, True, True, False]
    assert [frame["t"] for frame in found] == ["a", None, "b", None]
    assert [frame["x"] for frame in found] == [frame["z"] for frame in found] == [None] * 4

    response = frames.person.get(f"{frames.path}/columns", params={"keys": "n,m", "start": 3, "step": -2})
    assert [frame["n"].tolist() for frame in decode(response.content)] == [4, 2]

    frames.post(encode(1, value={"e": 8.0}))
    response = frames.person.get(f"{frames.path}/columns", params={"keys": "n", "start": 3})
    assert decode(response.content)[0]["n"].tolist() == 4.0
    assert np.isnan(decode(response.content)[1]["n"])


def test_a_piece_is_stored_once(frames: RoomFrames) -> None:
    content = numbered(1, 2)
    path = f"{frames.path}/pieces/{sha256(content)}"
    assert frames.person.request("HEAD", path).status_code == 404

    first = frames.upload(content)
    assert (first.status_code, first.json()) == (
        201,
        {"piece": sha256(content), "count": 2, "bytes": len(content)},
    )
    assert frames.person.put(path, content=b"").status_code == 200
    assert frames.person.request("HEAD", path).status_code == 204
    the_problem(frames.upload(numbered(3), "0" * 64), 422, "digest_mismatch")


@pytest.mark.parametrize("atoms", [3, 20_000])
def test_the_server_names_a_piece_that_is_posted(frames: RoomFrames, atoms: int) -> None:
    content = numbered(1, 2, atoms=atoms)
    name = name_of(content)
    expected = {"piece": name, "count": 2, "bytes": len(content)}

    for _ in range(2):
        response = frames.person.post(f"{frames.path}/pieces", content=content)
        assert (response.status_code, response.json()) == (201, expected)
    assert frames.person.request("HEAD", f"{frames.path}/pieces/{name}").status_code == 204
    assert frames.edit("append", sources=[{"piece": name}]).status_code == 200
    assert frames.numbers() == [1, 2]


def test_an_array_that_was_sent_before_is_referred_to(frames: RoomFrames) -> None:
    numbers = np.arange(100, dtype="<i8")
    new = encode(1, ref={"numbers": numbers}, stack={"positions": np.zeros((1, 3))})
    problem = the_problem(frames.post(new), 409, "array_not_found")
    assert problem["digests"] == [sha256(numbers.tobytes())]

    frames.post(encode(1, same={"numbers": numbers}, stack={"positions": np.zeros((1, 3))}))
    assert frames.post(new).status_code == 200
    frames.post(encode(1, ref={"numbers": numbers}, stack={"positions": np.ones((1, 3))}))
    found = frames.read()
    assert len(found) == 3
    for frame in found:
        np.testing.assert_array_equal(frame["numbers"], numbers)
    assert found[2]["positions"].tolist() == [1, 1, 1]


def test_an_edit_that_is_sent_again_is_made_once(frames: RoomFrames) -> None:
    headers = {"Idempotency-Key": "one"}
    first = frames.post(numbered(1), headers=headers)
    frames.append(2)
    again = frames.post(numbered(1), headers=headers)
    assert first.json() == again.json()

    headers = {"Idempotency-Key": "two"}
    first = frames.edit("delete", at=1, headers=headers)
    assert frames.edit("delete", at=1, headers=headers).json() == first.json()
    assert frames.numbers() == [1]


def test_edits_of_a_group_make_one_version(frames: RoomFrames, ada: Person, room: str) -> None:
    frames.append(0)
    for number in range(1, 6):
        frames.post(numbered(number), headers={"Edit-Group": "extend"})

    assert len(ada.items(f"/api/rooms/{room}/versions")) == 2
    ada.post(f"/api/rooms/{room}/undo")
    assert frames.numbers() == [0]


def test_a_condition_on_the_version_is_checked(frames: RoomFrames) -> None:
    frames.append(0)
    tag = frames.get().headers["etag"]
    assert frames.post(numbered(1), headers={"If-Match": tag}).status_code == 200
    problem = the_problem(frames.post(numbered(2), headers={"If-Match": tag}), 412, "version_conflict")
    assert problem["version"] == 2
    assert frames.numbers() == [0, 1]


def test_a_lock_keeps_others_from_editing(frames: RoomFrames, bob: Person, room: str) -> None:
    token = "t" * 20
    lock = {"token": token, "message": "mine"}
    assert frames.person.post(f"/api/rooms/{room}/locks/frames", json=lock).status_code == 200

    problem = the_problem(RoomFrames(bob, room).post(numbered(1)), 423, "locked")
    assert problem["message"] == "mine"
    assert frames.post(numbered(2), headers={"Lock-Token": token}).status_code == 200
    frames.person.delete(f"/api/rooms/{room}/locks/frames", headers={"Lock-Token": token})
    the_problem(frames.post(numbered(3), headers={"Lock-Token": token}), 409, "lock_lost")
    assert frames.numbers() == [2]


@pytest.mark.parametrize(
    "query", [{"index": "a"}, {"index": "1", "start": 2}, {"start": "x"}, {"dtype": "f16"}, {"colour": "red"}]
)
def test_an_odd_parameter_is_refused(frames: RoomFrames, query: dict[str, str]) -> None:
    frames.append(0, 1, 2)
    the_problem(frames.get(**query), 422, "invalid_request")


@pytest.mark.parametrize(
    "body",
    [
        {"op": "sort"},
        {"op": "append"},
        {"op": "append", "sources": [{"piece": "x"}]},
        {"op": "append", "sources": [{"frames": [0, 1]}]},
        {"op": "append", "sources": [{"frames": [0, 1, True]}]},
        {"op": "insert", "sources": []},
        {"op": "delete", "at": "1"},
        {"op": "delete", "where": 1},
    ],
)
def test_an_odd_edit_is_refused(frames: RoomFrames, body: dict[str, Any]) -> None:
    the_problem(frames.person.post(f"{frames.path}/edit", json=body), 422, "invalid_request")
