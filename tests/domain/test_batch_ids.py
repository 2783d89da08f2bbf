"""A batch that is sent again has the ids that it had."""

from __future__ import annotations

from uuid import RFC_4122, UUID

from workroom.domain.jobs.job_ids import first_id, item_id

HOUR_US = 3_600_000_000
NOON_US = 1_800_000_000_000_000 // HOUR_US * HOUR_US
DIGEST = "f1e2d3c4b5a69788" * 4


def test_ids_of_a_batch_are_uuids_of_version_7() -> None:
    for index in (0, 1, 9_999):
        made = UUID(item_id(first_id(DIGEST, NOON_US), index))
        assert (made.version, made.variant) == (7, RFC_4122)
        assert made.int >> 80 == NOON_US // 1000


def test_the_same_key_gives_the_same_ids_within_an_hour() -> None:
    assert first_id(DIGEST, NOON_US) == first_id(DIGEST, NOON_US + HOUR_US - 1)
    assert first_id(DIGEST, NOON_US) != first_id(DIGEST, NOON_US + HOUR_US)
    assert first_id(DIGEST, NOON_US) != first_id(DIGEST[::-1], NOON_US)


def test_the_ids_of_a_batch_follow_from_any_of_its_jobs() -> None:
    first = first_id(DIGEST, NOON_US)
    ids = [item_id(first, index) for index in range(10_000)]

    assert ids[0] == first
    assert len(set(ids)) == len(ids)
    assert item_id(ids[77], 9_999) == ids[9_999]
