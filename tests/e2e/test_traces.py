"""One OpenTelemetry trace from a caller through the server and the worker to the end of a job."""

from __future__ import annotations

import sys
from collections.abc import Iterator
from contextlib import closing
from functools import partial
from typing import Any
from urllib.parse import urljoin

import orjson
import pytest

from support.command_line import ran
from support.otlp_receiver import OtlpReceiver, otlp_receiver
from support.scripted_worker import ScriptedWorker
from workroom.testing.fixtures import StartServer, StartWorker
from workroom.testing.processes import ServerProcess, eventually

TRACED = "support.extensions.traced"
CALLER = """
import json, sys
from opentelemetry import trace
from opentelemetry.exporter.otlp.proto.http.trace_exporter import OTLPSpanExporter
from opentelemetry.sdk.trace import TracerProvider
from opentelemetry.sdk.trace.export import SimpleSpanProcessor
from support.extensions.traced import Broken, Traced, TracedApart, TracedAsync
from workroom import JobFailed, Room

provider = TracerProvider()
provider.add_span_processor(SimpleSpanProcessor(OTLPSpanExporter()))
trace.set_tracer_provider(provider)
found = {}
with Room("demo", sys.argv[1], user="ada") as room:
    for kind in (Traced, TracedAsync, TracedApart, Broken):
        with trace.get_tracer("caller").start_as_current_span("ask") as span:
            job = room.submit(kind())
        try:
            result = job.result(timeout=60)
        except JobFailed:
            result = None
        found[kind.__name__] = [format(span.get_span_context().trace_id, "032x"), job.id, result]
    with trace.get_tracer("caller").start_as_current_span("ask") as span:
        group = room.submit_many([Traced(), Traced()])
        group.wait()
    results = [each["result"] for each in group.results()]
    found["group"] = [format(span.get_span_context().trace_id, "032x"), group.id, results]
print(json.dumps(found))
"""


@pytest.fixture
def receiver() -> Iterator[OtlpReceiver]:
    with otlp_receiver() as receiver:
        yield receiver


def test_one_trace_leads_from_the_caller_to_the_end_of_the_job(
    receiver: OtlpReceiver,
    start_server: StartServer,
    start_worker: StartWorker,
    monkeypatch: pytest.MonkeyPatch,
) -> None:
    monkeypatch.setenv("OTEL_EXPORTER_OTLP_ENDPOINT", receiver.url)
    monkeypatch.setenv("OTEL_BSP_SCHEDULE_DELAY", "50")
    server = start_server()
    start_worker(server, TRACED)
    called = ran([sys.executable, "-c", CALLER, server.url], OTEL_SERVICE_NAME="caller")
    assert called.code == 0, called.error
    found = orjson.loads(called.out)

    for name in ("Traced", "TracedAsync", "TracedApart"):
        trace, _, result = found[name]
        assert result == trace, name
        to_run = [
            "caller: ask",
            f"caller: submit traced/{name}",
            f"workroom-server: submit traced/{name}",
            f"workroom-server: push traced/{name}",
            f"workroom-worker: run traced/{name}",
        ]
        job = "workroom-job" if name == "TracedApart" else "workroom-worker"
        for last in ("workroom-server: finish", f"{job}: own work"):
            led = partial(receiver.leads, [*to_run, last], trace)
            eventually(led, what=f"a trace of {name} to {last}")

    trace, job_id, _ = found["Broken"]
    eventually(lambda: receiver.path("run traced/Broken", trace), what="the span of the job that failed")
    spans = [each for each in receiver.spans if each.trace == trace]
    assert [each.name for each in spans if each.is_failed] == ["run traced/Broken"]
    assert {each.job for each in spans if each.name.startswith(("push", "run", "finish"))} == {job_id}

    trace, _, results = found["group"]
    assert results == [trace, trace]
    assert receiver.path("push traced/Traced", trace)[1:3] == [
        "caller: submit group",
        "workroom-server: submit batch",
    ]


TRACE = "00-0af7651916cd43dd8448eb211c80319c-b7ad6b7169203331-01"
MALFORMED = [TRACE.replace("00-", "ff-"), TRACE.upper(), f"{TRACE}-{'0' * 200}", "x" * 5000, ""]
JOB = {"category": "analysis", "name": "Scripted", "data": {"n": 1}}


@pytest.mark.parametrize(
    ("path", "body"),
    [
        ("extensions/analysis/Scripted/submit", {"data": {"n": 1}}),
        ("extensions/analysis/Scripted/submit?wait=0", {"data": {"n": 1}}),
        ("jobs/batch", {"jobs": [JOB]}),
        ("groups", {"jobs": [JOB]}),
        ("/api/groups/{open}/jobs", {"jobs": [JOB], "open": True}),
    ],
)
def test_a_server_without_traces_passes_the_context_on_and_ignores_what_is_malformed(
    workroom_server: ServerProcess, path: str, body: dict[str, Any]
) -> None:
    with closing(ScriptedWorker(workroom_server.url)) as worker:
        worker.hello()
        opened = worker.http.post("/api/rooms/demo/groups", json={"jobs": [JOB], "open": True}).json()
        _check_context(worker, None)
        path = urljoin("/api/rooms/demo/", path).replace("{open}", opened["group"]["id"])
        for sent in (TRACE, *MALFORMED):
            response = worker.http.post(path, json=body, headers={"traceparent": sent})
            assert response.status_code == 202, (sent, response.text)
            _check_context(worker, TRACE if sent == TRACE else None)


def test_a_socket_passes_the_context_on_and_ignores_what_is_malformed(workroom_server: ServerProcess) -> None:
    with closing(ScriptedWorker(workroom_server.url)) as worker:
        worker.hello()
        for sent in (TRACE, *MALFORMED):
            answer = worker.call("job:submit", {"room": "demo", **JOB, "traceparent": sent})
            assert "job" in answer, (sent, answer)
            _check_context(worker, TRACE if sent == TRACE else None, of_run=sent)


def _check_context(worker: ScriptedWorker, expected: str | None, of_run: str | None = None) -> None:
    """Run a job; a worker may send the context of its run."""
    job = worker.take(20)
    assert job.get("traceparent") == expected
    worker.start(job)
    assert worker.finish(job, **({} if of_run is None else {"traceparent": of_run})) is None


def test_a_process_without_an_endpoint_traces_nothing_and_does_not_import_the_exporter() -> None:
    """Other libraries import more of OpenTelemetry where it is installed, such as redis."""
    modules = "workroom, workroom.server.process, workroom.client.worker.worker, workroom.cli"
    found = "[each for each in sys.modules if each.startswith('opentelemetry.exporter')]"
    script = f"import sys, {modules}; tracing = workroom.tracing; before = tracing.is_on();"
    script += f"tracing.configure('x'); print(before, tracing.is_on(), {found})"
    assert ran([sys.executable, "-c", script]).out == "False False []\n"


def test_an_endpoint_without_the_extra_is_a_warning() -> None:
    script = "import sys; sys.modules['opentelemetry.sdk.resources'] = None; from workroom import tracing;"
    done = ran(
        [sys.executable, "-c", f"{script} tracing.configure('x')"], OTEL_EXPORTER_OTLP_ENDPOINT="http://x"
    )
    assert (done.code, "pip install 'workroom[otel]'" in done.error) == (0, True)
