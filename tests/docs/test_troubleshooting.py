"""docs/troubleshooting.md explains every code of an error, and every type of error that a job is given."""

from __future__ import annotations

import ast
import re
from collections.abc import Iterator
from pathlib import Path

from workroom import errors
from workroom.domain.rules import failure

ROOT = Path(__file__).parents[2]
PAGE = (ROOT / "docs" / "troubleshooting.md").read_text()
JOBS, _, CODES = PAGE.partition("## Error codes")
ROW = re.compile(r"^\| `(\w+)` \| (\S+) \| (.+) \| (.+) \|$", re.MULTILINE)
MAKERS = {"JobError", "_failure"}
NAMED = {"SecretsUnreadable.__name__": "SecretsUnreadable", "_REFUSED": "ResultRefused"}
OF_CODE = {"error", "type_", "to_text(type(exception).__name__)[:200]", "masker.text(error.type)"}


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


def given_types(module: ast.Module) -> Iterator[str]:
    """Types that the code itself gives to errors of jobs, and not those of users' exceptions."""
    for node in ast.walk(module):
        if isinstance(node, ast.Call) and ast.unparse(node.func) in MAKERS and node.args:
            type_ = ast.unparse(node.args[0])
            if type_ not in OF_CODE:
                yield NAMED.get(type_, type_).strip("'")


def test_every_type_of_error_that_is_given_to_a_job_is_explained() -> None:
    given = {
        type_
        for folder in ("client", "services", "runtime")
        for path in (ROOT / "src" / "workroom" / folder).rglob("*.py")
        for type_ in given_types(ast.parse(path.read_text()))
    }
    named = {failure.REFUSED_INPUT, failure.WORKER_LOST, failure.JOB_TIMEOUT, failure.MAX_RETRIES}

    assert set(re.findall(r"^\| `([A-Z]\w+)` \|", JOBS, re.MULTILINE)) == named | given
