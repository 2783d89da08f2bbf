"""A record is replaced as a whole, and found by what it was indexed by last."""

from __future__ import annotations

from dataclasses import replace
from typing import Any

import pytest

from workroom.domain.queries import FindRecord, FindRecords
from workroom.domain.room_data.locks import Writer
from workroom.domain.room_data.records import (
    FieldValue,
    NewRecord,
    Put,
    Record,
    RecordLimits,
    indexed_fields,
)
from workroom.errors import QuotaExceeded, RoomNotFound, StaleAttempt
from workroom.testing.conformance.stage import ATTIC, LAB, SMOOTH, Conformance, Reopen, Stage, completed

ADA = Writer("ada")


def new(id: str, body: bytes = b"{}", *, kind: str = "shots", **fields: FieldValue) -> NewRecord:
    return NewRecord(LAB, kind, id, body, indexed_fields(fields), ADA)


async def put(stage: Stage, *records: NewRecord) -> list[Put]:
    return [await stage.store.put_record(each) for each in records]


async def ids(stage: Stage, *, kind: str = "shots", **where: FieldValue) -> list[str]:
    page = await stage.store.read(FindRecords(LAB, kind, indexed_fields(where)))
    return [record.id for record in page.items]


async def found(stage: Stage, id: str, room: str = LAB) -> Record | None:
    return await stage.store.read(FindRecord(room, "shots", id))


class RecordConformance(Conformance):
    async def test_a_record_reads_as_it_was_put(self, stage: Stage) -> None:
        body = '{"text":"Grüße ☃","n":[1,2.5,null]}'.encode()
        (saved,) = await put(stage, new("s1", body, state="done", tries=3))

        assert saved.is_new
        assert await found(stage, "s1") == saved.record
        assert (saved.record.body, saved.record.user, saved.record.job_id) == (body, "ada", None)
        assert dict(saved.record.fields) == {"state": "sdone", "tries": "n3.0"}
        assert saved.record.created_us == saved.record.updated_us == stage.clock.now_us()
        assert await found(stage, "s1", ATTIC) is None
        assert await found(stage, "s2") is None

    async def test_the_same_record_again_changes_nothing(self, stage: Stage) -> None:
        first, again = await put(stage, new("s1", b"1", state="a"), new("s1", b"1", state="a"))

        assert (again.is_new, again.record) == (False, first.record)

    async def test_a_record_without_fields_is_the_same_again_too(self, stage: Stage) -> None:
        _, again = await put(stage, new("s1"), new("s1"))

        assert not again.is_new

    async def test_a_replaced_record_is_found_by_its_new_fields_and_keeps_its_place(
        self, stage: Stage
    ) -> None:
        await put(stage, new("s1", state="a", n=1), new("s2", state="a"))
        (replaced,) = await put(stage, new("s1", b'{"b":1}', state="b"))

        assert replaced.is_new
        assert await ids(stage, state="a") == ["s2"]
        assert await ids(stage, n=1) == []
        assert await ids(stage, state="b") == ["s1"]
        assert await ids(stage) == ["s2", "s1"]

    async def test_records_have_all_the_wanted_fields(self, stage: Stage) -> None:
        await put(
            stage,
            new("s1", state="a", n=1),
            new("s2", state="a", n=2),
            new("s3", state="b", n=1),
            new("s4", state="a", n="1"),
            new("s5", kind="other", state="a", n=1),
        )

        assert await ids(stage, state="a") == ["s4", "s2", "s1"]
        assert await ids(stage, state="a", n=1) == ["s1"]
        assert await ids(stage, n="1") == ["s4"]
        assert await ids(stage, state="") == []
        assert await ids(stage, missing=1) == []
        assert await ids(stage, kind="other") == ["s5"]

    async def test_one_value_is_not_found_by_the_beginning_of_another(self, stage: Stage) -> None:
        await put(stage, new("s1", state="done"), new("s2", state="do"), new("s3", state=""))

        assert await ids(stage, state="do") == ["s2"]
        assert await ids(stage, state="") == ["s3"]

    @pytest.mark.parametrize("where", [{}, {"state": "a"}, {"state": "a", "even": 0}])
    async def test_a_list_goes_on_where_its_page_ended(self, stage: Stage, where: dict[str, Any]) -> None:
        await put(stage, *(new(f"s{n}", state="a", even=n % 2) for n in range(12)))
        listed: list[str] = []
        before: int | None = None
        while True:
            page = await stage.store.read(FindRecords(LAB, "shots", indexed_fields(where), before, 2))
            listed += [record.id for record in page.items]
            before = page.next_cursor
            if before is None:
                break

        step = -2 if "even" in where else -1
        assert listed == [f"s{n}" for n in range(10 if step == -2 else 11, -1, step)]

    async def test_a_deleted_record_is_gone_from_every_list(self, stage: Stage) -> None:
        await put(stage, new("s1", state="a"), new("s2", state="a"))

        assert await stage.store.delete_record(LAB, "shots", "s1", ADA)
        assert not await stage.store.delete_record(LAB, "shots", "s1", ADA)
        assert await found(stage, "s1") is None
        assert await ids(stage) == await ids(stage, state="a") == ["s2"]

    async def test_a_record_that_is_put_again_after_its_deletion_is_the_latest(self, stage: Stage) -> None:
        await put(stage, new("s1"), new("s2"))
        await stage.store.delete_record(LAB, "shots", "s1", ADA)
        await put(stage, new("s1"))

        assert await ids(stage) == ["s1", "s2"]

    async def test_a_room_has_so_many_records_and_bytes(self, stage: Stage) -> None:
        limits = RecordLimits(2, 10)
        await put(stage, *(replace(new(id, b"1234"), limits=limits) for id in ("a", "b")))

        for record, quota in (
            (new("c", b""), ("records_per_room", 2, 2)),
            (new("b", b"1234567"), ("record_bytes_per_room", 10, 8)),
        ):
            with pytest.raises(QuotaExceeded) as refused:
                await stage.store.put_record(replace(record, limits=limits))
            fields = refused.value.fields
            assert (fields["quota"], fields["limit"], fields["used"]) == quota
        await stage.store.delete_record(LAB, "shots", "a", ADA)
        assert (await stage.store.put_record(replace(new("c", b"123456"), limits=limits))).is_new

    async def test_a_job_writes_as_long_as_its_attempt_runs(self, stage: Stage) -> None:
        given = await stage.running(await stage.connect("w1", SMOOTH))
        fence = given.fence
        writer = Writer("ada", None, fence)
        saved = await stage.store.put_record(replace(new("s1"), writer=writer))
        assert saved.record.job_id == fence.job_id
        await stage.finish(completed(given))

        with pytest.raises(StaleAttempt):
            await stage.store.put_record(replace(new("s1", b"2"), writer=writer))
        with pytest.raises(StaleAttempt):
            await stage.store.delete_record(LAB, "shots", "s1", writer)
        assert await found(stage, "s1") == saved.record

    async def test_records_go_with_their_room(self, stage: Stage) -> None:
        await put(stage, new("s1", state="a"))
        await stage.store.delete_room(LAB)

        assert await found(stage, "s1") is None
        assert await ids(stage, state="a") == await ids(stage) == []
        for room in (LAB, "nowhere"):
            with pytest.raises(RoomNotFound):
                await stage.store.put_record(replace(new("s1"), room=room))
            with pytest.raises(RoomNotFound):
                await stage.store.delete_record(room, "shots", "s1", ADA)

    async def test_records_survive_a_restart(self, stage: Stage, reopen: Reopen) -> None:
        await put(stage, new("s1", state="a"))
        await stage.store.aclose()

        async with reopen() as later:
            assert await ids(later, state="a") == ["s1"]
