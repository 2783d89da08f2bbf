"""Opens the notifier that wakes on-call workers. Imports Celery only where a broker is set."""

from __future__ import annotations

from workroom.ports import Notifier


class NoNotifier:
    """Sends nothing: without a broker, on-call workers claim on their own schedule."""

    def notify(self, count: int) -> None: ...

    def close(self) -> None: ...


def open_notifier(broker: str | None) -> Notifier:
    if broker is None:
        return NoNotifier()
    try:
        from workroom.runners.celery_notifier import CeleryNotifier  # noqa: PLC0415 - an optional package
    except ModuleNotFoundError as error:
        raise SystemExit(f"Celery is not installed ({error.name}): pip install 'workroom[celery]'") from error
    return CeleryNotifier(broker)
