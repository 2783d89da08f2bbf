"""Every event has a name of its own, and somebody who hears it."""

from __future__ import annotations

import re

import pytest

from workroom.domain import events
from workroom.domain.chat import ChatMessage
from workroom.domain.events import (
    EVERYONE,
    FLEET,
    ChatSaid,
    DataChanged,
    Event,
    ExtensionsChanged,
    FilesChanged,
    JobLogged,
    JobPreviewed,
    JobProgressed,
    JobRevoked,
    JobSaved,
    JobStateChanged,
    RoomChanged,
    WorkerStateChanged,
)
from workroom.domain.extension import ExtensionKey
from workroom.domain.job import JobState, Transition

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
def test_an_event_is_named_subject_and_news(kind: type[Event]) -> None:
    assert re.fullmatch(r"[a-z]+:[a-z]+(_[a-z]+)*", kind.name)


HEARD = [
    (JobStateChanged(TRANSITION), {"room:lab", "user:ada"}),
    (JobProgressed("j1", b"{}"), {"job:j1"}),
    (JobLogged("j1", 1, b"[]"), {"job:j1"}),
    (JobPreviewed("j1", "png", 1), {"job:j1"}),
    (JobSaved("j1", "plot.png"), {"job:j1"}),
    (JobRevoked("w1", "j1", 1, "cancelled"), {"worker:w1"}),
    (ExtensionsChanged(ExtensionKey("lab", "analysis", "Smooth")), {"room:lab"}),
    (ExtensionsChanged(ExtensionKey(None, "analysis", "Smooth")), {EVERYONE}),
    (WorkerStateChanged("w1", "idle", 0, ("lab", "attic")), {"room:lab", "room:attic", FLEET}),
    (WorkerStateChanged("w1", "idle", 0, (None,)), {EVERYONE, FLEET}),
    (DataChanged("ada", "lab", "settings", "Theme"), {"user:ada"}),
    (RoomChanged("lab"), {"room:lab"}),
    (FilesChanged("lab"), {"room:lab"}),
    (ChatSaid(ChatMessage(1, "lab", "ada", "hello", None, 0)), {"room:lab"}),
]


@pytest.mark.parametrize(("event", "audiences"), HEARD)
def test_an_event_is_heard_by_whom_it_concerns(event: Event, audiences: set[str]) -> None:
    assert set(event.audiences) == audiences


def test_progress_is_told_by_the_streams_of_its_room_too() -> None:
    assert JobProgressed("j1", b"{}", "lab").onlookers == ("room:lab",)
    assert JobProgressed("j1", b"{}").onlookers == ()


def test_every_event_is_in_the_table_above() -> None:
    assert {type(event) for event, _ in HEARD} == set(KINDS)
