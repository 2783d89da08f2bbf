"""Two writers change a room's data at random; a store must do what a small model does."""

from __future__ import annotations

from dataclasses import dataclass, field
from typing import Any

from hypothesis import strategies as st
from hypothesis.stateful import initialize, invariant, rule

from support.stores.driver import StoreDriver
from workroom.domain.queries import FindDocument, FindDocuments, FindLocks
from workroom.domain.room import Room
from workroom.domain.room_data.documents import DataLimits, Edit
from workroom.domain.room_data.locks import LockRequest, Writer
from workroom.domain.room_data.versions import Revert, VersionKind

LAB = "lab"
USERS = st.sampled_from(("ada", "bob"))
TARGETS = st.sampled_from(("notes", "figures"))
KEYS = st.sampled_from(("notes", "figures.a", "figures.b", "step"))
VALUES = st.binary(min_size=1, max_size=4)
TTL, PLACE = 30, 10
LIMITS = DataLimits(versions=1000)


@dataclass
class ModelLock:
    user: str
    fence: int
    until: float


@dataclass
class Model:
    """What the data of a room is: the locks, the queues, the values, and what can be undone and redone."""

    now: float = 0.0
    fence: int = 0
    locks: dict[str, ModelLock] = field(default_factory=dict)
    queues: dict[str, list[tuple[str, float]]] = field(default_factory=dict)
    values: dict[str, bytes] = field(default_factory=dict)
    done: list[dict[str, tuple[bytes | None, bytes | None]]] = field(default_factory=list)
    undone: list[dict[str, tuple[bytes | None, bytes | None]]] = field(default_factory=list)

    def holder(self, target: str) -> ModelLock | None:
        lock = self.locks.get(target)
        return lock if lock is not None and self.now < lock.until else None

    def queue(self, target: str) -> list[str]:
        self.queues[target] = [each for each in self.queues.get(target, []) if self.now < each[1]]
        return [user for user, _ in self.queues[target]]

    def acquire(self, user: str, target: str, *, waits: bool) -> int | None:
        lock, queue = self.holder(target), self.queue(target)
        if lock is not None and lock.user == user:
            lock.until = self.now + TTL
            self.leave(user, target)
            return lock.fence
        if lock is None and queue[:1] in ([], [user]):
            self.leave(user, target)
            self.fence += 1
            self.locks[target] = ModelLock(user, self.fence, self.now + TTL)
            return self.fence
        if waits:
            self._keep_place(user, target)
        return None

    def _keep_place(self, user: str, target: str) -> None:
        places = self.queues[target]
        for index, (waiter, until) in enumerate(places):
            if waiter == user:
                is_due = until - self.now < PLACE * 2 / 3
                places[index] = (user, self.now + PLACE if is_due else until)
                return
        places.append((user, self.now + PLACE))

    def leave(self, user: str, target: str) -> None:
        self.queues[target] = [each for each in self.queues.get(target, []) if each[0] != user]

    def release(self, user: str, target: str) -> None:
        self.leave(user, target)
        if target in self.locks and self.locks[target].user == user:
            del self.locks[target]

    def may_write(self, user: str, target: str, *, with_token: bool) -> str | None:
        lock = self.holder(target)
        if lock is None:
            return "lock_lost" if with_token else None
        return None if with_token and lock.user == user else "locked"

    def write(self, key: str, value: bytes | None) -> None:
        if not key.startswith("step"):
            self.done.append({key: (self.values.get(key), value)})
            self.undone.clear()
        self._set(key, value)

    def revert(self, source: str) -> list[str] | None:
        """The targets of what would be undone or redone next."""
        stack = getattr(self, source)
        return sorted({key.partition(".")[0] for key in stack[-1]}) if stack else None

    def apply(self, source: str) -> None:
        is_undo = source == "done"
        change = getattr(self, source).pop()
        (self.undone if is_undo else self.done).append(change)
        for key, (before, after) in change.items():
            self._set(key, before if is_undo else after)

    def _set(self, key: str, value: bytes | None) -> None:
        if value is None:
            self.values.pop(key, None)
        else:
            self.values[key] = value


class RoomDataMachine(StoreDriver):
    """Subclasses open the store."""

    def __init__(self) -> None:
        super().__init__()
        self.model = Model()

    @initialize()
    def create_the_room(self) -> None:
        self._call(lambda: self.store.create_room(Room(LAB, "ada")))

    @rule(user=USERS, part=TARGETS, waits=st.booleans())
    def acquire(self, user: str, part: str, waits: bool) -> None:
        request = LockRequest(LAB, part, f"{user}!", user, None, "", TTL * 1_000_000, waits)
        acquired, refusal = self._call(lambda: self.store.acquire_lock(request))
        fence = self.model.acquire(user, part, waits=waits)

        assert refusal is None
        assert acquired.is_granted == (fence is not None)
        if fence is not None:
            assert acquired.lock.fence == fence

    @rule(user=USERS, part=TARGETS)
    def refresh(self, user: str, part: str) -> None:
        _, refusal = self._call(lambda: self.store.refresh_lock(LAB, part, f"{user}!", None, None))
        lock = self.model.holder(part)
        is_held = lock is not None and lock.user == user

        assert refusal == (None if is_held else "lock_lost")
        if lock is not None and is_held:
            lock.until = self.model.now + TTL

    @rule(user=USERS, part=TARGETS)
    def release(self, user: str, part: str) -> None:
        self._call(lambda: self.store.release_lock(LAB, part, f"{user}!"))
        self.model.release(user, part)

    @rule(part=TARGETS)
    def break_lock(self, part: str) -> None:
        broken, _ = self._call(lambda: self.store.break_lock(LAB, part))

        assert (broken is None) == (self.model.holder(part) is None)
        self.model.locks.pop(part, None)

    @rule(seconds=st.sampled_from((1, 4, 9, 29, 31)))
    def wait(self, seconds: int) -> None:
        self.clock.advance(seconds)
        self.model.now += seconds

    @rule(user=USERS, key=KEYS, value=st.none() | VALUES, with_token=st.booleans(), expects=st.booleans())
    def write(self, user: str, key: str, value: bytes | None, with_token: bool, expects: bool) -> None:
        found = self._run(self._find(key))
        version = None if not expects else 0 if found is None else found.info.version
        edit = Edit(LAB, key, value, Writer(user, f"{user}!" if with_token else None), version, limits=LIMITS)
        written, refusal = self._call(lambda: self.store.edit_document(edit))
        expected = self.model.may_write(user, key.partition(".")[0], with_token=with_token)
        if expected is None and value is None and key not in self.model.values:
            expected = "document_not_found"

        assert refusal == expected
        if refusal is None:
            assert written.is_new
            self.model.write(key, value)

    @rule(user=USERS, key=KEYS, value=VALUES)
    def write_an_outdated_version(self, user: str, key: str, value: bytes) -> None:
        edit = Edit(LAB, key, value, Writer(user), 10_000_000, limits=LIMITS)
        _, refusal = self._call(lambda: self.store.edit_document(edit))
        expected = self.model.may_write(user, key.partition(".")[0], with_token=False)

        assert refusal == (expected or "version_conflict")

    @rule(user=USERS, is_undo=st.booleans())
    def revert(self, user: str, is_undo: bool) -> None:
        kind, source = (VersionKind.UNDO, "done") if is_undo else (VersionKind.REDO, "undone")
        held = [t for t in ("notes", "figures") if (h := self.model.holder(t)) and h.user == user]
        revert = Revert(LAB, kind, Writer(user), limits=LIMITS, digests=(f"{user}!",) if held else ())
        _, refusal = self._call(lambda: self.store.revert(revert))
        targets = self.model.revert(source)
        blocked = [t for t in targets or () if self.model.holder(t) is not None and t not in held]
        expected = "nothing_to_revert" if targets is None else "locked" if blocked else None

        assert refusal == expected
        if refusal is None:
            self.model.apply(source)

    @invariant()
    def the_store_has_what_the_model_has(self) -> None:
        locks, values = self._run(self._read())

        assert values == self.model.values
        expected = {part: self.model.holder(part) for part in self.model.locks}
        assert locks == {t: (lock.user, lock.fence) for t, lock in expected.items() if lock is not None}

    async def _find(self, key: str) -> Any:
        return await self.store.read(FindDocument(LAB, key))

    async def _read(self) -> tuple[dict[str, tuple[str, int]], dict[str, bytes]]:
        locks = await self.store.read(FindLocks(LAB, self.clock.now_us()))
        documents = await self.store.read(FindDocuments(LAB))
        found = [await self._find(each.key) for each in documents]
        return {each.target: (each.user, each.fence) for each in locks}, {
            each.info.key: each.content for each in found
        }
