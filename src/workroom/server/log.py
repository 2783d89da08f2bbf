"""The server's log: lines for people, or JSON objects for machines."""

from __future__ import annotations

import logging
import sys
from typing import Literal

import structlog
from structlog.processors import ExceptionRenderer
from structlog.tracebacks import ExceptionDictTransformer
from structlog.typing import EventDict, Processor

from workroom import tracing

LogFormat = Literal["text", "json"]


def configure_log(level: str, format: LogFormat) -> None:
    """Write structlog's events and the records of libraries to stderr in one format."""
    fields: list[Processor] = [
        structlog.processors.add_log_level,
        structlog.processors.TimeStamper("iso"),
        _add_trace,
    ]
    renderers = _renderers(format)
    structlog.configure(
        processors=[*fields, *renderers],
        wrapper_class=structlog.make_filtering_bound_logger(level),
        logger_factory=structlog.PrintLoggerFactory(sys.stderr),
    )
    if format == "json":  # text is how libraries print their records anyway
        handler = logging.StreamHandler(sys.stderr)
        handler.setFormatter(
            structlog.stdlib.ProcessorFormatter(
                processors=[structlog.stdlib.ProcessorFormatter.remove_processors_meta, *renderers],
                foreign_pre_chain=[structlog.stdlib.add_logger_name, *fields],
            )
        )
        logging.basicConfig(handlers=[handler], level=logging.WARNING, force=True)
        for name in ("engineio.server", "socketio.server"):
            logging.getLogger(name).setLevel(logging.ERROR)  # else they add handlers


def _add_trace(_: object, __: str, event: EventDict) -> EventDict:
    """What is logged within a span can be found from its trace."""
    trace = tracing.current()
    if trace is not None:
        _, event["trace_id"], event["span_id"], _ = trace.split("-")
    return event


def _renderers(format: LogFormat) -> list[Processor]:
    if format == "json":
        tracebacks = ExceptionRenderer(ExceptionDictTransformer(show_locals=False))  # locals have secrets
        return [tracebacks, structlog.processors.JSONRenderer()]
    return [structlog.dev.ConsoleRenderer(exception_formatter=structlog.dev.plain_traceback)]
