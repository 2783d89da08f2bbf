"""The extensions, workers and endings of the state machine, and how they are drawn."""

from __future__ import annotations

from dataclasses import replace

from hypothesis import strategies as st

from workroom.domain.extension import Concurrency, OnDuplicate, Policy, RetryOn, RunnerKind
from workroom.domain.job import JobError, JobState
from workroom.domain.rules.failure import REFUSED_INPUT
from workroom.domain.rules.queue.fair_share import AGE_US
from workroom.testing.conformance.stage import LIVENESS as PROMPT
from workroom.testing.conformance.stage import extension

LIVENESS = replace(PROMPT, linger=45.0, offline=1e7)  # the model does not delete records of workers

ASK = extension(
    "Ask",
    policy=Policy(
        retries=1,
        retry_on=RetryOn.ERROR,
        timeout=25,
        concurrency=Concurrency("{provider}", {"a": 1, "b": 2}),
    ),
)
TRAIN = extension("Train", policy=Policy(retries=1, retry_on=RetryOn.ERROR, timeout=25))
PLOT = extension("Plot", policy=Policy(timeout=20, lease=40.0))
FETCH = extension(
    "Fetch", policy=Policy(rate="20/min", concurrency=Concurrency("{provider}", {"a": 1, "b": 2}))
)
SOLVE = extension("Solve", policy=Policy(unique="{provider}", unique_within=20.0))
SAVE = extension("Save", policy=Policy(unique="{provider}", on_duplicate=OnDuplicate.REPLACE))
NOTE = extension("Note", policy=Policy(unique="{provider}", unique_states=("pending",)))
TIDY = extension("Tidy", room=None, runner=RunnerKind.LOCAL)  # the server's own
SPECS = {spec.key.name: spec for spec in (ASK, TRAIN, PLOT, FETCH, SOLVE, SAVE, NOTE, TIDY)}

ENDINGS: dict[str, tuple[JobState, bytes | None, JobError | None]] = {
    "answer": (JobState.COMPLETED, b'{"answer":42}', None),
    "done": (JobState.COMPLETED, None, None),
    "broken": (JobState.FAILED, None, JobError("ValueError", "it broke", {}, "")),
    "refused": (JobState.FAILED, None, JobError(REFUSED_INPUT, "no such thing", {}, "")),
    "cancelled": (JobState.CANCELLED, None, None),
}
SOON = 1 / 64  # exact in binary, so that rounding never makes a store and the model disagree
STRIDE, BREAK, GAP = LIVENESS.heartbeat, 61.0, LIVENESS.lease + 15
AGE = AGE_US / 1e6

WORKERS = ("w1", "w2", "w3")
workers = st.sampled_from(WORKERS)
extensions = st.sampled_from(list(SPECS))
recent = st.integers(0, 7)
some = st.sampled_from([set(WORKERS), set(WORKERS), {"w1"}, {"w2"}, set()])
endings = st.sampled_from([*ENDINGS, None])
five_failures = st.just(["broken"] * 5)
rarely = st.sampled_from([False, False, False, True])
ahead = st.sampled_from([set(), set(), {"Train"}, {"Ask", "Plot"}, set(SPECS)])
