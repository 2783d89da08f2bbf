"""Budgets: what a provider may cost in a room in a month. An order counts before it is sent."""

from __future__ import annotations

from collections.abc import Iterable
from dataclasses import dataclass

from workroom.packs.media.providers import ProviderError
from workroom.packs.media.records import Generation


class BudgetExceeded(ProviderError):
    """The budget of this room is spent."""


@dataclass(frozen=True, slots=True)
class Spending:
    """What the orders of a month cost, or may cost, and what they may cost in all."""

    provider: str
    month: str
    spent: float
    limit: float | None
    unit: str = ""

    @property
    def left(self) -> float | None:
        return None if self.limit is None else max(0.0, self.limit - self.spent)


def spending_of(
    provider: str, month: str, generations: Iterable[Generation], limit: float | None
) -> Spending:
    spent, unit = 0.0, ""
    for each in generations:
        spent += each.charged
        unit = each.unit or unit
    return Spending(provider, month, round(spent, 6), limit, unit)


def check_budget(spending: Spending, estimate: float) -> None:
    """Raises BudgetExceeded, with the figures."""
    if spending.limit is None or spending.spent + estimate <= spending.limit:
        return
    unit = f" {spending.unit}" if spending.unit else ""
    raise BudgetExceeded(
        f"this would cost {estimate:g}{unit}, and {spending.spent:g} of the {spending.limit:g}{unit} that "
        f"{spending.provider} may cost in this room in {spending.month} are spent",
        provider=spending.provider,
        month=spending.month,
        estimate=estimate,
        spent=spending.spent,
        limit=spending.limit,
    )
