"""Receives traces by OTLP over HTTP, as a collector does."""

from __future__ import annotations

import gzip
import threading
from collections.abc import Iterable, Iterator
from contextlib import contextmanager
from dataclasses import dataclass
from http.server import BaseHTTPRequestHandler, ThreadingHTTPServer

from opentelemetry.proto.collector.trace.v1.trace_service_pb2 import (
    ExportTraceServiceRequest,
    ExportTraceServiceResponse,
)
from opentelemetry.proto.common.v1.common_pb2 import KeyValue
from opentelemetry.proto.trace.v1.trace_pb2 import Status


@dataclass(frozen=True)
class Span:
    service: str
    trace: str
    id: str
    parent: str
    name: str
    job: str
    is_failed: bool


class OtlpReceiver:
    def __init__(self) -> None:
        self.spans: list[Span] = []
        receiver = self

        class Handler(BaseHTTPRequestHandler):
            def do_POST(self) -> None:
                body = self.rfile.read(int(self.headers["Content-Length"]))
                if self.headers.get("Content-Encoding") == "gzip":
                    body = gzip.decompress(body)
                assert self.path == "/v1/traces"
                receiver.receive(ExportTraceServiceRequest.FromString(body))
                content = ExportTraceServiceResponse().SerializeToString()
                self.send_response(200)
                self.send_header("Content-Type", "application/x-protobuf")
                self.send_header("Content-Length", str(len(content)))
                self.end_headers()
                self.wfile.write(content)

            def log_message(self, format: str, *args: object) -> None: ...

        self.server = ThreadingHTTPServer(("127.0.0.1", 0), Handler)
        self.url = f"http://127.0.0.1:{self.server.server_address[1]}"

    def receive(self, request: ExportTraceServiceRequest) -> None:
        for resource in request.resource_spans:
            service = _value(resource.resource.attributes, "service.name")
            for scope in resource.scope_spans:
                self.spans += [
                    Span(
                        service,
                        each.trace_id.hex(),
                        each.span_id.hex(),
                        each.parent_span_id.hex(),
                        each.name,
                        _value(each.attributes, "workroom.job"),
                        each.status.code == Status.STATUS_CODE_ERROR,
                    )
                    for each in scope.spans
                ]

    def path(self, name: str, trace: str) -> list[str]:
        """The spans from the root of a trace to the one with this name, each with its service."""
        by_id = {each.id: each for each in self.spans if each.trace == trace}
        found = next((each for each in by_id.values() if each.name == name), None)
        path: list[str] = []
        while found is not None:
            path.insert(0, f"{found.service}: {found.name}")
            found = by_id.get(found.parent)
        return path

    def leads(self, path: list[str], trace: str) -> bool:
        return self.path(path[-1].partition(": ")[2], trace) == path


def _value(attributes: Iterable[KeyValue], key: str) -> str:
    return next((each.value.string_value for each in attributes if each.key == key), "")


@contextmanager
def otlp_receiver() -> Iterator[OtlpReceiver]:
    receiver = OtlpReceiver()
    thread = threading.Thread(target=receiver.server.serve_forever, daemon=True)
    thread.start()
    try:
        yield receiver
    finally:
        receiver.server.shutdown()
        receiver.server.server_close()
        thread.join()
