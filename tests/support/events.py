"""A sample of every event, with and without its optional parts."""

from __future__ import annotations

from workroom.domain import events
from workroom.domain.events import Event
from workroom.domain.extension import ExtensionKey
from workroom.domain.job import JobState, Transition
from workroom.domain.jobs.annotation import Annotation
from workroom.domain.room import ChatMessage

NOW_US = 1_700_000_000_123_456
TRANSITION = Transition(2**40, "job-1", "lab", "ada", 3, JobState.RUNNING, 1, None, "server", None, NOW_US)
SMOOTH = ExtensionKey("lab", "analysis", "Smooth")
PUBLIC = ExtensionKey(None, "analysis", "Smooth")
PROGRESS = '{"message":"½","elapsed_ms":1.5,"updated_at":"2026-01-20T12:00:00.000Z"}'.encode()
LINES = b'[{"seq":1,"at":"2026-01-20T12:00:00.000Z","stream":"stdout","text":"hi"}]'

SAMPLES: list[Event] = [
    events.JobStateChanged(TRANSITION),
    events.JobProgressed("job-1", PROGRESS, "lab"),
    events.JobProgressed("job-1", PROGRESS),
    events.JobLogged("job-1", 2, LINES),
    events.JobPreviewed("job-1", "png", 3),
    events.PositionsShown("lab", "job-1", 3, bytes(range(24))),
    events.ArtifactSaved("job-1", "plot.png"),
    events.JobAnnotated("job-1", "lab", Annotation("relax", True, ("a", "ü"), "note", 2, "ada", NOW_US)),
    events.JobAnnotated("job-1", "lab", Annotation(version=3, by="ada", at_us=NOW_US)),
    events.JobSuspended("job-1", "lab", True),
    events.QuestionAsked("job-1", "lab", "ada", 1, "Keep it?"),
    events.QuestionAnswered("job-1", "lab", "ada", 1, "bob"),
    events.AttemptAnswered("w1", "job-1", 1),
    events.FilesChanged("lab"),
    events.AttemptRecalled("w1", "job-1", 1),
    events.AttemptRevoked("w1", "job-1", 1, "no"),
    events.ExtensionsChanged(SMOOTH),
    events.ExtensionsChanged(PUBLIC),
    events.WorkerStateChanged("w1", "idle", NOW_US, ("lab", None)),
    events.WorkerStateChanged("w1", "running", NOW_US, ("lab",), ("job-1", "job-2")),
    events.WorkerAccepted("w1", SMOOTH, "ada"),
    events.WorkerRefused("w1", PUBLIC, "ada", "no"),
    events.WorkerDismissed("w1", "ada", "no"),
    events.WorkerDrained("w1", draining=True),
    events.RoomChanged("lab", is_deleted=True),
    events.SubscriptionEnded("connection", "put out", None, "job-1"),
    events.ChatPosted(ChatMessage(7, "lab", "ada", "hello", None, NOW_US)),
    events.PresetsChanged("lab", "", "analysis", "Smooth"),
    events.PresetsChanged("lab", "ada", "analysis", "Smooth"),
    events.DataChanged("ada", "lab", "settings", "Theme"),
    events.StateChanged("lab", "selection", 3, "ada", None, False, b'{"a":[1,null]}'),
    events.StateChanged("lab", "selection", 4, "ada", "job-1", True),
    events.FramesChanged("lab", 5, 20, "ada", None, "append", 10, 20),
    events.FramesChanged("lab", 6, 0, "ada", "job-1", "delete", 0, 0),
    events.LockChanged("lab", "frames", "ada", "job-1", "half done", 3, NOW_US, NOW_US + 1),
    events.LockChanged("lab", "frames"),
    events.PresenceChanged("lab", "s1", ("ada",), (NOW_US,)),
    events.RecordChanged("lab", "shots", "s1", "ada", "job-1", True),
    events.GroupChanged("grp_1", "lab", 3),
]
