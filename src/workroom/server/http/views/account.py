"""Accounts, tokens, and the people behind ids."""

from __future__ import annotations

import math
from collections.abc import Mapping, Sequence
from typing import Annotated

from pydantic import Field
from typing_extensions import TypedDict

from workroom.domain import identity as domain
from workroom.domain.identity import SERVER, Role
from workroom.domain.quotas import Kind
from workroom.server.http.views.values import Time, format_optional_time, format_time
from workroom.services.identity.accounts import Granted
from workroom.services.identity.guest_secrets import has_password


class Principal(TypedDict):
    """The holder of a token. A token with a `room` is valid in that room only."""

    user: str
    display_name: str
    role: Role
    room: str | None
    expires_at: Time | None


class Usage(TypedDict):
    """How much of a quota is used; `limit` is null if there is none."""

    used: int
    limit: int | None


class Myself(Principal):
    """`usage` has an entry for each quota per user: rooms, jobs, bytes…"""

    usage: dict[str, Usage]


class Token(Principal):
    token: str


class Ticket(TypedDict):
    ticket: str


class ViewLink(Ticket):
    """`frame_ancestors` are the sites that may show the page in a frame."""

    frame_ancestors: list[str]


class Person(TypedDict):
    """The display name and role of an id; null if no account has it."""

    id: str
    display_name: str | None
    role: Role | None


class People(TypedDict):
    items: list[Person]


class Account(TypedDict):
    name: str
    display_name: str
    role: Role
    has_password: bool
    disabled: bool
    created_at: Time


class AccountPage(TypedDict):
    items: list[Account]
    next_after: Annotated[str | None, Field(description="`after` of the next page, if there is one")]


def render_principal(principal: domain.Principal, display_name: str) -> Principal:
    expires_us = None if math.isinf(principal.expires) else int(principal.expires * 1_000_000)
    return {
        "user": principal.user,
        "display_name": display_name,
        "role": principal.role,
        "room": principal.room,
        "expires_at": format_optional_time(expires_us),
    }


def render_myself(
    principal: domain.Principal, display_name: str, usage: Mapping[Kind, tuple[int, int | None]]
) -> Myself:
    quotas: dict[str, Usage] = {
        kind.value: {"used": used, "limit": limit} for kind, (used, limit) in usage.items()
    }
    return {**render_principal(principal, display_name), "usage": quotas}


def render_token(granted: Granted) -> Token:
    return {"token": granted.token, **render_principal(granted.who, granted.display_name)}


def render_people(ids: Sequence[str], accounts: Sequence[domain.Account]) -> People:
    known = {account.name: account for account in accounts}
    return {"items": [_render_person(each, known.get(each)) for each in dict.fromkeys(ids)]}


def _render_person(user: str, account: domain.Account | None) -> Person:
    if user == SERVER:
        return {"id": user, "display_name": "Workroom", "role": Role.RUNNER}
    if account is None:
        return {"id": user, "display_name": None, "role": None}
    return {"id": user, "display_name": account.display_name or user, "role": account.role}


def render_account(account: domain.Account) -> Account:
    return {
        "name": account.name,
        "display_name": account.display_name or account.name,
        "role": account.role,
        "has_password": has_password(account),
        "disabled": account.disabled,
        "created_at": format_time(account.created_at_us),
    }


def render_account_page(accounts: Sequence[domain.Account], limit: int) -> AccountPage:
    """`accounts` has one account more than `limit` if there is a next page."""
    shown = accounts[:limit]
    return {
        "items": [render_account(each) for each in shown],
        "next_after": shown[-1].name if len(accounts) > limit else None,
    }
