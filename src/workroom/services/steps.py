"""The store's verbs with their effects: the only way for a service to change something."""

from __future__ import annotations

from collections.abc import Collection, Mapping, Sequence

from workroom.domain.events import (
    ArtifactSaved,
    AttemptAnswered,
    AttemptRecalled,
    ChatPosted,
    DataChanged,
    Event,
    ExtensionsChanged,
    FilesChanged,
    JobAnnotated,
    JobPreviewed,
    JobProgressed,
    JobSuspended,
    PresetsChanged,
    QuestionAnswered,
    QuestionAsked,
)
from workroom.domain.extension import ExtensionKey, ExtensionSpec
from workroom.domain.files import Artifact, NewFile, Preview, RoomFile, Saving, Showing
from workroom.domain.job import Fence
from workroom.domain.jobs.annotation import Annotating, Saved
from workroom.domain.jobs.exchanges import ExchangeLimits
from workroom.domain.jobs.group import GroupChange, NewGroup
from workroom.domain.preset import Preset, PresetKey
from workroom.domain.room import ChatMessage
from workroom.domain.steps import (
    Answered,
    Exchanged,
    Filled,
    LogBatch,
    Logged,
    NewAnswer,
    NewExchange,
    NewJob,
    Opened,
    Progress,
    Reconciled,
    Registered,
    Report,
    Start,
    Step,
    Suspension,
    Unbegun,
)
from workroom.domain.worker import Hold, Phase, Session, WorkerSpec
from workroom.ports import Store
from workroom.services.effects import Effects
from workroom.services.jobs.log_lines import logged_event


class Steps:
    """Runs a verb and applies its effects once it is durable.

    Services hold `Steps` and a `ReadableStore`, never the store itself, so that no effect is forgotten.
    """

    def __init__(self, store: Store, effects: Effects) -> None:
        self._store = store
        self._effects = effects
        self._dispatcher = effects.dispatcher
        self._publish = effects.publish
        self._dispatcher.on_recall(self.recall)

    # Jobs

    async def submit(self, jobs: Sequence[NewJob]) -> Step:
        """The claim stands right behind the submit, so that one commit carries both."""
        committed = self._store.submit(jobs)
        ready = _count_by_extension(jobs)
        self._dispatcher.jobs_arrived(ready)
        step = await committed
        if sum(ready.values()) == len(jobs):  # else some may have been postponed, and enqueued at once
            step.requeued.clear()  # dispatched above
        self._effects.apply(step)
        return step

    async def start(self, worker: str, starts: Sequence[Start]) -> Step:
        self._dispatcher.start_sent([start.fence for start in starts], worker)
        step = await self._store.start(worker, starts)
        accepted = [
            start.fence for start, refusal in zip(starts, step.answers, strict=True) if refusal is None
        ]
        self._dispatcher.mark_started(accepted, worker)
        self._effects.apply(step)
        return step

    async def finish(self, worker: str, reports: Sequence[Report], run_ms: Mapping[str, float]) -> Step:
        """The next claim stands right behind the end, so that one commit carries both."""
        committed = self._store.finish(worker, reports)
        self._dispatcher.release_running([report.fence for report in reports], worker, run_ms)
        step = await committed
        self._effects.apply(step)
        return step

    async def release(self, worker: str, unbegun: Sequence[Unbegun]) -> Step:
        """The worker gives attempts back that it has not begun."""
        self._dispatcher.returned(worker, len(unbegun))
        step = await self._store.release(worker, unbegun, f"worker:{worker}", "not begun")
        self._effects.apply(step)
        return step

    async def recall(self, worker: str, fences: Sequence[Fence]) -> None:
        """Take attempts back that the worker has not started."""
        step = await self._store.release(worker, [Unbegun(each) for each in fences], "dispatcher", "recalled")
        self._publish(
            [
                AttemptRecalled(worker, fence.job_id, fence.attempt)
                for fence, refusal in zip(fences, step.answers, strict=True)
                if refusal is None
            ]
        )
        self._effects.apply(step)

    async def cancel(self, job_ids: Sequence[str], actor: str, reason: str) -> Step:
        step = await self._store.cancel(job_ids, actor, reason)
        self._effects.apply(step)
        return step

    async def arrange(self, job_ids: Sequence[str]) -> Step:
        step = await self._store.arrange(job_ids)
        self._effects.apply(step)
        return step

    async def fill(self, values: Sequence[Filled]) -> None:
        self._effects.apply(await self._store.fill(values))

    async def create_group(self, new: NewGroup) -> None:
        await self._store.create_group(new)

    async def change_group(self, group: str, change: GroupChange, actor: str, reason: str) -> None:
        self._effects.apply(await self._store.change_group(group, change, actor, reason))

    async def append(self, worker: str, records: Sequence[Progress]) -> Step:
        step = await self._store.append(worker, records)
        self._publish(
            [
                JobProgressed(record.fence.job_id, record.document, step.rooms.get(record.fence.job_id))
                for record, refusal in zip(records, step.answers, strict=True)
                if refusal is None
            ]
        )
        return step

    async def log(self, worker: str, batches: Sequence[LogBatch]) -> Logged:
        """Publish the lines that are new and were kept."""
        logged = await self._store.log(worker, batches)
        self._publish(
            [logged_event(batch, lines) for batch, lines in zip(batches, logged.kept, strict=True) if lines]
        )
        return logged

    async def exchange(self, worker: str, items: Sequence[NewExchange], limits: ExchangeLimits) -> Exchanged:
        """Publish the questions that are new."""
        exchanged = await self._store.exchange(worker, items, limits)
        self._publish(
            [
                QuestionAsked(each.job_id, each.room, each.user, each.question.id, each.question.text)
                for each in exchanged.asked
            ]
        )
        return exchanged

    async def answer(self, new: NewAnswer) -> Answered:
        answered = await self._store.answer(new)
        if not answered.is_repeat:
            self._publish(_answer_events(answered, new.user))
        return answered

    async def suspend(self, worker: str, suspensions: Sequence[Suspension]) -> tuple[Step, list[bool]]:
        """Also returns for each whether its slot is free now."""
        step = await self._store.suspend(worker, suspensions)
        accepted = [each for each, refusal in zip(suspensions, step.answers, strict=True) if refusal is None]
        freed = self._dispatcher.suspend(worker, accepted)
        self._publish(
            [
                JobSuspended(each.fence.job_id, step.rooms[each.fence.job_id], each.waits is not None)
                for each in accepted
            ]
        )
        return step, [each.fence in freed for each in suspensions]

    async def remember(
        self, user: str, room: str, category: str, name: str, data: bytes, secrets: bytes | None = None
    ) -> None:
        await self._store.save_form(user, room, category, name, data, secrets)
        self._publish([DataChanged(user, room, category, name)])

    # Extensions and workers

    async def pause(self, extension_id: int, key: ExtensionKey, *, paused: bool) -> None:
        self._effects.apply(await self._store.pause(extension_id, paused=paused))
        self._publish([ExtensionsChanged(key)])

    async def register(
        self, worker: WorkerSpec, specs: Sequence[ExtensionSpec], trusted: Collection[str | None] = ()
    ) -> Registered:
        registered = await self._store.register(worker, specs, trusted)
        self._effects.catalog.forget(spec.key for spec in specs)
        self._effects.apply(registered.step)
        self._publish([ExtensionsChanged(key) for key in registered.created])
        return registered

    async def open_session(
        self,
        worker: str,
        boot: str,
        holds: Sequence[Hold],
        seen: int,
        *,
        socket: str,
        on_call: bool,
        trip_s: float,
    ) -> Opened:
        opened = await self._store.open_session(worker, boot, holds, seen)
        self._dispatcher.connect(
            opened,
            socket=socket,
            on_call=on_call,
            unbegun=_unbegun(holds),
            suspended=_suspended(holds),
            trip_s=trip_s,
        )
        self._effects.apply(opened.reconciled.step)
        return opened

    async def renew(self, session: Session, holds: Sequence[Hold], seen: int) -> Reconciled:
        changes = self._dispatcher.changes(session.worker)
        reconciled = await self._store.renew(session, holds, seen)
        self._dispatcher.reconcile(session, reconciled, changes, _unbegun(holds), _suspended(holds))
        self._effects.apply(reconciled.step)
        return reconciled

    async def disconnect(self, session: Session) -> None:
        self._dispatcher.disconnect(session)
        await self._store.disconnect(session)

    async def close_session(self, worker: str, reason: str) -> None:
        self._effects.apply(await self._store.close_session(worker, reason))

    async def sweep(self) -> None:
        self._effects.apply(await self._store.sweep())

    # Chat, annotations, files and presets

    async def post(self, room: str, user: str, text: str, by_job: str | None) -> ChatMessage:
        message = await self._store.post_chat(room, user, text, by_job)
        self._publish([ChatPosted(message)])
        return message

    async def annotate(self, annotations: Sequence[Annotating]) -> list[Saved]:
        if not annotations:
            return []
        saved = await self._store.annotate(annotations)
        self._publish(
            [
                JobAnnotated(each.job_id, each.room, each.annotation)
                for each, outcome in zip(annotations, saved, strict=True)
                if outcome is Saved.SAVED
            ]
        )
        return saved

    async def attach(self, saving: Saving) -> Artifact:
        artifact = await self._store.attach(saving)
        self._publish([ArtifactSaved(artifact.job_id, artifact.name)])
        return artifact

    async def show(self, showing: Showing) -> Preview:
        preview = await self._store.show(showing)
        self._publish([JobPreviewed(preview.job_id, preview.kind, preview.version)])
        return preview

    async def add_file(self, file: NewFile) -> RoomFile:
        added = await self._store.add_file(file)
        self._publish([FilesChanged(file.room)])
        return added

    async def delete_file(self, room: str, file_id: str) -> None:
        await self._store.delete_file(room, file_id)
        self._publish([FilesChanged(room)])

    async def save_preset(self, preset: Preset, before: Preset | None) -> Preset | None:
        saved = await self._store.save_preset(preset, None if before is None else before.revision)
        if saved is not None:
            self._publish([_presets_changed(preset.key)])
        return saved

    async def delete_preset(self, key: PresetKey, revision: str) -> bool:
        is_deleted = await self._store.delete_preset(key, revision)
        if is_deleted:
            self._publish([_presets_changed(key)])
        return is_deleted


def _presets_changed(key: PresetKey) -> PresetsChanged:
    return PresetsChanged(key.room, key.holder, key.category, key.extension)


def _unbegun(holds: Sequence[Hold]) -> set[Fence]:
    return {hold.fence for hold in holds if hold.phase is Phase.QUEUED}


def _answer_events(answered: Answered, by: str) -> list[Event]:
    asked, number = answered.asked, answered.asked.question.id
    events: list[Event] = [QuestionAnswered(asked.job_id, asked.room, asked.user, number, by)]
    if answered.worker is not None:
        events.append(AttemptAnswered(answered.worker, asked.job_id, number))
    return events


def _suspended(holds: Sequence[Hold]) -> set[Fence]:
    return {hold.fence for hold in holds if hold.suspended}


def _count_by_extension(jobs: Sequence[NewJob]) -> dict[int, int]:
    """The jobs that may start at once."""
    counts: dict[int, int] = {}
    for job in jobs:
        if job.postponed is not None:
            continue
        counts[job.extension_id] = counts.get(job.extension_id, 0) + 1
    return counts
