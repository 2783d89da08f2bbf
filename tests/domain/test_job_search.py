"""What people type into the search box, and which jobs it finds."""

from __future__ import annotations

from dataclasses import replace
from datetime import UTC, datetime
from typing import Any

import pytest

from workroom.domain.job import Job, JobState
from workroom.domain.jobs.annotation import Annotation
from workroom.domain.search.parser import MAX_QUERY, MAX_TERMS, parse_search
from workroom.domain.search.terms import (
    Candidate,
    Compared,
    Not,
    OfUser,
    Search,
    Starred,
    Submitted,
    Text,
)
from workroom.domain.search.values import MAX_LEAVES, Operator
from workroom.errors import InvalidRequest


def at(text: str) -> int:
    return round(datetime.fromisoformat(text).replace(tzinfo=UTC).timestamp() * 1_000_000)


NOW_US = at("2026-11-18T10:30:00")
JOB = Job(
    1,
    "0190a-b",
    "lab",
    "room",
    "modifiers",
    "RelaxCell",
    b"{}",
    "",
    JobState.FAILED,
    1,
    0,
    "ada",
    "remote",
    None,
    1,
    at("2026-11-17T23:00:00"),
    None,
    None,
    None,
    None,
    None,
    None,
    "ada",
    annotation=Annotation("Copper bulk", True, ("Paper", "two words"), "looks odd\nRERUN", 1, "bob", 1),
)
DATA: dict[str, Any] = {
    "window": 9,
    "fmax": 0.05,
    "calculator": "EMT",
    "periodic": True,
    "seed": None,
    "start": "2026-03-01",
    "kpts": [2, 2, 4],
    "cell": {"a": 3.6, "Name": "fcc"},
    "steps": [{"n": 5}, {"n": 7}],
}
CANDIDATE = Candidate(JOB, DATA, "ValueError: no frames")


def search(text: str) -> Search:
    return parse_search(text, me="ada", now_us=NOW_US)


def finds(text: str) -> bool:
    return search(text).matches(CANDIDATE)


def test_words_become_terms() -> None:
    assert search(' user:ada since:2026-11-01  starred window>5 -relax "two words" ').terms == (
        OfUser("ada"),
        Submitted(since_us=at("2026-11-01T00:00:00")),
        Starred(),
        Compared(("window",), Operator.ABOVE, "5"),
        Not(Text("relax")),
        Text("two words"),
    )


MATCHES = [
    "",
    "relax",
    "RELAXCELL modifiers",
    "modifiers/Relax",
    "0190a",
    "copper",
    "two words",
    '"two words"',
    "rerun",
    "valueerror frames",
    "emt",
    "0.05",
    "3.60",
    "true",
    "-gold",
    '-"copper bulk gold"',
    "user:ada",
    "user:me",
    "user:@ada",
    "-user:bob",
    "state:failed",
    "STATUS:Failed",
    "state:ended",
    "-state:queued",
    "tool:relax",
    "extension:modifiers/RelaxCell",
    "tag:paper",
    'tag:"two words"',
    "-tag:draft",
    "name:bulk",
    'note:"looks odd"',
    "error:frames",
    "starred",
    "is:starred",
    "Starred",
    "since:2026-11-17",
    "since:2026-11",
    "since:2026",
    "since:yesterday",
    "since:12h",
    "since:2w",
    "since:2026-11-17T22:59",
    "until:2026-11-17",
    "until:2026-11",
    "until:yesterday",
    "before:2026-11-18",
    "before:today",
    "on:2026-11-17",
    "on:yesterday",
    "on:2026-11",
    "window>5",
    "window >= 9",
    "window<=9.0",
    "window=9",
    "window==9",
    "window!=8",
    "window≥9",
    "window≠8",
    "-window<9",
    "WINDOW=9",
    "fmax<=5e-2",
    "fmax>1e-3",
    "fmax=.05",
    "calculator=EMT",
    "calculator=emt",
    'calculator="EMT"',
    "calculator!=LJ",
    "periodic=true",
    "periodic!=false",
    "seed=null",
    "seed=none",
    "start>=2026-02-28",
    "start<2026-04",
    "kpts=4",
    "kpts>3",
    "kpts!=5",
    "kpts.2=4",
    "cell.a>3.5",
    "cell.name=FCC",
    "steps.1.n=7",
]
OTHERS = [
    "gold",
    "-relax",
    "0.051",
    "user:ad",
    "user:Ada",
    "state:running",
    "tool:smooth",
    "tag:pap",
    "-starred",
    "since:today",
    "since:2026-12",
    "since:11h",
    "until:2026-11-16",
    "before:2026-11-17",
    "on:today",
    "window>9",
    "window<9",
    "window!=9",
    "window=nine",
    "missing=1",
    "missing!=1",
    "calculator>5",
    "calculator=EM",
    "periodic=1",
    "periodic>0",
    "seed=0",
    "kpts=3",
    "kpts!=4",
    "kpts.9=1",
    "cell=3.6",
    "cell.b=1",
    "cell!=1",
    "relax gold",
]


@pytest.mark.parametrize("text", MATCHES)
def test_a_search_finds_the_job(text: str) -> None:
    assert finds(text)


@pytest.mark.parametrize("text", OTHERS)
def test_a_search_does_not_find_it(text: str) -> None:
    assert not finds(text)


@pytest.mark.parametrize(
    ("text", "sentence"),
    [
        ("colour:red", "'colour:' is not a filter: there are user:, state:"),
        ("user:", "'user:' needs a value right behind it, such as user:ada"),
        ("user: ada", "'user:' needs a value right behind it"),
        ("state:done", "there is no state 'done': use pending"),
        ("since:soon", "'soon' is not a date: write 2026-11-01"),
        ("since:2026-13", "'2026-13' is not a date"),
        ("since:2026-02-30", "'2026-02-30' is not a date"),
        ("since:999999w", "'999999w' is not a date"),
        ("until:9999", "'9999' is not a date"),
        ("on:3d", "'3d' is a moment"),
        ("is:good", "'is:good' is not understood: there is is:starred"),
        ("window>", "'window>' needs a value, such as window>5"),
        ("window=>5", "'window=>5' is not understood: use =, !="),
        (">5", "'>5' needs a parameter in front of it"),
        ('tag:"two words', "a quotation mark is missing"),
        ('""', "there is nothing between the quotation marks"),
        ("x " * (MAX_TERMS + 1), "at most 20 are allowed"),
        ("x" * (MAX_QUERY + 1), "at most 500 are allowed"),
    ],
)
def test_what_cannot_be_understood_gets_a_plain_sentence(text: str, sentence: str) -> None:
    with pytest.raises(InvalidRequest) as refusal:
        search(text)
    assert sentence in refusal.value.detail


def test_a_job_that_nobody_wrote_about_has_no_star_tags_name_or_note() -> None:
    plain = Candidate(replace(JOB, annotation=None), DATA)
    for text in ("starred", "tag:paper", "name:a", "note:a", "copper", "error:a"):
        assert not search(text).matches(plain)
    assert search("-starred -tag:paper relax").matches(plain)


def test_a_search_for_what_people_wrote_needs_only_the_jobs_with_annotations() -> None:
    for text in ("starred", "tag:a relax", "name:a", "note:a"):
        assert search(text).needs_annotation
    for text in ("relax", "-starred", "-tag:a", "error:a", "user:ada"):
        assert not search(text).needs_annotation


def test_the_latest_of_several_dates_bounds_the_search() -> None:
    assert search("since:2026-10 since:2026-11-02").since_us == at("2026-11-02T00:00:00")
    assert search("-since:2026-10").since_us is None


def test_large_and_deep_values_are_examined_only_so_far() -> None:
    deep: Any = "needle"
    for _ in range(200):
        deep = [deep]
    wide = ["hay"] * (MAX_LEAVES * 2) + ["needle"]
    for data in (deep, wide, {"a": deep, "b": wide}):
        assert not search("needle").matches(Candidate(JOB, data))
    assert search("window=9 -needle").matches(Candidate(JOB, {"many": wide, "window": 9}))
