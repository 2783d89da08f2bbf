"""Whether a worker must wait for consent before it offers an extension, and who may give it."""

from __future__ import annotations

from workroom.domain.extension import RunnerKind


def is_needed(
    runner: str,
    *,
    is_trusted: bool,
    has_consent: bool,
    is_banned: bool,
    is_active: bool,
    is_held: bool,
    is_foreign: bool,
    is_public_active: bool,
    is_public_foreign: bool,
) -> bool:
    """Whether another user has the extension, in the room or in public, or the user is banned there.

    `is_active`, `is_held` and `is_foreign` are about the registered extension, if there is one.
    """
    if runner != RunnerKind.REMOTE or is_trusted or has_consent:
        return False
    if is_banned:
        return True
    if is_active:
        return is_foreign and is_held
    return is_public_active and is_public_foreign


def approver(
    offered_by: str, owner_here: str | None, owner_in_public: str | None, *, is_banned: bool
) -> str | None:
    """Who may give consent besides the room's owner: who has the extension, unless the user is banned."""
    if is_banned:
        return None
    return next((each for each in (owner_here, owner_in_public) if each not in (None, offered_by)), None)
