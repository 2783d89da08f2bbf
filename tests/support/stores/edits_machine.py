"""People and jobs edit frames and documents, undo, redo and restore; some jobs fail: as in a model."""

from __future__ import annotations

from dataclasses import dataclass, field
from typing import Any

from hypothesis import strategies as st
from hypothesis.stateful import initialize, invariant, precondition, rule

from support.stores.driver import StoreDriver
from workroom.domain.queries import FindDocument, FindJobEdits, FindVersions
from workroom.domain.room_data.documents import FRAMES, DataLimits, Edit
from workroom.domain.room_data.frames import FramesEdit
from workroom.domain.room_data.locks import LockRequest, Writer
from workroom.domain.room_data.versions import Change, EditsEnd, JobEdits, Revert, VersionKind
from workroom.domain.rules.breaker import MIN_FAILURES
from workroom.domain.steps import Assignment, Report
from workroom.domain.worker import Session
from workroom.testing.conformance import Stage
from workroom.testing.conformance.stage import LAB, SMOOTH, cancelled, completed, failed, furnished

KEYS = ("notes", "figures.a", FRAMES)
TARGETS = ("notes", "figures", FRAMES)
WRITERS = ("ada", "bob", "job 0", "job 1")
TTL = 30
LIMITS = DataLimits(versions=1000)
Contents = dict[str, int | None]
RARELY = st.integers(0, 5).map(lambda n: n == 0)
EDITS = st.tuples(
    st.sampled_from(WRITERS), st.sampled_from(KEYS), st.sampled_from(("", "g", "g", "h")), RARELY, RARELY
)


@dataclass
class ModelVersion:
    number: int
    kind: str
    group: str
    changes: dict[str, tuple[int | None, int | None]]
    state: str = "done"


@dataclass
class ModelLock:
    holder: str
    until: float


@dataclass
class Model:
    """The history of a room as a list that is searched, and the contents by the number that made them."""

    now: float = 0.0
    last: int = 0
    history: list[ModelVersion] = field(default_factory=list)
    current: Contents = field(default_factory=dict)
    locks: dict[str, ModelLock] = field(default_factory=dict)
    completed: set[str] = field(default_factory=set)

    def held(self, target: str) -> str | None:
        lock = self.locks.get(target)
        is_over = lock is None or self.now >= lock.until or lock.holder in self.completed
        return None if is_over or lock is None else lock.holder

    def may_write(self, writer: str, key: str) -> bool:
        """Jobs are Ada's; everybody sends the token of a lock that they hold."""
        holder = self.held(key.partition(".")[0])
        return holder in (None, writer) or (writer.startswith("job") and holder == "ada")

    def edit(self, key: str, group: str, *, is_delete: bool) -> int:
        self.last += 1
        before, after = self.current.get(key), None if is_delete else self.last
        made = [each for each in self.history if group and each.group == group]
        later = [each.number for each in self.history if key in each.changes]
        if made and made[-1].state == "done" and max(later, default=0) <= made[-1].number:
            first = made[-1].changes.get(key, (before, None))[0]
            made[-1].changes[key] = (first, after)
        else:
            self.history.append(ModelVersion(self.last, "change", group, {key: (before, after)}))
        self.current[key] = after
        self.end_redo()
        return self.last

    def end_redo(self) -> None:
        for each in self.history:
            each.state = {"undone": "dropped"}.get(each.state, each.state)

    def to_undo(self) -> ModelVersion | None:
        edits = [each for each in self.history if each.kind in ("change", "restore")]
        return next((each for each in reversed(edits) if each.state in ("done", "partly")), None)

    def to_redo(self) -> ModelVersion | None:
        return next((each for each in self.history if each.state == "undone"), None)

    def at(self, number: int) -> Contents:
        """What the documents that changed since were at a version, where that differs from now."""
        then: Contents = {}
        for each in reversed(self.history):
            if each.number > number:
                then.update({key: before for key, (before, _) in each.changes.items()})
        return {key: content for key, content in then.items() if content != self.current.get(key)}

    def record(self, kind: str, contents: Contents) -> None:
        self.last += 1
        changes = {key: (self.current.get(key), content) for key, content in contents.items()}
        self.history.append(ModelVersion(self.last, kind, "", changes))
        self.current.update(contents)

    def undo(self, of: ModelVersion) -> None:
        self.record("undo", {key: before for key, (before, _) in of.changes.items()})
        if of.state == "partly":
            self.end_redo()
        of.state = {"done": "undone", "partly": "dropped"}[of.state]

    def redo(self, of: ModelVersion) -> None:
        self.record("redo", {key: after for key, (_, after) in of.changes.items()})
        of.state = "done"

    def roll_back(self, job: str, group: str) -> tuple[bool, list[str]]:
        """Whether anything changed, and the keys of what stays."""
        mine = [each for each in self.history if each.group == group]
        done = [each for each in mine if each.state == "done"]
        back, kept, taken = dict(self.current), set[str](), dict.fromkeys((each.number for each in done), 0)
        for each in reversed(done):
            for key, (before, after) in each.changes.items():
                if key in kept or back.get(key) != after or not self.may_write(job, key):
                    kept.add(key)
                else:
                    back[key] = before
                    taken[each.number] += 1
        contents = {key: back[key] for key in back if back[key] != self.current.get(key)}
        has_undone = any(each.state == "undone" for each in mine)
        for each in done:
            count = taken[each.number]
            each.state = "dropped" if count == len(each.changes) else "partly" if count else "done"
        if contents or has_undone:
            self.end_redo()
        if contents:
            self.record("undo", contents)
        return bool(contents), sorted(kept)


class EditsMachine(StoreDriver):
    """Subclasses open the store."""

    def __init__(self) -> None:
        super().__init__()
        self.model = Model()
        self.jobs: dict[str, Assignment] = {}
        self.status: dict[str, str] = {}
        self.recorded: set[str] = set()
        self.groups: dict[str, str] = {}
        self.number = self.failures = 0
        self.stage: Stage
        self.session: Session

    @initialize()
    def begin(self) -> None:
        async def set_up() -> tuple[Stage, Session]:
            stage = await furnished(Stage(self.store, self.clock))
            return stage, await stage.connect("w1", SMOOTH, slots=2)

        self.stage, self.session = self._run(set_up())
        for name in WRITERS[2:]:
            self._start(name)

    def _start(self, name: str) -> None:
        self.jobs[name] = self._run(self.stage.running(self.session))
        self.status[name] = "running"
        self.model.completed.discard(name)
        self.number += 1
        self.groups[name] = f"{name} {self.number}"

    def _writer(self, name: str, target: str) -> Writer:
        digest = f"{name}!" if self.model.held(target) == name else None
        if name not in self.jobs:
            return Writer(name, digest)
        return Writer("ada", digest, self.jobs[name].fence)

    @rule(name=st.sampled_from(WRITERS), part=st.sampled_from(TARGETS))
    def lock(self, name: str, part: str) -> None:
        writer = self._writer(name, part)
        if self.status.get(name, "running") != "running":
            return
        request = LockRequest(LAB, part, f"{name}!", writer.user, writer.job, "", TTL * 1_000_000, False)
        acquired, refusal = self._call(lambda: self.store.acquire_lock(request))

        assert refusal is None
        is_kept = self.model.held(part) == name
        assert acquired.is_granted == (self.model.held(part) in (None, name))
        if acquired.is_granted:
            self.model.locks[part] = ModelLock(name, self.model.now + TTL)
            if name in self.jobs and not is_kept:
                self.recorded.add(name)

    @rule(part=st.sampled_from(TARGETS))
    def break_lock(self, part: str) -> None:
        self._call(lambda: self.store.break_lock(LAB, part))
        self.model.locks.pop(part, None)

    @rule(seconds=st.sampled_from((1, 29, 31)))
    def wait(self, seconds: int) -> None:
        self.clock.advance(seconds)
        self.model.now += seconds

    @rule(edits=st.lists(EDITS, min_size=1, max_size=6))
    def edit_several_times(self, edits: list[tuple[str, str, str, bool, bool]]) -> None:
        for each in edits:
            self._check_edit(*each)

    def _check_edit(self, name: str, key: str, group: str, is_delete: bool, keeps: bool) -> None:
        writer = self._writer(name, key.partition(".")[0])
        is_delete = is_delete and key != FRAMES
        written, refusal = self._call(lambda: self._edit(writer, key, group, is_delete, keeps))
        if self.status.get(name, "running") != "running":
            assert refusal == "stale_attempt"
        elif not self.model.may_write(name, key):
            assert refusal == "locked"
        elif is_delete and self.model.current.get(key) is None:
            assert refusal == "document_not_found"
        else:
            assert refusal is None
            own = self.groups.get(name, group and f"{name} {group}")
            mine = f"{own} kept" if keeps and name in self.jobs else own
            assert written.version == self.model.edit(key, mine, is_delete=is_delete)
            if name in self.jobs and not keeps:
                self.recorded.add(name)

    async def _edit(self, writer: Writer, key: str, group: str, is_delete: bool, keeps: bool) -> Any:
        content = b"%d" % (self.model.last + 1)
        if key != FRAMES:
            edit = Edit(LAB, key, None if is_delete else content, writer, None, "", "", LIMITS, group, keeps)
            return await self.store.edit_document(edit)
        base = self.model.current.get(FRAMES)
        found = await self.store.read(FindDocument(LAB, FRAMES))
        assert (found is None) == (base is None)
        return await self.store.edit_frames(
            FramesEdit(
                LAB,
                0 if found is None else found.info.version,
                content,
                (),
                (),
                1,
                writer,
                group=group,
                keeps_on_failure=keeps,
                limits=LIMITS,
            )
        )

    @rule(kind=st.sampled_from((VersionKind.UNDO, VersionKind.REDO)))
    def undo_or_redo(self, kind: VersionKind) -> None:
        is_undo = kind is VersionKind.UNDO
        of = self.model.to_undo() if is_undo else self.model.to_redo()
        refusal = self._revert(kind, None, [] if of is None else list(of.changes))
        if of is not None and refusal is None:
            (self.model.undo if is_undo else self.model.redo)(of)

    @precondition(lambda self: self.model.history)
    @rule(place=st.integers(0, 1000))
    def restore(self, place: int) -> None:
        number = self.model.history[place % len(self.model.history)].number
        contents = self.model.at(number)
        if self._revert(VersionKind.RESTORE, number, list(contents)) is None:
            self.model.record("restore", contents)
            self.model.end_redo()

    def _revert(self, kind: VersionKind, to: int | None, keys: list[str]) -> str | None:
        revert = Revert(LAB, kind, Writer("cleo"), limits=LIMITS, to=to)
        _, refusal = self._call(lambda: self.store.revert(revert))
        is_locked = any(self.model.held(key.partition(".")[0]) for key in keys)
        assert refusal == ("nothing_to_revert" if not keys else "locked" if is_locked else None)
        return refusal

    @rule(name=st.sampled_from(WRITERS[2:]), is_failure=st.booleans() | st.just(True))
    def end_a_job(self, name: str, is_failure: bool) -> None:
        if self.status[name] == "running":
            self._run(self.stage.finish(self._end_of(name, is_failure=is_failure)))
            self.status[name] = "failed" if is_failure else "completed"
            if not is_failure:
                self.model.completed.add(name)

    def _end_of(self, name: str, *, is_failure: bool) -> Report:
        """A cancelled job did not complete either, and does not open the circuit breaker."""
        if not is_failure:
            return completed(self.jobs[name])
        self.failures += 1
        return (failed if self.failures < MIN_FAILURES else cancelled)(self.jobs[name])

    @rule(name=st.sampled_from(WRITERS[2:]))
    def end_edits(self, name: str) -> None:
        job_id = self.jobs[name].fence.job_id
        end = EditsEnd(JobEdits(LAB, job_id, 1), f"{name} failed", limits=LIMITS)
        ended, _ = self._call(lambda: self.store.end_job_edits(end))
        is_running, is_recorded = self.status[name] == "running", name in self.recorded

        assert (ended is not None) == (is_recorded and not is_running)
        if ended is not None:
            is_failure = self.status[name] == "failed"
            is_changed, kept = self.model.roll_back(name, self.groups[name]) if is_failure else (False, [])
            assert ((ended.undone is not None), list(ended.kept)) == (is_changed, kept)
            freed = sorted(part for part, lock in self.model.locks.items() if lock.holder == name)
            assert list(ended.freed) == freed
            for part in freed:
                del self.model.locks[part]
        if not is_running:
            self.recorded.discard(name)
            self._start(name)

    @invariant()
    def the_store_has_what_the_model_has(self) -> None:
        contents, versions, over = self._run(self._read())
        current = {key: b"%d" % content for key, content in self.model.current.items() if content is not None}
        expected = [
            (
                each.number,
                each.kind,
                each.state in ("undone", "dropped"),
                tuple(Change(key, *each.changes[key]) for key in sorted(each.changes)),
            )
            for each in self.model.history
        ]

        assert contents == current
        assert versions == expected
        assert over == {name for name in self.recorded if self.status[name] != "running"}

    async def _read(self) -> tuple[dict[str, bytes], list[Any], set[str]]:
        found = [await self.store.read(FindDocument(LAB, key)) for key in KEYS]
        versions = (await self.store.read(FindVersions(LAB, limit=5000))).items
        names = {given.fence.job_id: name for name, given in self.jobs.items()}
        over = await self.store.read(FindJobEdits())
        return (
            {each.info.key: each.content for each in found if each is not None},
            [(each.number, str(each.kind), each.is_undone, each.changes) for each in versions[::-1]],
            {names[each.job_id] for each in over},
        )
