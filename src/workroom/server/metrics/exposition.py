"""Writes the figures in Prometheus' text format, in a thread."""

from __future__ import annotations

import asyncio
from collections.abc import Iterable, Iterator

from prometheus_client import GCCollector, PlatformCollector, ProcessCollector
from prometheus_client.core import (
    CollectorRegistry,
    CounterMetricFamily,
    GaugeMetricFamily,
    HistogramMetricFamily,
)
from prometheus_client.exposition import CONTENT_TYPE_LATEST, generate_latest
from prometheus_client.metrics_core import Metric
from prometheus_client.registry import Collector

from workroom import __version__
from workroom.domain.histogram import Distribution
from workroom.domain.worker import WorkerState
from workroom.services.metrics.extension_labels import Label
from workroom.services.metrics.metrics import Figures, Metrics
from workroom.services.metrics.store_figures import StoreFigures

MEDIA_TYPE = CONTENT_TYPE_LATEST
_EXTENSION = ("scope", "extension")
_WORKER_STATES = (WorkerState.IDLE, WorkerState.ASSIGNED, WorkerState.RUNNING, "draining")
_PROCESS = CollectorRegistry()
for _collector in (ProcessCollector, PlatformCollector, GCCollector):
    _collector(registry=_PROCESS)


async def expose(metrics: Metrics) -> bytes:
    """The figures, and those of the process: memory, CPU time, open files."""
    return await asyncio.to_thread(_write, await metrics.read())


def _write(figures: Figures) -> bytes:
    registry = CollectorRegistry()
    registry.register(_Snapshot(figures))
    return generate_latest(registry) + generate_latest(_PROCESS)


class _Snapshot(Collector):
    def __init__(self, figures: Figures) -> None:
        self._figures = figures

    def collect(self) -> Iterator[Metric]:
        yield _labelled_gauge("workroom_info", "The server's version.", ("version",), [((__version__,), 1)])
        yield _gauge("workroom_store_up", "Whether the store responds.", self._figures.store is not None)
        yield from _of_server(self._figures)
        if self._figures.store is not None:
            yield from _of_store(self._figures.store, self._figures.now_us)


def _of_server(figures: Figures) -> Iterator[Metric]:
    yield _counter("workroom_jobs_submitted", "Jobs that this server accepted.", figures.submitted)
    yield _counter("workroom_jobs_started", "Attempts that began on workers of this server.", figures.started)
    yield _counters(
        "workroom_jobs_finished",
        "Jobs whose end this server recorded.",
        ("status",),
        [((str(status),), count) for status, count in figures.ended.items()],
    )
    yield _counter(
        "workroom_job_retries", "Attempts that failed or were lost and are repeated.", figures.retried
    )
    yield _counter(
        "workroom_jobs_returned", "Assignments given back before the code began.", figures.returned
    )
    yield _histogram("workroom_job_wait_seconds", "From the submit of a job to its start.", figures.waits)
    yield _histogram(
        "workroom_job_dispatch_seconds", "From the assignment of a job to its start.", figures.dispatches
    )
    yield _histogram(
        "workroom_job_execution_seconds", "From the start of a job to its end.", figures.executions
    )
    yield _labelled_gauge(
        "workroom_workers",
        "Workers connected to this server.",
        ("state",),
        [((str(state),), figures.workers[state]) for state in _WORKER_STATES],
    )
    yield _labelled_gauge(
        "workroom_held_jobs",
        "Jobs that the workers of this server hold.",
        (*_EXTENSION, "state"),
        [
            ((*label, state), figures.held[label, state])
            for label in _labels(figures)
            for state in (WorkerState.ASSIGNED, WorkerState.RUNNING)
        ],
    )
    yield _gauge("workroom_sockets", "Open sockets of this server.", figures.sockets)
    yield _gauge("workroom_streams", "Open streams of this server.", figures.streams)
    yield _histogram("workroom_commit_steps", "Steps that share a commit of the store.", figures.steps)
    yield _histogram("workroom_commit_seconds", "How long a commit of the store takes.", figures.commits)


def _labels(figures: Figures) -> list[Label]:
    """Those of extensions without jobs too: a series that comes and goes is hard to query."""
    known = figures.store.extensions.keys() if figures.store is not None else ()
    return sorted({*known, *(label for label, _ in figures.held)})


def _of_store(store: StoreFigures, now_us: int) -> Iterator[Metric]:
    found = sorted(store.extensions.items())
    yield _counters(
        "workroom_jobs_ended",
        "Jobs that ended on all servers since this one was started.",
        (*_EXTENSION, "status"),
        [((*label, status), count) for (label, status), count in sorted(store.ended.items())],
    )
    yield _labelled_gauge(
        "workroom_jobs",
        "Jobs on record that are pending or have ended.",
        (*_EXTENSION, "status"),
        [
            ((*label, status), count)
            for label, each in found
            for status, count in {"pending": each.waiting.total(), **each.on_record}.items()
        ],
    )
    yield _labelled_gauge(
        "workroom_queue_jobs",
        "Pending jobs by what keeps them back.",
        (*_EXTENSION, "waiting_for"),
        [((*label, reason), count) for label, each in found for reason, count in each.waiting.items()],
    )
    yield _labelled_gauge(
        "workroom_queue_oldest_seconds",
        "The age of the oldest job that could run if there were room.",
        _EXTENSION,
        [
            (label, 0 if each.oldest_us is None else max(0, now_us - each.oldest_us) / 1_000_000)
            for label, each in found
        ],
    )
    yield _labelled_gauge(
        "workroom_breakers_open",
        "Extensions whose circuit breaker is open.",
        _EXTENSION,
        [(label, each.broken) for label, each in found],
    )
    yield _labelled_gauge(
        "workroom_extensions_paused",
        "Paused extensions.",
        _EXTENSION,
        [(label, each.paused) for label, each in found],
    )
    yield _gauge("workroom_unfinished_jobs", "Jobs on record that have not ended.", store.unfinished)
    yield _gauge("workroom_files", "Files of rooms and jobs.", store.files)
    yield _gauge("workroom_blob_bytes", "Bytes in files, previews and frames.", store.bytes)


_Samples = Iterable[tuple[tuple[str, ...], float]]


def _gauge(name: str, text: str, value: float) -> Metric:
    return GaugeMetricFamily(name, text, value=value)


def _labelled_gauge(name: str, text: str, labels: tuple[str, ...], samples: _Samples) -> Metric:
    family = GaugeMetricFamily(name, text, labels=labels)
    for values, value in samples:
        family.add_metric(values, value)
    return family


def _counter(name: str, text: str, value: float) -> Metric:
    return CounterMetricFamily(name, text, value=value)


def _counters(name: str, text: str, labels: tuple[str, ...], samples: _Samples) -> Metric:
    family = CounterMetricFamily(name, text, labels=labels)
    for values, value in samples:
        family.add_metric(values, value)
    return family


def _histogram(name: str, text: str, found: Distribution) -> Metric:
    buckets = [*((str(float(bound)), count) for bound, count in found.buckets), ("+Inf", found.count)]
    return HistogramMetricFamily(name, text, buckets=buckets, sum_value=found.total)
