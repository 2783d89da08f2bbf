"""Dates as people type them: `2026-11`, `2026-11-01`, `2026-11-01T12:30`, `today`, `yesterday`, `7d`."""

from __future__ import annotations

import re
from dataclasses import dataclass
from datetime import UTC, datetime, timedelta

from workroom.errors import InvalidRequest

_DATE = re.compile(
    r"(?P<year>\d{4})(?:-(?P<month>\d{1,2})(?:-(?P<day>\d{1,2})"
    r"(?:T(?P<hour>\d{1,2}):(?P<minute>\d{2})(?::(?P<second>\d{2}))?)?)?)?Z?",
    re.ASCII | re.IGNORECASE,
)
_AGO = re.compile(r"(?P<count>\d{1,6})(?P<unit>min|h|d|w)", re.ASCII | re.IGNORECASE)
_UNITS = {
    "min": timedelta(minutes=1),
    "h": timedelta(hours=1),
    "d": timedelta(days=1),
    "w": timedelta(weeks=1),
}
_EXAMPLES = "2026-11-01, 2026-11, 2026-11-01T12:30, today, yesterday, 12h, 7d or 2w"


@dataclass(frozen=True, slots=True)
class Period:
    """From `start_us` up to, but not including, `end_us`."""

    start_us: int
    end_us: int


def parse_period(text: str, now_us: int) -> Period:
    """The period that a text names, in UTC. `7d` is the moment seven days ago."""
    now = datetime.fromtimestamp(now_us / 1_000_000, UTC)
    try:
        start, end = _bounds(text.lower(), now)
        return Period(_to_us(start), _to_us(end))
    except (ValueError, OverflowError):
        raise InvalidRequest(f"'{text}' is not a date: write {_EXAMPLES}") from None


def _bounds(text: str, now: datetime) -> tuple[datetime, datetime]:
    midnight = now.replace(hour=0, minute=0, second=0, microsecond=0)
    if text in ("today", "yesterday"):
        start = midnight if text == "today" else midnight - timedelta(days=1)
        return start, start + timedelta(days=1)
    ago = _AGO.fullmatch(text)
    if ago is not None:
        moment = now - int(ago["count"]) * _UNITS[ago["unit"].lower()]
        return moment, moment
    date = _DATE.fullmatch(text)
    if date is None:
        raise ValueError(text)
    return _date_bounds(**{name: int(value) for name, value in date.groupdict().items() if value is not None})


def _date_bounds(
    year: int,
    month: int | None = None,
    day: int | None = None,
    hour: int | None = None,
    minute: int = 0,
    second: int | None = None,
) -> tuple[datetime, datetime]:
    start = datetime(year, month or 1, day or 1, hour or 0, minute, second or 0, tzinfo=UTC)
    if month is None:
        return start, start.replace(year=year + 1)
    if day is None:
        return start, start.replace(year=year + month // 12, month=month % 12 + 1)
    if hour is None:
        return start, start + timedelta(days=1)
    return start, start + (timedelta(minutes=1) if second is None else timedelta(seconds=1))


def _to_us(at: datetime) -> int:
    return round((at - datetime(1970, 1, 1, tzinfo=UTC)) / timedelta(microseconds=1))
