"""docs/troubleshooting.md explains every code of an error, and every type of error that a job is given."""

from __future__ import annotations

import re
from pathlib import Path

from workroom import errors
from workroom.domain.rules import failure

ROOT = Path(__file__).parents[2]
PAGE = (ROOT / "docs" / "troubleshooting.md").read_text()
JOBS, _, CODES = PAGE.partition("## Error codes")
ROW = re.compile(r"^\| `(\w+)` \| (\S+) \| (.+) \| (.+) \|$", re.MULTILINE)
GIVEN = re.compile(r'JobError\("(\w+)"')


def kinds(root: type[errors.WorkroomError] = errors.WorkroomError) -> list[type[errors.WorkroomError]]:
    return [root, *(kind for branch in root.__subclasses__() for kind in kinds(branch))]


OURS = {kind.code: kind for kind in kinds() if kind.__module__ == errors.__name__}


def test_every_code_is_explained_once() -> None:
    assert sorted(code for code, *_ in ROW.findall(CODES)) == sorted(OURS)


def test_a_code_has_the_status_or_the_exception_that_the_page_states() -> None:
    stated = {code: second.strip("`") for code, second, *_ in ROW.findall(CODES)}

    assert {
        code: second
        for code, second in stated.items()
        if second not in (str(OURS[code].status), OURS[code].__name__)
    } == {}


def test_every_type_of_error_that_is_given_to_a_job_is_explained() -> None:
    code = "".join(
        path.read_text()
        for folder in ("client", "services", "runtime")
        for path in (ROOT / "src" / "workroom" / folder).rglob("*.py")
    )
    named = {failure.REFUSED_INPUT, failure.WORKER_LOST, failure.JOB_TIMEOUT, failure.MAX_RETRIES}

    assert set(re.findall(r"^\| `([A-Z]\w+)` \|", JOBS, re.MULTILINE)) == named | set(GIVEN.findall(code))
