"""Every error has a code of its own, and the code leads back to it."""

from __future__ import annotations

import re
from collections import Counter

import pytest

from workroom import errors
from workroom.errors import NotFound, WorkroomError, from_code
from workroom.server.http.views.problem import render_problem

KINDS = [kind for kind in vars(errors).values() if isinstance(kind, type) and issubclass(kind, WorkroomError)]


@pytest.mark.parametrize("kind", KINDS)
def test_a_code_leads_back_to_its_error(kind: type[WorkroomError]) -> None:
    error = from_code(kind.code, "what happened", room="lab")

    assert type(error) is kind
    assert (str(error), error.detail, error.fields) == ("what happened", "what happened", {"room": "lab"})


def test_no_two_errors_share_a_code() -> None:
    assert Counter(kind.code for kind in KINDS).most_common(1)[0][1] == 1


@pytest.mark.parametrize("kind", KINDS)
def test_an_error_is_fit_for_a_problem_document(kind: type[WorkroomError]) -> None:
    assert re.fullmatch(r"[a-z]+(_[a-z]+)*", kind.code)
    assert 400 <= kind.status < 600


@pytest.mark.parametrize("kind", KINDS)
def test_the_docstring_of_an_error_is_its_message(kind: type[WorkroomError]) -> None:
    assert kind.__doc__
    assert str(kind()) == kind.title() == kind.__doc__.strip()


def test_whatever_is_not_found_is_404() -> None:
    assert {kind.status for kind in KINDS if issubclass(kind, NotFound)} == {404}


def test_a_code_of_a_newer_server_is_still_an_error() -> None:
    assert type(from_code("not_yet_known", "detail")) is WorkroomError


RETRYABLE = {
    "busy",
    "digest_mismatch",
    "locked",
    "no_session",
    "request_timeout",
    "result_timeout",
    "server_unreachable",
    "storage_full",
    "store_damaged",
    "store_replaced",
    "store_unavailable",
    "store_unsafe",
    "too_many_connections",
    "too_many_requests",
    "unauthenticated",
    "worker_not_found",
}


@pytest.mark.parametrize("kind", KINDS)
def test_an_error_states_whether_a_retry_can_help(kind: type[WorkroomError]) -> None:
    assert kind.retryable is (kind.code in RETRYABLE)
    assert render_problem(kind())["retryable"] is kind.retryable
