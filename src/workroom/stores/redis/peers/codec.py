"""Encodes the messages that servers on one store exchange. Events are encoded by their declared fields."""

from __future__ import annotations

from collections.abc import Callable
from dataclasses import fields, is_dataclass
from enum import Enum
from operator import attrgetter
from typing import Any, get_origin, get_type_hints

from workroom.domain.events import EVENTS, Event
from workroom.domain.steps import Release
from workroom.domain.storage.peer_message import PeerMessage
from workroom.stores.redis.messages.codec import pack, to_bytes, unpack

Converter = Callable[[Any], Any]


def encode(message: PeerMessage) -> bytes:
    return pack(
        [
            [[event.name, *_ENCODERS[event.name](event)] for event in message.events],
            [[extension, jobs] for extension, jobs in message.arrivals.items()],
            [[release.worker, release.job_id, release.attempt] for release in message.released],
            list(message.offline),
            message.tokens_revoked,
        ]
    )


def decode(packed: bytes) -> PeerMessage:
    events, arrivals, released, offline, tokens_revoked = unpack(packed)
    return PeerMessage(
        events=[_DECODERS[name](values) for name, *values in events],
        arrivals=dict(arrivals),
        released=[Release(*row) for row in released],
        offline=offline,
        tokens_revoked=tokens_revoked,
    )


def _same(value: Any) -> Any:
    return value


def _hints(kind: type[Any]) -> list[Any]:
    hints = get_type_hints(kind)
    return [hints[field.name] for field in fields(kind)]


def _dataclass_encoder(kind: type[Any]) -> Converter:
    names = [field.name for field in fields(kind)]
    encoders = [_encoder(hint) for hint in _hints(kind)]
    if any(encoder is not _same for encoder in encoders):
        return lambda value: [
            convert(getattr(value, name)) for name, convert in zip(names, encoders, strict=True)
        ]
    return attrgetter(*names) if len(names) > 1 else lambda value: [getattr(value, names[0])]


def _encoder(hint: Any) -> Converter:
    return _dataclass_encoder(hint) if isinstance(hint, type) and is_dataclass(hint) else _same


def _dataclass_decoder(kind: type[Any]) -> Converter:
    decoders = [_decoder(hint) for hint in _hints(kind)]
    return lambda values: kind(*(convert(value) for convert, value in zip(decoders, values, strict=True)))


def _decoder(hint: Any) -> Converter:
    if isinstance(hint, type) and is_dataclass(hint):
        return _dataclass_decoder(hint)
    if hint is bytes:
        return to_bytes
    if isinstance(hint, type) and issubclass(hint, Enum):
        return hint
    return tuple if get_origin(hint) is tuple else _same


_ENCODERS: dict[str, Converter] = {name: _dataclass_encoder(kind) for name, kind in EVENTS.items()}
_DECODERS: dict[str, Callable[[Any], Event]] = {
    name: _dataclass_decoder(kind) for name, kind in EVENTS.items()
}
