"""Tokens of servers whose clocks differ."""

from __future__ import annotations

import time

import jwt
import pytest

from workroom.domain.identity import Principal, Role
from workroom.errors import Unauthenticated
from workroom.services.identity.tokens import LEEWAY_SECONDS, Tokens

KEY = b"k" * 32
ADA = Principal("ada", Role.USER)
HOUR = 3600


def shifted(token: str, seconds: float) -> str:
    """The token that a server with its clock so far ahead would have issued."""
    claims = jwt.decode(token, options={"verify_signature": False})
    times = {name: claims[name] + int(seconds) for name in ("iat", "exp", "session_exp")}
    return jwt.encode({**claims, **times, "nbf": times["iat"]}, KEY, "HS256")


@pytest.mark.parametrize("ahead", [5, HOUR, -5, -HOUR])
def test_a_token_is_valid_whatever_the_clock_of_its_server_was(ahead: float) -> None:
    tokens = Tokens(KEY, 30.0)

    assert tokens.read(shifted(tokens.issue(ADA), ahead)).user == "ada"


@pytest.mark.parametrize("ahead", [5, HOUR, -5, -LEEWAY_SECONDS])
def test_a_ticket_is_valid_if_the_clock_of_its_server_is_a_little_behind(ahead: float) -> None:
    tokens = Tokens(KEY, 30.0)

    assert tokens.read_ticket(shifted(tokens.issue_ticket(ADA), ahead))[1].user == "ada"


def test_an_old_token_or_ticket_has_expired() -> None:
    tokens = Tokens(KEY, 30.0)
    with pytest.raises(Unauthenticated, match="expired"):
        tokens.read(shifted(tokens.issue(ADA, days=HOUR / 86_400), -HOUR - 1))
    with pytest.raises(Unauthenticated, match="expired"):
        tokens.read_ticket(shifted(tokens.issue_ticket(ADA), -HOUR))

    assert tokens.session_end(ADA) > time.time()
