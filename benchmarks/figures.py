"""Measured figures and what they are compared with."""

from __future__ import annotations

from dataclasses import dataclass

RATE, TIME = "/s", "ms"


@dataclass(frozen=True, slots=True)
class Figure:
    """`floor` is the figure of the same stack without Workroom, in the same unit."""

    name: str
    value: float
    unit: str
    floor: float | None = None

    @property
    def ratio(self) -> float | None:
        return self.value / self.floor if self.floor else None

    @property
    def shown(self) -> str:
        return f"{self.value:,.0f}/s" if self.unit == RATE else f"{self.value:.2f} {self.unit}"

    @property
    def compared(self) -> float:
        """The ratio to the floor, comparable between days because the machine's speed cancels out."""
        return self.value if self.ratio is None else self.ratio

    def speed_beside(self, last: float) -> float:
        """The speed relative to the last record; above 1 is faster."""
        return self.compared / last if self.unit == RATE else last / self.compared
