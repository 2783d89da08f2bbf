"""A lock has one holder, in the order in which they came, and ends by itself."""

from __future__ import annotations

from dataclasses import replace
from typing import Any

import pytest

from workroom.domain.queries import FindExpiredLocks, FindLocks
from workroom.domain.room_data.documents import Edit
from workroom.domain.room_data.locks import Acquired, LockLimits, LockRequest, Writer
from workroom.errors import Locked, LockLost, QuotaExceeded, RoomNotFound, StaleAttempt
from workroom.testing.conformance.stage import ATTIC, LAB, SMOOTH, Conformance, Reopen, Stage, completed

TTL_S = 30.0
PLACE_S = 10.0


def wanted(
    user: str, *, target: str = "selection", room: str = LAB, waits: bool = False, **options: Any
) -> LockRequest:
    """A request of a client whose token is its user's name."""
    ttl = int(options.pop("ttl", TTL_S) * 1_000_000)
    given = {"message": f"{user} works", "job": None, **options}
    return LockRequest(room, target, f"digest of {user}", user, ttl_us=ttl, waits=waits, **given)


def writer(user: str, *, token: bool = True) -> Writer:
    return Writer(user, f"digest of {user}" if token else None)


def write(user: str, *, token: bool = True, key: str = "selection", **options: Any) -> Edit:
    return Edit(LAB, key, b"[1]", writer(user, token=token), **options)


class LockConformance(Conformance):
    async def acquire(self, stage: Stage, user: str, **options: Any) -> Acquired:
        return await stage.store.acquire_lock(wanted(user, **options))

    async def holders(self, stage: Stage, room: str = LAB) -> list[tuple[str, str]]:
        found = await stage.store.read(FindLocks(room, stage.clock.now_us()))
        return [(lock.target, lock.user) for lock in found]

    async def test_a_free_lock_is_granted_and_everybody_sees_who_holds_it(self, stage: Stage) -> None:
        now = stage.clock.now_us()
        granted = await self.acquire(stage, "ada")

        assert granted.is_granted
        assert granted.is_new
        (lock,) = await stage.store.read(FindLocks(LAB, stage.clock.now_us()))
        assert lock == granted.lock
        assert (lock.user, lock.message, lock.job_id, lock.fence) == ("ada", "ada works", None, 1)
        assert (lock.acquired_us, lock.expires_us) == (now, now + 30_000_000)

    async def test_a_held_lock_is_refused_and_other_targets_and_rooms_are_free(self, stage: Stage) -> None:
        held = await self.acquire(stage, "ada")
        refused = await self.acquire(stage, "bob")

        assert not refused.is_granted
        assert (refused.lock, refused.ahead) == (held.lock, 1)
        assert (await self.acquire(stage, "bob", target="figures")).is_granted
        assert (await self.acquire(stage, "bob", room=ATTIC)).is_granted
        assert await self.holders(stage) == [("figures", "bob"), ("selection", "ada")]

    async def test_the_holder_gets_the_same_lock_again(self, stage: Stage) -> None:
        first = await self.acquire(stage, "ada")
        stage.clock.advance(20)
        again = await self.acquire(stage, "ada")

        assert again.is_granted
        assert not again.is_new
        assert first.lock is not None
        assert again.lock == replace(first.lock, expires_us=stage.clock.now_us() + 30_000_000)

    async def test_the_fence_grows_with_each_holder(self, stage: Stage) -> None:
        fences = []
        for user in ("ada", "bob", "ada"):
            granted = await self.acquire(stage, user)
            assert granted.lock is not None
            fences.append(granted.lock.fence)
            await stage.store.release_lock(LAB, "selection", f"digest of {user}")

        assert fences == [1, 2, 3]

    async def test_only_its_holder_releases_a_lock(self, stage: Stage) -> None:
        await self.acquire(stage, "ada")

        assert not await stage.store.release_lock(LAB, "selection", "digest of bob")
        assert await self.holders(stage) == [("selection", "ada")]
        assert await stage.store.release_lock(LAB, "selection", "digest of ada")
        assert not await stage.store.release_lock(LAB, "selection", "digest of ada")
        assert await self.holders(stage) == []

    async def test_a_lock_that_is_not_refreshed_expires(self, stage: Stage) -> None:
        await self.acquire(stage, "ada")
        stage.clock.advance(TTL_S)

        assert await self.holders(stage) == []
        with pytest.raises(LockLost):
            await stage.store.refresh_lock(LAB, "selection", "digest of ada", None, None)
        assert (await self.acquire(stage, "bob")).is_granted

    async def test_a_refreshed_lock_lives_on_with_its_message(self, stage: Stage) -> None:
        await self.acquire(stage, "ada")
        stage.clock.advance(20)
        await stage.store.refresh_lock(LAB, "selection", "digest of ada", None, None)
        stage.clock.advance(20)
        lock = await stage.store.refresh_lock(LAB, "selection", "digest of ada", 60_000_000, "half done")

        assert (lock.message, lock.fence) == ("half done", 1)
        stage.clock.advance(59)
        assert await stage.store.read(FindLocks(LAB, stage.clock.now_us())) == [lock]
        stage.clock.advance(1)
        assert await self.holders(stage) == []

    async def test_nobody_else_refreshes_a_lock(self, stage: Stage) -> None:
        await self.acquire(stage, "ada")

        with pytest.raises(LockLost):
            await stage.store.refresh_lock(LAB, "selection", "digest of bob", None, "mine")

    async def test_a_lock_ends_when_the_clock_is_set_back(self, stage: Stage) -> None:
        """It would last longer than its lifetime otherwise."""
        await self.acquire(stage, "ada")
        stage.clock.jump(-3600)

        assert (await self.acquire(stage, "bob")).is_granted

    async def test_waiters_get_the_lock_in_the_order_in_which_they_came(self, stage: Stage) -> None:
        await self.acquire(stage, "ada")
        for ahead, user in enumerate(("bob", "cleo", "dan"), start=1):
            assert (await self.acquire(stage, user, waits=True)).ahead == ahead
        order = ["ada"]
        for _ in range(3):
            await stage.store.release_lock(LAB, "selection", f"digest of {order[-1]}")
            for user in ("dan", "cleo", "bob"):
                if (await self.acquire(stage, user, waits=user not in order)).is_granted:
                    order.append(user)
                    break

        assert order == ["ada", "bob", "cleo", "dan"]

    async def test_a_newcomer_does_not_overtake_a_waiter(self, stage: Stage) -> None:
        await self.acquire(stage, "ada")
        await self.acquire(stage, "bob", waits=True)
        await stage.store.release_lock(LAB, "selection", "digest of ada")
        barging = await self.acquire(stage, "cleo")

        assert (barging.is_granted, barging.lock, barging.ahead) == (False, None, 1)
        assert (await self.acquire(stage, "bob")).is_granted

    async def test_a_waiter_that_vanished_loses_its_place(self, stage: Stage) -> None:
        await self.acquire(stage, "ada")
        await self.acquire(stage, "bob", waits=True)
        await stage.store.release_lock(LAB, "selection", "digest of ada")
        stage.clock.advance(PLACE_S)

        assert (await self.acquire(stage, "cleo")).is_granted

    async def test_a_waiter_that_comes_back_keeps_its_place(self, stage: Stage) -> None:
        await self.acquire(stage, "ada")
        for _ in range(4):
            await self.acquire(stage, "bob", waits=True)
            stage.clock.advance(5)
        await self.acquire(stage, "cleo", waits=True)
        await stage.store.release_lock(LAB, "selection", "digest of ada")

        assert not (await self.acquire(stage, "cleo", waits=True)).is_granted
        assert (await self.acquire(stage, "bob", waits=True)).is_granted

    async def test_a_waiter_can_leave_the_queue(self, stage: Stage) -> None:
        await self.acquire(stage, "ada")
        await self.acquire(stage, "bob", waits=True)
        await stage.store.release_lock(LAB, "selection", "digest of bob")
        await stage.store.release_lock(LAB, "selection", "digest of ada")

        assert (await self.acquire(stage, "cleo")).is_granted

    async def test_a_broken_lock_is_free_at_once(self, stage: Stage) -> None:
        granted = await self.acquire(stage, "ada")

        assert await stage.store.break_lock(LAB, "selection") == granted.lock
        assert await stage.store.break_lock(LAB, "selection") is None
        with pytest.raises(LockLost):
            await stage.store.refresh_lock(LAB, "selection", "digest of ada", None, None)
        assert (await self.acquire(stage, "bob")).is_granted

    async def test_expired_locks_are_found_and_each_is_deleted_once(self, stage: Stage) -> None:
        await self.acquire(stage, "ada")
        await self.acquire(stage, "ada", target="figures", ttl=60)
        stage.clock.advance(TTL_S)
        expired = await stage.store.read(FindExpiredLocks(stage.clock.now_us()))

        assert expired == [(LAB, "selection")]
        wanted_locks = [*expired, (LAB, "figures"), (LAB, "nothing")]
        assert await stage.store.expire_locks(wanted_locks) == expired
        assert await stage.store.expire_locks(wanted_locks) == []
        assert await stage.store.read(FindExpiredLocks(stage.clock.now_us())) == []
        assert await self.holders(stage) == [("figures", "ada")]

    async def test_a_lock_that_was_taken_again_does_not_expire(self, stage: Stage) -> None:
        await self.acquire(stage, "ada")
        stage.clock.advance(TTL_S)
        expired = await stage.store.read(FindExpiredLocks(stage.clock.now_us()))
        await self.acquire(stage, "bob")

        assert await stage.store.expire_locks(expired) == []
        assert await self.holders(stage) == [("selection", "bob")]

    async def test_locks_and_places_are_limited(self, stage: Stage) -> None:
        limits = LockLimits(room=2, user=2, waiters=1)
        await self.acquire(stage, "ada", target="a", limits=limits)
        await self.acquire(stage, "bob", target="b", limits=limits)
        assert await self._lock_quota(stage, "cleo", "c", limits) == "locks_per_room"
        await self.acquire(stage, "ada", target="b", limits=limits, waits=True)
        assert await self._lock_quota(stage, "ada", "c", LockLimits(9, 2, 9)) == "locks_per_user"
        assert await self._lock_quota(stage, "cleo", "b", limits) == "waiters_per_lock"

        stage.clock.advance(TTL_S)
        assert (await self.acquire(stage, "ada", target="c", limits=limits)).is_granted

    async def _lock_quota(self, stage: Stage, user: str, target: str, limits: LockLimits) -> str:
        with pytest.raises(QuotaExceeded) as raised:
            await self.acquire(stage, user, target=target, limits=limits, waits=True)
        return str(raised.value.fields["quota"])

    async def test_there_are_no_locks_without_a_room(self, stage: Stage) -> None:
        with pytest.raises(RoomNotFound):
            await self.acquire(stage, "ada", room="nowhere")
        await self.acquire(stage, "ada")
        await stage.store.delete_room(LAB)

        assert await self.holders(stage) == []
        with pytest.raises(RoomNotFound):
            await self.acquire(stage, "ada")

    async def test_a_locked_target_is_changed_by_its_holder_alone(self, stage: Stage) -> None:
        await self.acquire(stage, "ada")
        stage.clock.advance(2)

        with pytest.raises(Locked) as raised:
            await stage.store.edit_document(write("bob", token=False))
        assert raised.value.fields == {
            "target": "selection",
            "holder": "ada",
            "job_id": None,
            "message": "ada works",
            "age_ms": 2000,
        }
        with pytest.raises(Locked):
            await stage.store.edit_document(write("ada", token=False))
        with pytest.raises(Locked):
            await stage.store.edit_document(write("bob", token=False, key="selection.more"))
        assert (await stage.store.edit_document(write("ada"))).is_new
        assert (await stage.store.edit_document(write("bob", token=False, key="figures"))).is_new

    async def test_a_holder_that_lost_the_lock_changes_nothing(self, stage: Stage) -> None:
        await self.acquire(stage, "ada")
        stage.clock.advance(TTL_S)

        with pytest.raises(LockLost):
            await stage.store.edit_document(write("ada"))
        await self.acquire(stage, "bob")
        with pytest.raises(Locked):
            await stage.store.edit_document(write("ada"))
        await stage.store.break_lock(LAB, "selection")
        with pytest.raises(LockLost):
            await stage.store.edit_document(write("bob"))

    async def test_a_job_of_the_holder_may_write_and_a_job_of_others_may_not(self, stage: Stage) -> None:
        session = await stage.connect("w1", SMOOTH, slots=2)
        own = await stage.running(session, user="ada")
        other = await stage.running(session, user="bob")
        await self.acquire(stage, "ada")

        mine = Edit(LAB, "selection", b"[1]", Writer("ada", None, own.fence))
        assert (await stage.store.edit_document(mine)).is_new
        with pytest.raises(Locked):
            await stage.store.edit_document(replace(mine, writer=Writer("bob", None, other.fence)))

    async def test_a_job_that_holds_a_lock_shares_it_with_the_jobs_it_started(self, stage: Stage) -> None:
        session = await stage.connect("w1", SMOOTH, slots=3)
        holder = await stage.running(session)
        child = replace(await stage.new_job(SMOOTH), parent=holder.fence.job_id)
        await stage.store.submit([child])
        (started,) = await stage.claim(session)
        await stage.start(started)
        stranger = await stage.running(session)
        await self.acquire(stage, "ada", job=holder.fence)
        edit = Edit(LAB, "selection", b"[1]", Writer("ada", None, started.fence))

        assert (await stage.store.edit_document(edit)).is_new
        with pytest.raises(Locked) as raised:
            await stage.store.edit_document(replace(edit, writer=Writer("ada", None, stranger.fence)))
        assert raised.value.fields["job_id"] == holder.fence.job_id

    async def test_a_job_whose_attempt_is_over_gets_no_lock_and_writes_nothing(self, stage: Stage) -> None:
        given = await stage.running(await stage.connect("w1", SMOOTH))
        await stage.finish(completed(given))

        with pytest.raises(StaleAttempt):
            await self.acquire(stage, "ada", job=given.fence)
        with pytest.raises(StaleAttempt):
            await stage.store.edit_document(Edit(LAB, "selection", b"[1]", Writer("ada", None, given.fence)))

    async def test_locks_and_queues_outlive_a_restart(self, stage: Stage, reopen: Reopen) -> None:
        granted = await self.acquire(stage, "ada")
        await self.acquire(stage, "bob", waits=True)
        await stage.store.aclose()

        async with reopen() as again:
            assert await again.store.read(FindLocks(LAB, again.clock.now_us())) == [granted.lock]
            await again.store.release_lock(LAB, "selection", "digest of ada")
            assert not (await self.acquire(again, "cleo")).is_granted
            granted = await self.acquire(again, "bob")
            assert granted.lock is not None
            assert granted.lock.fence == 2
