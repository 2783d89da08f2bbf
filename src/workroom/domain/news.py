"""What a server tells the others on its store. The store is the truth: news that are lost cost time only."""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from dataclasses import dataclass, field

from workroom.domain.events import Event
from workroom.domain.steps import Release


@dataclass(frozen=True, slots=True)
class News:
    """`arrivals` counts jobs that wait anew, by extension; with `is_void`, tokens stopped counting."""

    events: Sequence[Event] = ()
    arrivals: Mapping[int, int] = field(default_factory=dict)
    released: Sequence[Release] = ()
    offline: Sequence[str] = ()
    is_void: bool = False
