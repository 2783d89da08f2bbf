"""What quotas bound is counted exactly, for each user, for each room and in total."""

from __future__ import annotations

from dataclasses import replace

from workroom.domain.extension import ExtensionKey
from workroom.domain.files import Blob
from workroom.domain.identity import Account, CodeKind, Role
from workroom.domain.queries import CountUsage, FindOwners, FindWorker
from workroom.domain.quotas import Counter, Kind, Per
from workroom.domain.room import Room
from workroom.domain.worker import GONE_WORKERS
from workroom.ports import Store
from workroom.testing.conformance.clock import FakeClock
from workroom.testing.conformance.records.files import new_file, saving, showing
from workroom.testing.conformance.records.rooms import code
from workroom.testing.conformance.stage import (
    ATTIC,
    COUNT,
    LAB,
    SMOOTH,
    Conformance,
    Stage,
    completed,
    extension,
    failed,
)

_DAY_US = 86_400_000_000


async def used(stage: Stage, kind: Kind, user: str = "ada", room: str = LAB) -> tuple[int, ...]:
    """By the user, in the room, and in total."""
    counters = (Counter(kind, Per.USER, user), Counter(kind, Per.ROOM, room), Counter(kind, Per.TOTAL))
    return await stage.store.read(CountUsage(counters, stage.clock.now_us()))


async def one(stage: Stage, kind: Kind, per: Per, subject: str = "") -> int:
    (count,) = await stage.store.read(CountUsage((Counter(kind, per, subject),), stage.clock.now_us()))
    return count


class CountConformance(Conformance):
    async def test_rooms_count_for_their_owner_until_they_are_deleted(
        self, stage: Stage, store: Store
    ) -> None:
        others = await one(stage, Kind.ROOMS, Per.TOTAL)
        for name, owner in (("one", "ada"), ("two", "ada"), ("three", "bob")):
            await store.create_room(Room(name, owner))
        assert await one(stage, Kind.ROOMS, Per.USER, "ada") == 2
        assert await one(stage, Kind.ROOMS, Per.TOTAL) == others + 3

        await store.delete_room("one")
        assert await one(stage, Kind.ROOMS, Per.USER, "ada") == 1
        assert await one(stage, Kind.ROOMS, Per.TOTAL) == others + 2
        assert not await store.create_room(Room("two", "bob"))
        assert await one(stage, Kind.ROOMS, Per.USER, "bob") == 1

    async def test_extensions_count_for_their_owner_until_their_room_is_deleted(
        self, stage: Stage, store: Store
    ) -> None:
        await stage.register("w1", SMOOTH, COUNT)
        await stage.register("w1", SMOOTH, COUNT)
        assert await used(stage, Kind.EXTENSIONS) == (2, 2, 2)

        await stage.register("w1", SMOOTH)
        assert await used(stage, Kind.EXTENSIONS) == (2, 2, 2)
        await stage.register("w2", replace(COUNT, owner="bob"), user="bob")
        assert await used(stage, Kind.EXTENSIONS) == (1, 2, 2)
        assert await used(stage, Kind.EXTENSIONS, "bob") == (1, 2, 2)

        await store.delete_room(LAB)
        assert await one(stage, Kind.EXTENSIONS, Per.USER, "ada") == 0
        assert await one(stage, Kind.EXTENSIONS, Per.TOTAL) == 0

    async def test_the_owner_of_an_extension_is_known_by_its_name(self, stage: Stage, store: Store) -> None:
        await stage.register("w1", SMOOTH, COUNT)
        await stage.register("w1", SMOOTH)

        unknown = ExtensionKey(LAB, "analysis", "Unknown")
        public = ExtensionKey(None, "analysis", "Smooth")
        keys = (SMOOTH.key, unknown, COUNT.key, public)
        assert await store.read(FindOwners(keys)) == ("ada", None, "ada", None)
        assert await store.read(FindOwners(())) == ()

    async def test_workers_and_their_slots_count_until_they_leave(self, stage: Stage, store: Store) -> None:
        await stage.connect("w1", SMOOTH, COUNT, slots=3)
        await stage.register("w2", SMOOTH, slots=4)
        await stage.register("w3", extension("Other", room=ATTIC), user="bob", slots=5)
        assert await used(stage, Kind.WORKERS) == (2, 2, 3)
        assert await used(stage, Kind.SLOTS) == (7, 7, 12)

        await stage.register("w1", SMOOTH, slots=1)
        assert await used(stage, Kind.SLOTS) == (5, 5, 10)
        await store.close_session("w1", "goodbye")
        await store.close_session("w2", "goodbye")
        assert await used(stage, Kind.WORKERS) == (0, 0, 1)
        assert await used(stage, Kind.SLOTS) == (0, 0, 5)

    async def test_of_many_workers_that_have_left_some_stay_on_record(
        self, stage: Stage, store: Store
    ) -> None:
        for number in range(GONE_WORKERS + 2):
            await stage.register(f"w{number}", SMOOTH)
            await store.close_session(f"w{number}", "goodbye")
            stage.clock.advance(0.001)
        await stage.register("last", SMOOTH)

        assert await store.read(FindWorker("w0")) is None
        assert await store.read(FindWorker("w1")) is None
        assert await store.read(FindWorker("w2")) is not None
        assert await used(stage, Kind.WORKERS) == (1, 1, 1)

    async def test_jobs_count_until_they_have_ended(self, stage: Stage, store: Store) -> None:
        session = await stage.connect("w1", SMOOTH)
        jobs = await stage.submit_many(3, SMOOTH)
        await stage.submit(SMOOTH, user="bob")
        assert await used(stage, Kind.JOBS) == (3, 4, 4)

        first = (await stage.claim(session))[0]
        await stage.start(first)
        assert await used(stage, Kind.JOBS) == (3, 4, 4)
        await stage.finish(completed(first))
        await stage.finish(completed(first))
        assert await used(stage, Kind.JOBS) == (2, 3, 3)

        await store.cancel(jobs, "ada", "enough")
        await store.cancel(jobs, "ada", "enough")
        assert await used(stage, Kind.JOBS) == (0, 1, 1)
        (last,) = await stage.claim(session)
        await stage.start(last)
        await stage.finish(failed(last))
        assert await used(stage, Kind.JOBS, "bob") == (0, 0, 0)

    async def test_a_job_that_goes_back_to_the_queue_counts_once(self, stage: Stage, store: Store) -> None:
        await stage.assigned(await stage.connect("w1", SMOOTH))
        await store.close_session("w1", "goodbye")

        assert await used(stage, Kind.JOBS) == (1, 1, 1)

    async def test_a_submit_that_is_sent_again_counts_once(self, stage: Stage, store: Store) -> None:
        await stage.connect("w1", SMOOTH)
        job = await stage.new_job(SMOOTH)
        await store.submit([job])
        await store.submit([job, replace(job, id="of-a-schema-that-left", schema_hash="other")])

        assert await used(stage, Kind.JOBS) == (1, 1, 1)

    async def test_files_and_their_bytes_count_until_they_are_deleted(
        self, stage: Stage, store: Store
    ) -> None:
        await store.create_room(Room(LAB, "ada"))
        for number in range(3):
            await store.add_file(new_file(f"f{number}", f"b{number}"))
        assert await used(stage, Kind.FILES) == (3, 3, 3)
        assert await used(stage, Kind.BYTES) == (18, 18, 18)

        await store.delete_file(LAB, "f0")
        await store.delete_file(LAB, "f0")
        assert await used(stage, Kind.FILES) == (2, 2, 2)
        assert await used(stage, Kind.BYTES) == (12, 12, 12)
        await store.delete_room(LAB)
        assert await used(stage, Kind.FILES) == (0, 0, 0)
        assert await used(stage, Kind.BYTES) == (0, 0, 0)

    async def test_what_a_job_saves_and_shows_counts_for_its_submitter(
        self, stage: Stage, store: Store
    ) -> None:
        given = await stage.running(await stage.connect("w1", SMOOTH), user="bob")
        await store.attach(saving(given, "b1"))
        large = replace(saving(given), blob=Blob("b2", 5_000_000_000_000, "ab" * 32))
        await store.attach(large)
        assert await used(stage, Kind.FILES, "bob") == (1, 1, 1)
        assert await used(stage, Kind.BYTES, "bob") == (5_000_000_000_000,) * 3

        await store.attach(saving(given, "b3"))
        await store.show(showing(given, "b4"))
        await store.show(showing(given, "b5"))
        assert await used(stage, Kind.FILES, "bob") == (1, 1, 1)
        assert await used(stage, Kind.BYTES, "bob") == (12, 12, 12)
        assert await used(stage, Kind.BYTES, "ada") == (0, 12, 12)

    async def test_codes_count_until_they_are_used_up_withdrawn_or_expired(
        self, stage: Stage, store: Store, clock: FakeClock
    ) -> None:
        invite = code(clock, uses=2)
        for number in range(3):
            await store.put_code(replace(invite, digest=f"i{number}"))
        await store.put_code(replace(code(clock, CodeKind.PAIR), expires_us=clock.now_us() + 1_000_000))
        assert await used(stage, Kind.INVITES) == (3, 3, 3)
        assert await used(stage, Kind.PAIRINGS) == (1, 1, 1)

        clock.advance(2)
        assert await used(stage, Kind.PAIRINGS) == (0, 0, 0)
        await store.take_code(CodeKind.INVITE, "i0")
        assert await used(stage, Kind.INVITES) == (3, 3, 3)
        await store.take_code(CodeKind.INVITE, "i0")
        assert await used(stage, Kind.INVITES) == (2, 2, 2)
        await store.drop_codes(CodeKind.INVITE, LAB)
        assert await used(stage, Kind.INVITES) == (0, 0, 0)

    async def test_members_forms_and_guests_count(self, stage: Stage, store: Store) -> None:
        await store.create_room(Room(LAB, "ada"))
        for name in ("bob", "cy", "bob"):
            await store.add_member(LAB, name)
        for name in ("Theme", "Font", "Theme"):
            await store.save_form("ada", LAB, "settings", name, b"{}")
        for name in ("dot", "eve"):
            await store.add_account(Account(name, Role.GUEST))
        await store.add_account(Account("fay", Role.USER))
        assert await one(stage, Kind.MEMBERS, Per.ROOM, LAB) == 2
        assert await one(stage, Kind.FORMS, Per.USER, "ada") == 2
        assert await one(stage, Kind.GUESTS, Per.TOTAL) == 2

        await store.remove_member(LAB, "bob")
        await store.change_account("dot", role=Role.USER)
        assert await one(stage, Kind.MEMBERS, Per.ROOM, LAB) == 1
        assert await one(stage, Kind.GUESTS, Per.TOTAL) == 1
