"""What people write about a job, and how it changes."""

from __future__ import annotations

import pytest

from workroom.domain.jobs.annotation import MAX_TAGS, Annotation, AnnotationChange, changed
from workroom.errors import InvalidRequest

BEFORE = Annotation("relax", True, ("Paper", "draft"), "check", 3, "ada", 100)


def test_what_a_change_leaves_out_stays() -> None:
    after = changed(BEFORE, AnnotationChange(name="  Cu \n bulk "), "bob", 200)
    assert after == Annotation("Cu bulk", True, ("Paper", "draft"), "check", 4, "bob", 200)


def test_the_first_change_makes_version_one() -> None:
    assert changed(None, AnnotationChange(starred=True), "ada", 1).version == 1


def test_what_was_written_can_be_removed() -> None:
    change = AnnotationChange(name="", starred=False, tags=(), note=" \n")
    assert changed(BEFORE, change, "ada", 1).is_empty


def test_tags_are_added_and_removed_whatever_their_case_and_blanks() -> None:
    change = AnnotationChange(add_tags=("PAPER", " two \t words ", " "), remove_tags=("DRAFT", "missing"))
    assert changed(BEFORE, change, "ada", 1).tags == ("Paper", "two words")


def test_new_tags_replace_the_old_ones() -> None:
    assert changed(BEFORE, AnnotationChange(tags=("b", "a", "B")), "ada", 1).tags == ("b", "a")


def test_too_many_tags_are_refused() -> None:
    many = tuple(f"tag {number}" for number in range(MAX_TAGS - 2))
    full = changed(BEFORE, AnnotationChange(add_tags=many), "ada", 1)
    assert len(full.tags) == MAX_TAGS
    with pytest.raises(InvalidRequest, match="20 tags"):
        changed(full, AnnotationChange(add_tags=("one more",)), "ada", 1)
