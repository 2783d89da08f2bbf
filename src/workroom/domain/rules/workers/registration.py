"""Whether an offered extension may be registered, and what becomes of one that has its name."""

from __future__ import annotations

from enum import StrEnum

from workroom.domain.extension import RunnerKind


class Conflict(StrEnum):
    NONE = "none"
    NAME_RESERVED = "name_reserved"  # the server runs an extension of this name itself
    OTHER_SCHEMA = "other_schema"


class Registration(StrEnum):
    CREATE = "create"
    JOIN = "join"  # offered as it is registered
    REPLACE = "replace"
    REVIVE = "revive"  # one that had left comes back, unpaused and with a closed breaker
    NAME_RESERVED = "name_reserved"
    OTHER_SCHEMA = "other_schema"


def conflict(offered_runner: str, registered_runner: str, *, is_same_schema: bool) -> Conflict:
    """Whether two extensions of one name can both be there."""
    if registered_runner not in (RunnerKind.REMOTE, offered_runner):
        return Conflict.NAME_RESERVED
    return Conflict.NONE if is_same_schema else Conflict.OTHER_SCHEMA


def is_held(runner: str, *, has_other_offers: bool, is_unfinished: bool) -> bool:
    """Whether anything but the registering worker depends on an extension as it is registered."""
    return runner != RunnerKind.REMOTE or has_other_offers or is_unfinished


def decide(
    public_conflict: str, own_conflict: str, *, is_known: bool, is_active: bool, is_held: bool, is_own: bool
) -> Registration:
    """`public_conflict` is with an active public extension of the name, `own_conflict` with the one to join.

    `is_own`: the server registers its own extensions, which replace others.
    """
    if public_conflict != Conflict.NONE:
        return Registration(public_conflict)
    if not is_known:
        return Registration.CREATE
    if not is_active:
        return Registration.REVIVE
    if is_own or not is_held:
        return Registration.REPLACE
    return Registration.JOIN if own_conflict == Conflict.NONE else Registration(own_conflict)
