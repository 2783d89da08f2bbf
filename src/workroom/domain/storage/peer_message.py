"""Messages between servers that share a store. A lost message costs latency, never data."""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from dataclasses import dataclass, field

from workroom.domain.events import Event
from workroom.domain.steps import Release


@dataclass(frozen=True, slots=True)
class PeerMessage:
    """What changed at one server.

    `arrivals` counts newly waiting jobs by extension. `tokens_revoked` makes peers reload the revoked tokens.
    """

    events: Sequence[Event] = ()
    arrivals: Mapping[int, int] = field(default_factory=dict)
    released: Sequence[Release] = ()
    offline: Sequence[str] = ()
    tokens_revoked: bool = False
