"""Who there is, and which rooms: names are taken once, codes used up, doors closed for good."""

from __future__ import annotations

import asyncio
from dataclasses import replace

import pytest

from workroom.domain.files import Blob, NewFile
from workroom.domain.identity import Account, Code, CodeKind, MemberRole, Role
from workroom.domain.queries import (
    FindAccount,
    FindAccounts,
    FindLookalike,
    FindPeople,
    FindRevokedTokens,
    FindRoom,
    FindRooms,
    VisibleExtensions,
)
from workroom.domain.room import Room
from workroom.errors import RoomNotFound
from workroom.ports import Store
from workroom.testing.conformance.clock import FakeClock
from workroom.testing.conformance.stage import LAB, SMOOTH, Conformance, Stage

ADA = Account("ada", Role.USER, "hashed")
NEW = "hashed anew"
_DAY_US = 86_400_000_000


def code(
    clock: FakeClock, kind: CodeKind = CodeKind.INVITE, *, uses: int = 1, room: str | None = LAB
) -> Code:
    role = MemberRole.MEMBER if kind is CodeKind.INVITE else Role.WORKER
    return Code(f"digest of {kind}", kind, "ada", role, room, clock.now_us() + _DAY_US, uses)


class AccountConformance(Conformance):
    async def test_a_name_is_taken_once(self, store: Store) -> None:
        assert await store.add_account(ADA)
        assert not await store.add_account(replace(ADA, role=Role.ADMIN))

        found = await store.read(FindAccount("ada"))
        assert found is not None
        assert (found.role, found.password_hash, found.epoch) == (Role.USER, "hashed", 0)

    async def test_of_many_who_want_a_name_one_gets_it(self, store: Store) -> None:
        assert sorted(await asyncio.gather(*(store.add_account(ADA) for _ in range(8)))) == [False] * 7 + [
            True
        ]

    async def test_accounts_are_listed_by_name_in_pages(self, store: Store) -> None:
        for name in ("cy", "ada", "bob"):
            await store.add_account(Account(name, Role.GUEST))

        assert [each.name for each in await store.read(FindAccounts(limit=2))] == ["ada", "bob"]
        assert [each.name for each in await store.read(FindAccounts(after="bob"))] == ["cy"]

    async def test_a_change_changes_what_is_given_and_begins_an_epoch(self, store: Store) -> None:
        await store.add_account(ADA)
        raised = await store.change_account("ada", role=Role.ADMIN)
        shut = await store.change_account("ada", disabled=True)
        opened = await store.change_account("ada", disabled=False, password_hash=NEW)
        same = await store.change_account("ada")

        accounts_read = [
            (each.role, each.password_hash, each.disabled) for each in (raised, shut, opened, same) if each
        ]
        assert accounts_read == [
            (Role.ADMIN, "hashed", False),
            (Role.ADMIN, "hashed", True),
            (Role.ADMIN, NEW, False),
            (Role.ADMIN, NEW, False),
        ]
        assert same is not None
        assert same.epoch == 4
        assert await store.read(FindAccount("ada")) == same

    async def test_nobody_is_changed_who_is_not_there(self, store: Store) -> None:
        assert await store.change_account("nobody", disabled=True) is None
        assert await store.read(FindAccount("nobody")) is None

    async def test_revoked_tokens_are_listed(self, store: Store) -> None:
        for name in ("ada", "bob", "cy"):
            await store.add_account(Account(name, Role.USER))
        await store.change_account("ada")
        await store.change_account("bob", disabled=True)
        revoked = await store.read(FindRevokedTokens())

        assert revoked.epochs == {"ada": 1, "bob": 1}
        assert revoked.disabled == {"bob"}


class NameConformance(Conformance):
    async def test_an_account_keeps_its_display_name(self, store: Store) -> None:
        await store.add_account(replace(ADA, display_name="Ada 李 O'Neil"), ["ada", "ada 李 o'neil"])
        await store.change_account("ada", role=Role.ADMIN)

        found = await store.read(FindAccount("ada"))
        assert found is not None
        assert found.display_name == "Ada 李 O'Neil"
        assert await store.read(FindAccounts()) == [found]

    async def test_no_account_has_the_skeleton_of_another(self, store: Store) -> None:
        assert await store.add_account(ADA, ["ada", "lovelace"])
        assert not await store.add_account(Account("bob", Role.GUEST), ["bob", "lovelace"])

        assert await store.read(FindAccount("bob")) is None
        assert await store.add_account(Account("bob", Role.GUEST), ["bob"])

    async def test_of_many_who_want_a_look_one_gets_it(self, store: Store) -> None:
        wanted = [Account(f"user-{number}", Role.GUEST) for number in range(8)]
        added = await asyncio.gather(*(store.add_account(each, [each.name, "same"]) for each in wanted))

        assert sorted(added) == [False] * 7 + [True]

    async def test_a_taken_name_takes_no_look(self, store: Store) -> None:
        await store.add_account(ADA, ["ada"])
        assert not await store.add_account(ADA, ["ada", "lovelace"])

        assert await store.add_account(Account("bob", Role.GUEST), ["lovelace"])

    async def test_a_new_display_name_frees_the_skeleton_of_the_old_one(self, store: Store) -> None:
        await store.add_account(ADA, ["ada", "countess"])
        await store.add_account(Account("bob", Role.USER), ["bob"])
        assert await store.rename_account("ada", "Ada", ["ada", "ada king"])
        assert not await store.rename_account("bob", "Ada King", ["bob", "ada king"])
        assert not await store.rename_account("nobody", "Nobody", ["nobody"])

        found = [await store.read(FindAccount(name)) for name in ("ada", "bob")]
        assert [each and (each.display_name, each.epoch) for each in found] == [("Ada", 0), ("", 0)]
        assert await store.rename_account("bob", "Countess", ["bob", "countess"])
        assert await store.rename_account("ada", "ADA", ["ada", "ada king"])

    async def test_who_has_a_look_can_be_found(self, store: Store) -> None:
        await store.add_account(ADA, ["ada", "countess"])
        found = await store.read(FindLookalike(("nothing", "countess")))

        assert found is not None
        assert found.name == "ada"
        assert await store.read(FindLookalike(("nothing",))) is None
        assert await store.read(FindLookalike(())) is None

    async def test_people_are_found_by_their_ids(self, store: Store) -> None:
        for name in ("ada", "bob", "cy"):
            await store.add_account(Account(name, Role.GUEST, display_name=name.upper()))
        found = await store.read(FindPeople(("cy", "nobody", "ada", "cy")))

        assert [(each.name, each.display_name) for each in found] == [("ada", "ADA"), ("cy", "CY")]
        assert await store.read(FindPeople(())) == []


class RevocationConformance(Conformance):
    async def test_a_token_is_revoked_once(self, stage: Stage, store: Store) -> None:
        until = stage.clock.now_us() + _DAY_US
        assert sorted(await asyncio.gather(*(store.revoke("t1", until) for _ in range(5)))) == [False] * 4 + [
            True
        ]

        assert (await store.read(FindRevokedTokens())).token_ids == {"t1"}

    async def test_a_revocation_is_forgotten_once_the_token_would_have_expired(
        self, stage: Stage, store: Store
    ) -> None:
        await store.revoke("short", stage.clock.now_us() + 10_000_000)
        await store.revoke("long", stage.clock.now_us() + _DAY_US)
        await stage.wait(60)

        assert (await store.read(FindRevokedTokens())).token_ids == {"long"}


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

    async def test_a_member_who_is_added_again_gets_another_role(self, store: Store) -> None:
        await store.create_room(Room(LAB, "ada", private=True))
        for user, role in (("bob", MemberRole.VIEWER), ("cy", MemberRole.MEMBER), ("eve", MemberRole.VIEWER)):
            await store.add_member(LAB, user, role)
        await store.add_member(LAB, "bob")
        await store.add_member(LAB, "cy", MemberRole.VIEWER)
        await store.remove_member(LAB, "eve")

        found = await store.read(FindRoom(LAB))
        assert found is not None
        assert (sorted(found.members), sorted(found.viewers)) == (["bob", "cy"], ["cy"])
        assert [room.name for room in await store.read(FindRooms("cy"))] == [LAB]

    async def test_an_invite_gives_its_role_and_who_has_it_uses_nothing_up(
        self, store: Store, clock: FakeClock
    ) -> None:
        await store.create_room(Room(LAB, "ada", private=True))
        invite = replace(code(clock, uses=2), role=MemberRole.VIEWER)
        await store.put_code(invite)
        await store.add_member(LAB, "bob", MemberRole.VIEWER)
        await store.add_member(LAB, "cy")

        uses = []
        for user in ("bob", "cy", "eve", "dan"):
            taken = await store.take_code(invite.kind, invite.digest, user)
            uses.append(None if taken is None else (taken.role, taken.uses))
        assert uses == [(MemberRole.VIEWER, 2), (MemberRole.VIEWER, 1), (MemberRole.VIEWER, 0), None]

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
        await store.add_member(LAB, "bob", MemberRole.VIEWER)
        invite = code(stage.clock)
        await store.put_code(invite)
        await store.delete_room(LAB)

        found = await store.read(FindRoom(LAB))
        assert found is not None
        assert (found.deleted, found.members, found.viewers) == (True, frozenset(), frozenset())
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


class DirectoryConformance(
    AccountConformance, NameConformance, RevocationConformance, CodeConformance, RoomConformance
):
    """The verbs of the directory."""
