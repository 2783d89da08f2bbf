"""What becomes of locks, edits and versions, written once more as tables and searches."""

from __future__ import annotations

from collections.abc import Sequence

_PLACE_US = 10_000_000


def is_live(expires_us: int, ttl_us: int, now_us: int) -> bool:
    return now_us in range(max(expires_us - ttl_us, 0), expires_us)


def ends_with_job(attempt: int, current: int, status: str) -> bool:
    return (current, status) == (attempt, "completed")


def acquire(is_held: bool, is_own: bool, ahead: int, waits: bool) -> str:
    otherwise = {True: "wait", False: "refuse"}[waits]
    if is_held:
        return "keep" if is_own else otherwise
    return otherwise if ahead else "grant"


def exceeded_locks(
    verdict: str, has_place: bool, locks: int, own: int, waiters: int, room: int, user: int, most: int
) -> str | None:
    checks = {
        "locks_per_room": verdict == "grant" and not locks < room,
        "locks_per_user": verdict in {"grant", "wait"} and not has_place and not own < user,
        "waiters_per_lock": verdict == "wait" and not has_place and not waiters < most,
    }
    return next((name for name, fails in checks.items() if fails), None)


def is_place_due(expires_us: int, now_us: int) -> bool:
    return now_us + int(_PLACE_US / 3 * 2) > expires_us


def is_holders_job(
    holder: str, holder_job: str | None, user: str, job: str | None, parent: str | None
) -> bool:
    starters = {(user, None), (user, job), (user, parent)}
    return job is not None and (holder, holder_job) in starters


_WRITES = {  # is_held, is_own, has_token, is_holders_job
    (False, True): "lost",
    (False, False): "write",
}


def write(is_held: bool, is_own: bool, has_token: bool, is_holders_job: bool) -> str:
    if not is_held:
        return _WRITES[is_held, has_token]
    return {0: "locked"}.get(is_own + is_holders_job, "write")


def edit(version: int, expected: int | None, is_repeat: bool, is_delete: bool) -> str:
    if is_repeat:
        return "repeat"
    if is_delete and not version:
        return "missing"
    accepted = {None, version} | ({-1} if version else set())
    return "write" if expected in accepted else "conflict"


def exceeded_data(
    documents: int, size: int, more_documents: int, more_size: int, most: int, max_size: int
) -> str | None:
    after, size_after = documents + more_documents, size + more_size
    if after > max(most, documents):
        return "documents_per_room"
    return "document_bytes_per_room" if size_after > max(max_size, size) else None


def to_undo(entries: Sequence[tuple[int, str, str]]) -> int | None:
    return max(
        (each[0] for each in entries if each[1] in "change restore" and each[2] in ("done", "partly")),
        default=None,
    )


def to_redo(entries: Sequence[tuple[int, str, str]]) -> int | None:
    return min((each[0] for each in entries if each[2] == "undone"), default=None)


def is_over(edits: int, count: int, age_us: int, size: int, most: int, keep_us: int, max_size: int) -> bool:
    return not (edits <= most and count <= most + most + most and age_us <= keep_us and size <= max_size)


def after_undo(state: str) -> str:
    return {"done": "undone", "partly": "dropped"}[state]


def amends(number: int, state: str, changes: int, changed: int) -> bool:
    is_known = number == changed
    return state == "done" and changed in range(number + 1) and (is_known or changes + 1 <= 500)


def rolls_back(changes: Sequence[tuple[int, int]], current: int) -> int:
    contents = [current, *(before for before, _ in changes)]
    differs = (place for place, (_, after) in enumerate(changes) if after != contents[place])
    return next(differs, len(changes))


def after_rollback(changes: int, rolled_back: int) -> str:
    return {0: "done", changes: "dropped"}.get(rolled_back, "partly")
