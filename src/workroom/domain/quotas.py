"""How many resources of each kind users, rooms and the whole server may have."""

from __future__ import annotations

from collections.abc import Iterator, Mapping
from dataclasses import dataclass
from enum import StrEnum
from typing import NamedTuple

from workroom.domain.identity import Role
from workroom.errors import QuotaExceeded


class Kind(StrEnum):
    ROOMS = "rooms"
    EXTENSIONS = "extensions"
    WORKERS = "workers"
    SLOTS = "slots"
    JOBS = "jobs"
    FILES = "files"
    BYTES = "bytes"
    INVITES = "invites"
    PAIRINGS = "pairings"
    FORMS = "forms"
    PRESETS = "presets"
    MEMBERS = "members"
    GUESTS = "guests"


class Per(StrEnum):
    """What a counter is kept for."""

    USER = "user"
    ROOM = "room"
    TOTAL = "total"


class Tier(StrEnum):
    """Which limits apply to a user. Admins and the server's own runners have none."""

    GUEST = "guest"
    USER = "user"


class Counter(NamedTuple):
    """A count of one kind for a user, for a room, or in total (then the subject is empty)."""

    kind: Kind
    per: Per
    subject: str = ""


class Charge(NamedTuple):
    """What a request would add to the counters of a user, the server and these rooms."""

    kind: Kind
    amount: int = 1
    rooms: tuple[tuple[str, int], ...] = ()


def in_room(kind: Kind, room: str, amount: int = 1) -> Charge:
    return Charge(kind, amount, ((room, amount),))


class Ceiling(NamedTuple):
    """The limit of a counter, and the tier it applies to."""

    counter: Counter
    limit: int
    tier: Tier


@dataclass(frozen=True, slots=True)
class Quota:
    """The limits of one kind. None means unlimited."""

    user: int | None = None
    guest: int | None = None
    room: int | None = None
    total: int | None = None

    def of(self, tier: Tier) -> int | None:
        return self.guest if tier is Tier.GUEST else self.user


Quotas = Mapping[Kind, Quota]


def tier_of(role: Role) -> Tier | None:
    """The tier of a role; None for roles without limits. For a job, pass the role of its submitter."""
    if role in (Role.ADMIN, Role.RUNNER):
        return None
    return Tier.GUEST if role is Role.GUEST else Tier.USER


class Claim(NamedTuple):
    ceiling: Ceiling
    amount: int


def claims(quota: Quota, charge: Charge, user: str | None, tier: Tier) -> Iterator[Claim]:
    """All limits that a charge counts against."""
    kind, amount, rooms = charge
    own = quota.of(tier)
    if amount > 0 and user is not None and own is not None:
        yield Claim(Ceiling(Counter(kind, Per.USER, user), own, tier), amount)
    if amount > 0 and quota.total is not None:
        yield Claim(Ceiling(Counter(kind, Per.TOTAL), quota.total, tier), amount)
    if quota.room is not None:
        for room, more in rooms:
            if more > 0:
                yield Claim(Ceiling(Counter(kind, Per.ROOM, room), quota.room, tier), more)


_NOUNS = {
    Kind.JOBS: "unfinished jobs",
    Kind.BYTES: "bytes in files",
    Kind.INVITES: "open invites",
    Kind.PAIRINGS: "open pairing codes",
    Kind.FORMS: "saved forms",
}
_ADVICE = {
    Kind.ROOMS: "delete a room",
    Kind.EXTENSIONS: "delete a room with extensions that are not needed",
    Kind.WORKERS: "stop a worker",
    Kind.SLOTS: "stop a worker or give it fewer slots",
    Kind.JOBS: "wait until some have ended or cancel some",
    Kind.FILES: "delete files",
    Kind.BYTES: "delete files",
    Kind.INVITES: "withdraw invites",
    Kind.PAIRINGS: "use one or let it expire",
    Kind.FORMS: "delete a room",
    Kind.PRESETS: "delete a preset",
    Kind.MEMBERS: "remove a member",
    Kind.GUESTS: "log in with a password",
}


def exceeded(ceiling: Ceiling, used: int, amount: int) -> QuotaExceeded:
    (kind, per, subject), limit, tier = ceiling
    noun = _NOUNS.get(kind, kind.value)
    whose = {Per.USER: f"a {tier}", Per.ROOM: "a room", Per.TOTAL: "this server"}[per]
    holder = {Per.USER: subject, Per.ROOM: f"'{subject}'", Per.TOTAL: "it"}[per]
    more = f" and this needs {amount:,} more" if amount > 1 else ""
    return QuotaExceeded(
        f"{whose} may have {limit:,} {noun}; {holder} has {used:,}{more}: {_ADVICE[kind]}, or ask an admin",
        quota=_name(kind, per, tier),
        limit=limit,
        used=used,
    )


def _name(kind: Kind, per: Per, tier: Tier) -> str:
    """A name such as rooms_per_guest or bytes_in_total."""
    if per is Per.TOTAL:
        return f"{kind}_in_total"
    return f"{kind}_per_{tier if per is Per.USER else per}"
