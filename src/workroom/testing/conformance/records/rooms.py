"""Codes are used up, and rooms closed for good."""

from __future__ import annotations

import asyncio
from dataclasses import replace

import pytest

from workroom.domain.files import Blob, NewFile
from workroom.domain.identity import Code, CodeKind, Role
from workroom.domain.queries import (
    FindRoom,
    FindRooms,
    VisibleExtensions,
)
from workroom.domain.room import Room
from workroom.errors import RoomNotFound
from workroom.ports import Store
from workroom.testing.conformance.clock import FakeClock
from workroom.testing.conformance.stage import LAB, SMOOTH, Conformance, Stage

_DAY_US = 86_400_000_000


def code(
    clock: FakeClock, kind: CodeKind = CodeKind.INVITE, *, uses: int = 1, room: str | None = LAB
) -> Code:
    return Code(f"digest of {kind}", kind, "ada", Role.WORKER, room, clock.now_us() + _DAY_US, uses)


class CodeConformance(Conformance):
    async def test_a_code_is_used_up(self, stage: Stage, store: Store) -> None:
        given = code(stage.clock, uses=2)
        await store.put_code(given)
        taken = [await store.take_code(given.kind, given.digest) for _ in range(3)]

        assert taken == [replace(given, uses=1), replace(given, uses=0), None]

    async def test_of_many_who_use_a_code_at_once_one_is_let_in(self, stage: Stage, store: Store) -> None:
        given = code(stage.clock, CodeKind.PAIR)
        await store.put_code(given)
        taken = await asyncio.gather(*(store.take_code(given.kind, given.digest) for _ in range(8)))

        assert [each for each in taken if each is not None] == [replace(given, uses=0)]

    async def test_a_code_is_good_for_its_kind_only(self, stage: Stage, store: Store) -> None:
        given = code(stage.clock, CodeKind.INVITE)
        await store.put_code(given)

        assert await store.take_code(CodeKind.ADMIN, given.digest) is None
        assert await store.take_code(CodeKind.INVITE, "another digest") is None
        assert await store.take_code(CodeKind.INVITE, given.digest) is not None

    async def test_a_code_runs_out(self, stage: Stage, store: Store) -> None:
        given = code(stage.clock)
        await store.put_code(given)
        stage.clock.advance(86_401)

        assert await store.take_code(given.kind, given.digest) is None

    async def test_codes_are_dropped_by_kind_and_room(self, stage: Stage, store: Store) -> None:
        invite, pair = code(stage.clock, CodeKind.INVITE), code(stage.clock, CodeKind.PAIR)
        admin = code(stage.clock, CodeKind.ADMIN, room=None)
        for given in (invite, pair, admin):
            await store.put_code(given)
        await store.drop_codes(CodeKind.INVITE, LAB)
        await store.drop_codes(CodeKind.PAIR, "another room")
        await store.drop_codes(CodeKind.ADMIN, None)

        assert await store.take_code(invite.kind, invite.digest) is None
        assert await store.take_code(pair.kind, pair.digest) is not None
        assert await store.take_code(admin.kind, admin.digest) is None

    async def test_a_banned_user_does_not_come_back_with_an_older_code(
        self, stage: Stage, store: Store
    ) -> None:
        older = code(stage.clock, uses=9)
        newer = replace(older, digest="newer")
        await store.create_room(Room(LAB, "ada", private=True))
        await store.put_code(older)
        for user in ("bob", "cy"):
            await store.add_member(LAB, user)
        stage.clock.advance(1)
        await store.remove_member(LAB, "bob", banned=True)
        await store.remove_member(LAB, "cy")
        await store.remove_member(LAB, "dee", banned=True)  # was never there
        stage.clock.advance(1)
        await store.put_code(newer)

        async def lets_in(given: Code, user: str) -> bool:
            return await store.take_code(given.kind, given.digest, user) is not None

        assert [await lets_in(older, user) for user in ("bob", "cy", "dee")] == [False, True, True]
        assert await lets_in(newer, "bob")
        await store.add_member(LAB, "bob")
        assert await lets_in(older, "bob")


class RoomConformance(Conformance):
    async def test_a_room_is_made_once(self, store: Store) -> None:
        assert await store.create_room(Room(LAB, "ada", "the lab", private=True))
        assert not await store.create_room(Room(LAB, "bob"))

        found = await store.read(FindRoom(LAB))
        assert found is not None
        assert (found.owner, found.title, found.private, found.deleted) == ("ada", "the lab", True, False)

    async def test_a_room_that_is_not_there_is_none(self, store: Store) -> None:
        assert await store.read(FindRoom("nowhere")) is None

    async def test_a_change_changes_what_is_given(self, store: Store) -> None:
        await store.create_room(Room(LAB, "ada", "the lab"))
        await store.change_room(LAB, private=True)
        await store.change_room(LAB, title="our lab")
        await store.change_room("nowhere", title="nothing")

        found = await store.read(FindRoom(LAB))
        assert found is not None
        assert (found.title, found.private) == ("our lab", True)
        assert await store.read(FindRoom("nowhere")) is None

    async def test_members_come_and_go(self, store: Store) -> None:
        await store.create_room(Room(LAB, "ada", private=True))
        for user in ("bob", "cy", "bob"):
            await store.add_member(LAB, user)
        await store.remove_member(LAB, "cy")
        await store.remove_member(LAB, "nobody")

        found = await store.read(FindRoom(LAB))
        assert found is not None
        assert found.members == {"bob"}

    async def test_a_list_of_rooms_has_those_that_admit_a_user(self, store: Store) -> None:
        for name, private in (("a-open", False), ("b-private", True), ("c-private", True), ("d-gone", False)):
            await store.create_room(Room(name, "ada", private=private))
        await store.add_member("b-private", "bob")
        await store.delete_room("d-gone")

        async def names(user: str | None) -> list[str]:
            return [room.name for room in await store.read(FindRooms(user))]

        assert await names("ada") == await names(None) == ["a-open", "b-private", "c-private"]
        assert await names("bob") == ["a-open", "b-private"]
        assert await names("eve") == ["a-open"]

    async def test_a_deleted_room_keeps_its_name_and_loses_all_else(self, stage: Stage, store: Store) -> None:
        await stage.connect("w1", SMOOTH)
        job = await stage.submit(SMOOTH)
        await store.add_member(LAB, "bob")
        invite = code(stage.clock)
        await store.put_code(invite)
        await store.delete_room(LAB)

        found = await store.read(FindRoom(LAB))
        assert found is not None
        assert (found.deleted, found.members) == (True, frozenset())
        assert not await store.create_room(Room(LAB, "eve"))
        assert await store.take_code(invite.kind, invite.digest) is None
        assert await store.read(VisibleExtensions(LAB)) == []
        assert (await stage.job(job)).room == LAB

    async def test_nothing_comes_into_a_room_that_is_missing(self, store: Store) -> None:
        file = NewFile("f1", "cellar", "bob", "a.txt", "text/plain", Blob("b1", 1, "00"))
        with pytest.raises(RoomNotFound):
            await store.post_chat("cellar", "bob", "hello")
        with pytest.raises(RoomNotFound):
            await store.save_form("bob", "cellar", "settings", "Theme", b"{}")
        with pytest.raises(RoomNotFound):
            await store.add_file(file)

        assert await store.read(FindRoom("cellar")) is None

    async def test_nothing_comes_into_a_deleted_room(self, stage: Stage, store: Store) -> None:
        await stage.connect("w1", SMOOTH)
        late = await stage.new_job(SMOOTH)
        await store.delete_room(LAB)

        (answer,) = (await store.submit([late])).answers
        assert answer is not None
        try:
            await stage.register("w2", SMOOTH)
        except RoomNotFound:
            return
        raise AssertionError("a worker registered in a deleted room")
