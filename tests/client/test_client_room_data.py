"""The data of a room in Python: documents, versions and locks."""

from __future__ import annotations

import threading
from collections.abc import AsyncIterator
from concurrent.futures import ThreadPoolExecutor

import numpy as np
import pytest

from support.extensions.room_data import Annotate, Select, SelectAsync
from support.sync_rooms import Enter, Serve
from workroom import AsyncRoom, JobFailed, Room
from workroom.errors import (
    DocumentNotFound,
    InvalidName,
    Locked,
    LockLost,
    NothingToRevert,
    VersionConflict,
)
from workroom.testing.processes import ServerProcess, eventually


@pytest.fixture
def ada(enter: Enter) -> Room:
    return enter("ada")


@pytest.fixture
def bob(enter: Enter, ada: Room) -> Room:
    ada.state.list()  # creates the room
    return enter("bob")


def test_documents_are_a_mapping(ada: Room, bob: Room) -> None:
    ada.state["metadata"] = {"a": 1}
    ada.state["notes"] = None

    assert bob.state["metadata"] == {"a": 1}
    assert dict(bob.state) == {"metadata": {"a": 1}, "notes": None}
    assert (len(bob.state), "notes" in bob.state, "other" in bob.state) == (2, True, False)
    assert bob.state.get("other", 5) == 5
    del bob.state["notes"]
    assert list(ada.state) == ["metadata"]
    with pytest.raises(KeyError):
        ada.state["notes"]
    with pytest.raises(KeyError):
        del ada.state["notes"]
    with pytest.raises(InvalidName):
        ada.state["frames"] = 1


def test_values_have_names_and_defaults(ada: Room, bob: Room) -> None:
    assert (ada.selection, ada.step, ada.camera) == ([], 0, None)
    ada.selection = np.array([3, 1])
    ada.step = np.int64(7)
    ada.camera = {"position": (0.0, 0.5, 1.0)}

    assert (bob.selection, bob.step) == ([3, 1], 7)
    assert bob.camera == {"position": [0.0, 0.5, 1.0]}


def test_items_are_changed_one_by_one(ada: Room, bob: Room) -> None:
    ada.bookmarks[3] = "start"
    bob.bookmarks[12] = "end"
    ada.selection_groups = {"water": [1, 2]}
    ada.metadata["a"] = {"b": 1}
    bob.metadata["a"] = {"c": 2}

    assert dict(ada.bookmarks) == {3: "start", 12: "end"}
    assert ada.bookmarks[12] == "end"
    assert dict(bob.selection_groups) == {"water": [1, 2]}
    assert dict(ada.metadata) == {"a": {"c": 2}}
    del ada.bookmarks[3]
    assert list(bob.bookmarks) == [12]
    with pytest.raises(KeyError):
        del ada.bookmarks[3]
    with pytest.raises(KeyError):
        ada.bookmarks[3]


def test_figures_and_geometries_are_documents_of_their_own(ada: Room, bob: Room) -> None:
    class Figure:
        def to_plotly_json(self) -> dict[str, object]:
            return {"data": [{"y": np.array([1.0, 2.0])}]}

    ada.figures["rdf"] = Figure()
    ada.geometries["box"] = {"kind": "box"}

    assert bob.figures["rdf"] == {"data": [{"y": [1.0, 2.0]}]}
    assert (list(bob.figures), list(bob.geometries)) == (["rdf"], ["box"])
    assert list(bob.state) == ["figures.rdf", "geometries.box"]
    del bob.figures["rdf"]
    assert len(ada.figures) == 0


def test_no_item_of_two_writers_is_lost(ada: Room, bob: Room) -> None:
    def write(number: int) -> None:
        (ada, bob)[number % 2].bookmarks[number] = str(number)

    with ThreadPoolExecutor(4) as pool:
        list(pool.map(write, range(16)))

    assert dict(ada.bookmarks) == {number: str(number) for number in range(16)}


def test_an_edit_of_what_somebody_else_changed_is_a_conflict(ada: Room, bob: Room) -> None:
    ada.state["notes"] = [1]

    def edit_late() -> None:
        with ada.state.edit("notes") as draft:
            draft.value.append(2)
            bob.state["notes"] = [5]

    with pytest.raises(VersionConflict):
        edit_late()
    with ada.state.edit("notes") as draft:
        draft.value.append(2)
    with ada.state.edit("new", default=0) as draft:
        draft.value += 1
    _, version = bob.state.read_versioned("notes")
    ada.state.set("notes", [6], version=version)

    assert (bob.state["notes"], bob.state["new"]) == ([6], 1)
    assert ada.state.modify("new", lambda value: value + 1) == 2
    ada.state.patch("new", {"a": 1})
    assert bob.state["new"] == {"a": 1}


def test_changes_are_undone_redone_and_restored(ada: Room, bob: Room) -> None:
    ada.state["notes"] = 1
    first = ada.versions()[0]["number"]
    bob.state["notes"] = 2
    bob.state["more"] = 3

    ada.undo()
    ada.undo()
    assert dict(bob.state) == {"notes": 1}
    ada.redo()
    assert bob.state["notes"] == 2
    second = bob.versions()[0]["number"]
    assert [each["key"] for each in bob.compare_versions(first, second)] == ["notes"]
    assert bob.state.read("notes", version=first) == 1
    bob.restore(first)
    assert dict(ada.state) == {"notes": 1}
    assert [each["kind"] for each in ada.versions()][:2] == ["restore", "redo"]
    with pytest.raises(NothingToRevert):
        ada.redo()


def test_a_lock_keeps_others_out(ada: Room, bob: Room) -> None:
    with ada.lock("selection", message="picking", timeout=5) as lock:
        ada.selection = [1]
        with pytest.raises(Locked) as raised:
            bob.selection = [2]
        assert (raised.value.fields["holder"], raised.value.fields["message"]) == ("ada", "picking")
        with pytest.raises(Locked), bob.lock("selection", timeout=0):
            pass
        bob.state["other"] = 1
        lock.message("almost there")
        (seen,) = bob.locks()
        assert (seen["holder"], seen["message"], seen["fence"]) == ("ada", "almost there", lock.fence)
        ada.undo()

    assert bob.locks() == []
    bob.selection = [2]
    assert ada.selection == [2]


def test_a_lock_is_re_entrant_in_one_client(ada: Room, bob: Room) -> None:
    with ada.lock("selection") as outer:
        with ada.lock("selection") as inner:
            assert inner.fence == outer.fence
        ada.selection = [1]
        assert len(bob.locks()) == 1

    assert bob.locks() == []


def test_a_waiting_client_gets_the_lock_when_it_is_free(ada: Room, bob: Room) -> None:
    entered = threading.Event()

    def wait() -> int:
        with bob.lock("selection", timeout=60) as lock:
            entered.set()
            bob.selection = [2]
            return lock.fence

    with ThreadPoolExecutor(1) as pool:
        with ada.lock("selection") as lock:
            fence = lock.fence
            waiting = pool.submit(wait)
            ada.selection = [1]
            assert not entered.is_set()
        assert waiting.result(60) == fence + 1

    assert ada.selection == [2]


def test_a_short_lock_is_kept_alive_for_longer_than_it_lasts(ada: Room, bob: Room) -> None:
    with ada.lock("selection", ttl=2) as lock:
        eventually(lambda: bob.locks()[0]["age_ms"] > 3000, 30)
        ada.selection = [1]
        assert not lock.is_lost


def test_a_client_whose_lock_was_broken_writes_nothing(ada: Room, bob: Room) -> None:
    with bob.lock("selection", ttl=60):
        assert ada.break_lock("selection")
        with pytest.raises(LockLost):
            bob.selection = [1]
        assert not ada.break_lock("selection")

    assert ada.selection == []


def test_a_client_notices_that_its_lock_is_lost(ada: Room, bob: Room) -> None:
    with bob.lock("selection", ttl=1) as lock:
        ada.break_lock("selection")
        eventually(lambda: lock.is_lost, 30)
        with pytest.raises(LockLost):
            bob.selection = [1]


def test_the_locks_of_a_room_that_is_closed_are_released(
    server: ServerProcess, name: str, ada: Room, bob: Room
) -> None:
    other = Room(name, server.url, user="cleo")
    other.lock("selection").__enter__()
    assert len(bob.locks()) == 1
    other.close()

    assert bob.locks() == []


@pytest.mark.parametrize("extension", [Select, SelectAsync])
def test_a_job_changes_the_data_of_its_room(
    ada: Room, serve: Serve, extension: type[Select] | type[SelectAsync]
) -> None:
    serve(extension)
    job = ada.submit(extension(indices=[4, 2]))

    assert job.result(timeout=30) == 2
    assert ada.selection == [4, 2]
    assert ada.locks() == []
    assert {each["job_id"] for each in ada.versions()} == {job.id}


def test_a_job_of_the_holder_writes_under_the_lock_and_a_job_of_others_does_not(
    ada: Room, bob: Room, serve: Serve
) -> None:
    serve(Annotate)
    with ada.lock("selection", message="mine"):
        ada.submit(Annotate(text="by ada")).result(timeout=30)
        with pytest.raises(JobFailed, match="Locked"):
            bob.submit(Annotate(text="by bob")).result(timeout=30)

    assert ada.state["selection"] == "by ada"


@pytest.fixture
async def async_rooms(server: ServerProcess, name: str) -> AsyncIterator[tuple[AsyncRoom, AsyncRoom]]:
    async with AsyncRoom(name, server.url, user="ada") as ada, AsyncRoom(name, server.url, user="bob") as bob:
        await ada.state.list()
        yield ada, bob


async def test_an_async_room_has_the_same_data(async_rooms: tuple[AsyncRoom, AsyncRoom]) -> None:
    ada, bob = async_rooms
    await ada.state.set("notes", [1])
    await ada.selection.set([3])
    await ada.bookmarks.set(3, "start")
    await ada.figures.set("rdf", {"data": []})

    assert await bob.state.read("notes") == [1]
    assert await bob.selection.get() == [3]
    assert await bob.bookmarks.all() == {3: "start"}
    assert await bob.figures.all() == {"rdf": {"data": []}}
    with pytest.raises(DocumentNotFound):
        await bob.state.read("nothing")
    editing = bob.state.edit("notes")
    (await editing.__aenter__()).value = 5
    await ada.state.patch("notes", {"a": 1})
    with pytest.raises(VersionConflict):
        await editing.__aexit__(None, None, None)
    await bob.bookmarks.delete(3)
    await ada.undo()
    assert await bob.bookmarks.get(3) == "start"
    assert (await ada.versions(limit=1))[0]["kind"] == "undo"


async def test_an_async_lock_keeps_others_out(async_rooms: tuple[AsyncRoom, AsyncRoom]) -> None:
    ada, bob = async_rooms
    async with ada.lock("selection", message="mine") as lock:
        async with ada.lock("selection"):
            await ada.selection.set([1])
        await lock.message("yours soon")
        with pytest.raises(Locked, match="yours soon"):
            await bob.selection.set([2])
        with pytest.raises(Locked):
            async with bob.lock("selection", timeout=0.1):
                pass
    async with bob.lock("selection", timeout=0):
        await bob.selection.set([2])


def test_records_are_found_by_their_fields_page_by_page(ada: Room) -> None:
    shots = ada.records("shots")
    for number in range(150):
        shots.put(f"s{number}", {"number": number}, state="odd" if number % 2 else "even")
    shots.delete("s1")

    third = shots.get("s3")
    assert third is not None
    assert third["body"] == {"number": 3}
    assert shots.get("s1") is None
    assert [record["body"]["number"] for record in shots.find(state="odd")] == list(range(149, 1, -2))
    assert len(list(shots.find())) == 149
