"""Converts script replies to domain values."""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from functools import lru_cache
from typing import Any

from workroom.domain.extension import ExtensionKey
from workroom.domain.job import Fence, JobState, Transition
from workroom.domain.jobs.group import ChangedGroup
from workroom.domain.room import ChatMessage
from workroom.domain.steps import Assignment, Offer, Opened, Reconciled, Release, Revocation, Seating, Step
from workroom.domain.worker import ConsentRequest, Session
from workroom.stores.redis.messages.refusals import item_refusal
from workroom.stores.redis.payloads import NO_PAYLOAD, Payload

Row = Sequence[Any]
_STATES = {str(state): state for state in JobState}


def extension_key(row: Row) -> ExtensionKey:
    return _extension_key(*row)


@lru_cache(1000)
def _extension_key(room: str, category: str, name: str) -> ExtensionKey:
    return ExtensionKey(room or None, category, name)


def step(row: Row) -> Step:
    refusals, released, revoked, arrivals, departed, removed, offline, *rest = row
    known, rooms, chat, groups, to_fill, wake_s, transitions = rest
    return Step(
        answers=[item_refusal(refusal) for refusal in refusals],
        transitions=[transition(row) for row in transitions],
        released=[Release(*row) for row in released],
        revoked=[Revocation(*row) for row in revoked],
        requeued={extension for extension, _ in arrivals},
        arrivals={extension: jobs for extension, jobs in arrivals if jobs},
        departed=[extension_key(row) for row in departed],
        removed=[extension_key(row) for row in removed],
        offline=list(offline),
        known=dict(known),
        rooms=dict(rooms),
        chat=[chat_message(row) for row in chat],
        groups=[ChangedGroup(*row) for row in groups],
        to_fill=list(to_fill),
        wake_s=None if wake_s is False else wake_s,
    )


def transition(row: Row) -> Transition:
    sequence, job_id, room, user, version, status, attempt, worker, actor, reason, at_us, *times = row
    created_us, started_us = times or (None, None)  # a record of an older version has none
    return Transition(
        sequence,
        job_id,
        room,
        user,
        version,
        _STATES[status],
        attempt,
        worker or None,
        actor,
        reason or None,
        at_us,
        created_us,
        started_us or None,
    )


def chat_message(row: Row) -> ChatMessage:
    sequence, room, user, text, job_id, at_us, by_job = row
    return ChatMessage(sequence, room, user, text, job_id or None, at_us, by_job or None)


def assignment(row: Row, payloads: Mapping[str, Payload]) -> Assignment:
    """Build an assignment. `payloads` has the values of jobs that are small enough to push."""
    job_id, attempt, token, number, worker, extension, key, room, user, _, timeout = row
    payload = payloads.get(job_id, NO_PAYLOAD)
    return Assignment(
        Fence(job_id, attempt, token),
        number,
        worker,
        extension,
        extension_key(key),
        room,
        user,
        payload.data,
        None if timeout is False else timeout,
        payload.secrets,
        None if payload.trace is None else payload.trace.decode(),
    )


def reconciled(row: Row, payloads: Mapping[str, Payload]) -> Reconciled:
    keep, drop, cancel, resend, changes = row
    return Reconciled(
        keep=[Fence(*fence) for fence in keep],
        drop=[Fence(*fence) for fence in drop],
        cancel=[Fence(*fence) for fence in cancel],
        resend=[assignment(row, payloads) for row in resend],
        step=step(changes),
    )


def consent_requests(rows: Row) -> tuple[ConsentRequest, ...]:
    requests = [ConsentRequest(extension_key(key), owner or None) for key, owner in rows]
    return tuple(
        sorted(requests, key=lambda request: (request.key.category, request.key.name, request.key.room or ""))
    )


def seating(worker: str, row: Row) -> Seating:
    offers, rooms = row
    found = [Offer(extension, room or None) for extension, room in offers]
    return Seating(worker, found, frozenset(room or None for room in rooms))


def opened(worker: str, row: Row, payloads: Mapping[str, Payload]) -> Opened:
    session, slots, offers, last_number, draining, awaiting, lease_us, reconciliation = row
    return Opened(
        Session(worker, session),
        slots,
        [Offer(extension, room or None) for extension, room in offers],
        reconciled(reconciliation, payloads),
        last_number,
        draining,
        consent_requests(awaiting),
        None if lease_us is False else lease_us / 1_000_000,
    )
