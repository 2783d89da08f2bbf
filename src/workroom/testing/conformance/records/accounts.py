"""Accounts: names are taken once, and what is revoked stays so."""

from __future__ import annotations

import asyncio
from dataclasses import replace

from workroom.domain.identity import Account, Role
from workroom.domain.queries import (
    FindAccount,
    FindAccounts,
    FindLookalike,
    FindPeople,
    FindRevokedTokens,
)
from workroom.ports import Store
from workroom.testing.conformance.stage import Conformance, Stage

ADA = Account("ada", Role.USER, "hashed")
NEW = "hashed anew"
_DAY_US = 86_400_000_000


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
