"""What a measurement found, and what it is compared with."""

from __future__ import annotations

from dataclasses import dataclass

RATE, TIME = "/s", "ms"


@dataclass(frozen=True, slots=True)
class Figure:
    """`floor` is what the same stack reaches with nothing behind it, in the same unit."""

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
        """What can be set beside another day's: the machine's own speed has been divided out."""
        return self.value if self.ratio is None else self.ratio

    def speed_beside(self, last: float) -> float:
        """Above 1 is faster than it was then."""
        return self.compared / last if self.unit == RATE else last / self.compared
