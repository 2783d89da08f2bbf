"""How workers on call are called."""

from __future__ import annotations

from workroom.ports import Bell


class NoBell:
    """Nobody is called: who is on call comes by themselves."""

    def ring(self, times: int) -> None: ...

    def close(self) -> None: ...


def open_bell(broker: str | None) -> Bell:
    if broker is None:
        return NoBell()
    try:
        from workroom.runners.doorbell import Doorbell  # noqa: PLC0415 - most servers do without Celery
    except ModuleNotFoundError as error:
        raise SystemExit(f"Celery is missing ({error.name}): pip install 'workroom[celery]'") from error
    return Doorbell(broker)
