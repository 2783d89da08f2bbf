"""OpenTelemetry traces: one from a submit through the push and the run of a job to its end.

Needs `workroom[otel]` and the variables of OpenTelemetry, such as OTEL_EXPORTER_OTLP_ENDPOINT. Without them,
a server and a worker import nothing of it and look at one variable per job. The context is carried as a W3C
`traceparent`, also through servers that trace nothing themselves.
"""

from __future__ import annotations

import logging
import os
import re
import sys
import time
from collections.abc import Iterator, Mapping
from contextlib import contextmanager
from typing import TYPE_CHECKING, Any, Literal

if TYPE_CHECKING:
    from opentelemetry.context import Context

log = logging.getLogger(__name__)

Attributes = Mapping[str, str | int | bool]
Kind = Literal["SERVER", "CLIENT", "PRODUCER", "CONSUMER", "INTERNAL"]
HEADER = "traceparent"
VARIABLE = "TRACEPARENT"  # of a job's own process
_ENDPOINTS = ("OTEL_EXPORTER_OTLP_TRACES_ENDPOINT", "OTEL_EXPORTER_OTLP_ENDPOINT")
_API = "opentelemetry.trace"
_TRACEPARENT = re.compile(r"00-(?!0{32})[0-9a-f]{32}-(?!0{16})[0-9a-f]{16}-[0-9a-f]{2}")
_FLUSH_MS = 3000
_is_configured: bool | None = (
    None  # None in a process that is not ours, whose code may configure traces later
)


def configure(service: str) -> None:
    """Export the spans of this process, if its environment names an endpoint.

    A provider that was set before stays, such as that of `opentelemetry-instrument`.
    """
    global _is_configured  # noqa: PLW0603 - one provider per process, as OpenTelemetry has it
    _is_configured = _has_provider() or (_is_wanted() and _set_provider(service))


def _is_wanted() -> bool:
    is_disabled = os.environ.get("OTEL_SDK_DISABLED", "").lower() == "true"
    return any(os.environ.get(name) for name in _ENDPOINTS) and not is_disabled


def _set_provider(service: str) -> bool:
    try:
        from opentelemetry.exporter.otlp.proto.http.trace_exporter import OTLPSpanExporter  # noqa: PLC0415
        from opentelemetry.sdk.resources import Resource  # noqa: PLC0415
        from opentelemetry.sdk.trace import TracerProvider  # noqa: PLC0415
        from opentelemetry.sdk.trace.export import BatchSpanProcessor  # noqa: PLC0415
        from opentelemetry.trace import set_tracer_provider  # noqa: PLC0415
    except ModuleNotFoundError as error:
        log.warning("there are no traces without %s: pip install 'workroom[otel]'", error.name)
        return False
    named = {} if os.environ.get("OTEL_SERVICE_NAME") else {"service.name": service}
    provider = TracerProvider(resource=Resource.create(named))
    provider.add_span_processor(BatchSpanProcessor(OTLPSpanExporter()))
    set_tracer_provider(provider)
    return True


def is_on() -> bool:
    """Whether this process has a tracer: its own, or one that the user's code configured."""
    return _has_provider() if _is_configured is None else _is_configured


def _has_provider() -> bool:
    api = sys.modules.get(_API)
    return api is not None and not isinstance(api.get_tracer_provider(), api.ProxyTracerProvider)


def flush() -> None:
    """Export what is left, before a process ends without its exit handlers."""
    if is_on():
        from opentelemetry import trace  # noqa: PLC0415

        provider: Any = trace.get_tracer_provider()
        if hasattr(provider, "force_flush"):
            provider.force_flush(_FLUSH_MS)


def valid(traceparent: str | None) -> str | None:
    """The context, unless it is malformed: by the standard, that is treated as if there were none."""
    return traceparent if traceparent is not None and _TRACEPARENT.fullmatch(traceparent) else None


def current() -> str | None:
    """The active context of this thread or task."""
    if not is_on():
        return None
    from opentelemetry.trace.propagation.tracecontext import TraceContextTextMapPropagator  # noqa: PLC0415

    carrier: dict[str, str] = {}
    TraceContextTextMapPropagator().inject(carrier)
    return carrier.get(HEADER)


@contextmanager
def span(
    name: str, kind: Kind, parent: str | None = None, attributes: Attributes | None = None
) -> Iterator[str | None]:
    """Make a span active and yield its context; without a tracer, yield the parent.

    Without a parent it belongs to the active span. An exception makes it a failed one.
    """
    if not is_on():
        yield parent
        return
    from opentelemetry.trace import SpanKind, get_tracer  # noqa: PLC0415

    started = get_tracer("workroom").start_as_current_span(
        name, context=_context(parent), kind=SpanKind[kind], attributes=attributes
    )
    with started:
        yield current() or parent


@contextmanager
def attached(parent: str | None) -> Iterator[None]:
    """Make a context active whose span is in another process."""
    context = _context(parent) if is_on() else None
    if context is None:
        yield
        return
    from opentelemetry.context import attach, detach  # noqa: PLC0415

    token = attach(context)
    try:
        yield
    finally:
        detach(token)


def fail(reason: str) -> None:
    """Mark the active span as failed."""
    if is_on():
        from opentelemetry.trace import Status, StatusCode, get_current_span  # noqa: PLC0415

        get_current_span().set_status(Status(StatusCode.ERROR, reason))


def record(
    name: str, kind: Kind, parent: str | None, since_ns: int, attributes: Attributes | None = None
) -> str | None:
    """Record a span that ends now, and return its context."""
    from opentelemetry.trace import SpanKind, get_tracer, use_span  # noqa: PLC0415

    made = get_tracer("workroom").start_span(
        name, context=_context(parent), kind=SpanKind[kind], attributes=attributes, start_time=since_ns
    )
    with use_span(made, end_on_exit=True):
        return current() or parent


def now_ns() -> int:
    return time.time_ns()


def _context(parent: str | None) -> Context | None:
    """None is the active context."""
    if parent is None:
        return None
    from opentelemetry.context import Context  # noqa: PLC0415
    from opentelemetry.trace.propagation.tracecontext import TraceContextTextMapPropagator  # noqa: PLC0415

    return TraceContextTextMapPropagator().extract({HEADER: parent}, Context())
