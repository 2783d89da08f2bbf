"""Every event has a name of its own, and somebody who hears it."""

from __future__ import annotations

import re

import pytest

from workroom.domain import events
from workroom.domain.events import (
    EVERYONE,
    FLEET,
    ArtifactSaved,
    AttemptAnswered,
    AttemptRecalled,
    AttemptRevoked,
    ChatPosted,
    DataChanged,
    Event,
    ExtensionsChanged,
    FilesChanged,
    FramesChanged,
    GroupChanged,
    JobAnnotated,
    JobLogged,
    JobPreviewed,
    JobProgressed,
    JobStateChanged,
    JobSuspended,
    LockChanged,
    PositionsShown,
    PresenceChanged,
    PresetsChanged,
    QuestionAnswered,
    QuestionAsked,
    RecordChanged,
    RoomChanged,
    StateChanged,
    SubscriptionEnded,
    WorkerAccepted,
    WorkerDismissed,
    WorkerDrained,
    WorkerRefused,
    WorkerStateChanged,
)
from workroom.domain.extension import ExtensionKey
from workroom.domain.job import JobState, Transition
from workroom.domain.jobs.annotation import Annotation
from workroom.domain.room import ChatMessage

KINDS = [
    kind
    for kind in vars(events).values()
    if isinstance(kind, type) and issubclass(kind, Event) and kind is not Event
]
TRANSITION = Transition(1, "j1", "lab", "ada", 1, JobState.PENDING, 0, None, "ada", None, 0)


def test_no_two_events_share_a_name() -> None:
    names = [kind.name for kind in KINDS]
    assert len(set(names)) == len(names)


@pytest.mark.parametrize("kind", KINDS)
def test_an_event_is_named_after_its_subject_and_what_happened(kind: type[Event]) -> None:
    assert re.fullmatch(r"[a-z]+:[a-z]+(_[a-z]+)*", kind.name)


HEARD = [
    (JobStateChanged(TRANSITION), {"room:lab", "user:ada"}),
    (JobProgressed("j1", b"{}"), {"job:j1"}),
    (JobLogged("j1", 1, b"[]"), {"job:j1"}),
    (JobPreviewed("j1", "png", 1), {"job:j1"}),
    (PositionsShown("lab", "j1", 0, b""), {"room:lab"}),
    (ArtifactSaved("j1", "plot.png"), {"job:j1"}),
    (JobAnnotated("j1", "lab", Annotation(starred=True)), {"room:lab", "job:j1"}),
    (JobSuspended("j1", "lab", True), {"room:lab", "job:j1"}),
    (QuestionAsked("j1", "lab", "ada", 1, "Keep it?"), {"room:lab", "user:ada", "job:j1"}),
    (QuestionAnswered("j1", "lab", "ada", 1, "bob"), {"room:lab", "user:ada", "job:j1"}),
    (AttemptAnswered("w1", "j1", 1), {"worker:w1"}),
    (AttemptRecalled("w1", "j1", 1), {"worker:w1"}),
    (AttemptRevoked("w1", "j1", 1, "cancelled"), {"worker:w1"}),
    (ExtensionsChanged(ExtensionKey("lab", "analysis", "Smooth")), {"room:lab"}),
    (ExtensionsChanged(ExtensionKey(None, "analysis", "Smooth")), {EVERYONE}),
    (WorkerStateChanged("w1", "idle", 0, ("lab", "attic")), {"room:lab", "room:attic", FLEET}),
    (WorkerStateChanged("w1", "idle", 0, (None,)), {EVERYONE, FLEET}),
    (WorkerAccepted("w1", ExtensionKey("lab", "analysis", "Smooth"), "ada"), {"worker:w1"}),
    (WorkerRefused("w1", ExtensionKey("lab", "analysis", "Smooth"), "ada", "no"), {"worker:w1"}),
    (WorkerDismissed("w1", "ada", "no"), {"worker:w1"}),
    (WorkerDrained("w1", True), {"worker:w1"}),
    (DataChanged("ada", "lab", "settings", "Theme"), {"user:ada"}),
    (RoomChanged("lab"), {"room:lab"}),
    (SubscriptionEnded("a-connection", "put out", room="lab"), {"a-connection"}),
    (FilesChanged("lab"), {"room:lab"}),
    (PresetsChanged("lab", "", "analysis", "Smooth"), {"room:lab"}),
    (PresetsChanged("lab", "ada", "analysis", "Smooth"), {"user:ada"}),
    (ChatPosted(ChatMessage(1, "lab", "ada", "hello", None, 0)), {"room:lab"}),
    (StateChanged("lab", "selection", 3, "ada", None, False, b"[1]"), {"room:lab"}),
    (FramesChanged("lab", 4, 20, "ada", None, "append", 10, 20), {"room:lab"}),
    (LockChanged("lab", "selection"), {"room:lab"}),
    (PresenceChanged("lab", "s1", ("ada",), (0,)), {"room:lab"}),
    (RecordChanged("lab", "shots", "s1", "ada", None, False), {"room:lab"}),
    (GroupChanged("grp_1", "lab", 3), {"room:lab"}),
]


@pytest.mark.parametrize(("event", "audiences"), HEARD)
def test_an_event_has_its_audience(event: Event, audiences: set[str]) -> None:
    assert set(event.audiences) == audiences


def test_streams_of_a_room_carry_progress_too() -> None:
    assert JobProgressed("j1", b"{}", "lab").stream_audiences == ("room:lab",)
    assert JobProgressed("j1", b"{}").stream_audiences == ()


def test_every_event_is_in_the_table_above() -> None:
    assert {type(event) for event, _ in HEARD} == set(KINDS)
