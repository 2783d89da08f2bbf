"""News as they travel between servers."""

from __future__ import annotations

from dataclasses import fields
from typing import Any

from workroom.domain import events
from workroom.domain.chat import ChatMessage
from workroom.domain.events import Event
from workroom.domain.extension import ExtensionKey
from workroom.domain.job import JobState, Transition
from workroom.domain.news import News
from workroom.domain.steps import Release
from workroom.stores.redis.packing import pack, to_bytes, unpack

_EVENTS: dict[str, type[Event]] = {
    kind.name: kind
    for kind in (
        events.JobStateChanged,
        events.JobProgressed,
        events.JobLogged,
        events.JobPreviewed,
        events.JobSaved,
        events.JobRevoked,
        events.ExtensionsChanged,
        events.WorkerStateChanged,
        events.FilesChanged,
        events.RoomChanged,
        events.ChatSaid,
        events.DataChanged,
    )
}
_BYTES = frozenset({"document", "lines"})


def spell(news: News) -> bytes:
    return pack(
        [
            [
                [event.name, *(_plain(getattr(event, each.name)) for each in fields(event))]
                for event in news.events
            ],
            [[extension, jobs] for extension, jobs in news.arrivals.items()],
            [[each.worker, each.job_id, each.attempt] for each in news.released],
            list(news.offline),
            news.is_void,
        ]
    )


def read(packed: bytes) -> News:
    told, arrivals, released, offline, is_void = unpack(packed)
    return News(
        events=[_event(*each) for each in told],
        arrivals=dict(arrivals),
        released=[Release(*each) for each in released],
        offline=offline,
        is_void=is_void,
    )


def _plain(value: Any) -> Any:
    if isinstance(value, Transition | ChatMessage | ExtensionKey):
        return [getattr(value, each.name) for each in fields(value)]
    return list(value) if isinstance(value, tuple) else value


def _event(name: str, *values: Any) -> Event:
    kind = _EVENTS[name]
    names = [each.name for each in fields(kind)]
    return kind(*(_value(field, value) for field, value in zip(names, values, strict=True)))


def _value(field: str, value: Any) -> Any:
    if field == "transition":
        return _transition(*value)
    if field == "message":
        return ChatMessage(*value)
    if field == "key":
        return ExtensionKey(*value)
    if field in _BYTES:
        return to_bytes(value)
    return tuple(value) if isinstance(value, list) else value


def _transition(*values: Any) -> Transition:
    sequence, job_id, room, user, version, status, *rest = values
    return Transition(sequence, job_id, room, user, version, JobState(status), *rest)
