"""Logins, accounts and tokens."""

from __future__ import annotations

from typing import Literal

from pydantic import Field

from workroom.domain.identity import Role
from workroom.server.http.bodies.fields import (
    Body,
    GuestSecret,
    Password,
    SecretCode,
    TypedName,
    UserName,
    ViewTicket,
)


class LoginBody(Body):
    name: TypedName | None = None
    password: Password | None = Field(None, repr=False)
    secret: GuestSecret | None = Field(
        None,
        repr=False,
        description="of a guest, who chooses it at random: the same name and secret are the same guest again",
    )
    code: SecretCode | None = Field(None, repr=False, description="from the admin's link, or a pairing code")
    ticket: ViewTicket | None = Field(None, repr=False, description="from `POST …/view-link`")
    cookie: bool = Field(False, description="for pages: keep the token in a cookie that scripts cannot read")


class RevokeBody(Body):
    all: bool = Field(False, description="end all my login sessions, not only this one")
    user: UserName | None = Field(None, description="for admins: end all login sessions of this user")


class PasswordBody(Body):
    current_password: Password = Field(repr=False)
    password: Password = Field(repr=False)


class AccountBody(Body):
    name: TypedName
    display_name: TypedName | None = Field(None, description="shown to others; defaults to the name")
    role: Literal[Role.USER, Role.ADMIN] = Role.USER
    password: Password = Field(repr=False)


class OwnChange(Body):
    display_name: TypedName


class AccountChange(Body):
    display_name: TypedName | None = None
    password: Password | None = Field(None, repr=False)
    role: Literal[Role.GUEST, Role.USER, Role.ADMIN, Role.WORKER] | None = None
    disabled: bool | None = None


class MachineTokenBody(Body):
    name: UserName
    role: Literal[Role.USER, Role.ADMIN, Role.WORKER, Role.RUNNER] = Role.WORKER
    days: float | None = Field(None, gt=0, le=3650)
