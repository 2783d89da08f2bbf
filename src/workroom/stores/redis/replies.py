"""Replies become values."""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from functools import lru_cache
from typing import Any

from workroom.domain.chat import ChatMessage
from workroom.domain.extension import ExtensionKey
from workroom.domain.job import Fence, JobState, Transition
from workroom.domain.steps import Assignment, Offer, Opened, Reconciled, Release, Revocation, Step
from workroom.domain.worker import Session
from workroom.stores.redis.refusals import answer

Row = Sequence[Any]
_STATES = {str(state): state for state in JobState}


def extension_key(row: Row) -> ExtensionKey:
    return _extension_key(*row)


@lru_cache(1000)
def _extension_key(room: str, category: str, name: str) -> ExtensionKey:
    return ExtensionKey(room or None, category, name)


def step(row: Row) -> Step:
    answers, released, revoked, arrivals, removed, offline, known, rooms, said, transitions = row
    return Step(
        answers=[answer(each) for each in answers],
        transitions=[transition(each) for each in transitions],
        released=[Release(*each) for each in released],
        revoked=[Revocation(*each) for each in revoked],
        requeued={extension for extension, _ in arrivals},
        arrivals={extension: jobs for extension, jobs in arrivals if jobs},
        removed=[extension_key(each) for each in removed],
        offline=list(offline),
        known=dict(known),
        rooms=dict(rooms),
        said=[chat_message(each) for each in said],
    )


def transition(row: Row) -> Transition:
    sequence, job_id, room, user, version, status, attempt, worker, actor, reason, at_us = row
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
    )


def chat_message(row: Row) -> ChatMessage:
    sequence, room, user, text, job_id, at_us = row
    return ChatMessage(sequence, room, user, text, job_id or None, at_us)


def assignment(row: Row, data: Mapping[str, bytes | None]) -> Assignment:
    """`data` has the values of the job, where they are small enough to go along."""
    job_id, attempt, token, number, worker, extension, key, room, user, _, timeout = row
    return Assignment(
        Fence(job_id, attempt, token),
        number,
        worker,
        extension,
        extension_key(key),
        room,
        user,
        data.get(job_id),
        None if timeout is False else timeout,
    )


def reconciled(row: Row, data: Mapping[str, bytes | None]) -> Reconciled:
    keep, drop, cancel, resend, told = row
    return Reconciled(
        keep=[Fence(*each) for each in keep],
        drop=[Fence(*each) for each in drop],
        cancel=[Fence(*each) for each in cancel],
        resend=[assignment(each, data) for each in resend],
        step=step(told),
    )


def opened(worker: str, row: Row, data: Mapping[str, bytes | None]) -> Opened:
    session, slots, offers, last_number, draining, told = row
    return Opened(
        Session(worker, session),
        slots,
        [Offer(extension, room or None) for extension, room in offers],
        reconciled(told, data),
        last_number,
        draining,
    )
