"""A test run that is ended by a signal leaves no process behind."""

from __future__ import annotations

import os
import signal
import sys
from contextlib import closing
from pathlib import Path

import psutil
import pytest

from workroom.testing.processes import Process, eventually

SUITE = """
import os
import signal
import sys
from pathlib import Path

import pytest

from support.browser import browser, make_page, page
from workroom.testing.processes import Process
from workroom.testing.valkey import Valkey


@pytest.fixture
def valkey(tmp_path):
    valkey = Valkey(tmp_path / "valkey")
    valkey.start()
    yield valkey
    valkey.stop()


@pytest.fixture
def celery(valkey, tmp_path):
    url = valkey.url.replace("unix://", "redis+socket://")
    command = [sys.executable, "-m", "celery", "-A", "support.runners.celery_app", "worker"]
    celery = Process(command, {"CELERY_APP_BROKER": url, "CELERY_APP_BACKEND": url}, tmp_path / "celery.log")
    yield celery
    celery.close()


def test_processes(start_server, start_worker, celery, page, tmp_path):
    server = start_server("support.extensions.samples:Echo", workers=1)
    start_worker(server, "support.extensions.samples:Nap")
    start_server(data_dir=tmp_path / "frozen").process.signal(signal.SIGSTOP)
    page.goto(server.url)
    Path(os.environ["READY"]).touch()
    signal.pause()
"""
KINDS = {"workroom", "valkey", "celery", "chrom"}  # servers and workers are forks, and named so


@pytest.mark.parametrize(
    "number", [signal.SIGINT, signal.SIGTERM, signal.SIGKILL], ids=lambda number: number.name
)
def test_a_run_that_is_ended_by_a_signal_leaves_no_process_behind(
    tmp_path: Path, number: signal.Signals
) -> None:
    suite, ready = tmp_path / "test_suite.py", tmp_path / "ready"
    suite.write_text(SUITE)
    command = [sys.executable, "-m", "pytest", "-p", "no:cacheprovider", "-c", os.devnull, str(suite)]
    with closing(Process(command, {"READY": str(ready)}, tmp_path / "log")) as run:
        eventually(lambda: ready.exists() or not run.is_alive, 60, "the run having started its processes")
        assert run.is_alive, run.log.read_text()
        started = psutil.Process(run.pid).children(recursive=True)
        commands = " ".join(word for process in started for word in _command(process))
        assert {kind for kind in KINDS if kind in commands} == KINDS

        os.kill(run.pid, number)

        eventually(lambda: not run.is_alive, 30, "the end of the run")
        eventually(lambda: not list(filter(_is_running, started)), 20, "the end of its processes")


def _command(process: psutil.Process) -> list[str]:
    try:
        return list(process.cmdline())
    except psutil.Error:  # it has ended since
        return []


def _is_running(process: psutil.Process) -> bool:
    try:
        return process.is_running() and process.status() != psutil.STATUS_ZOMBIE
    except psutil.NoSuchProcess:
        return False
