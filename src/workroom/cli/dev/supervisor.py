"""Replaces the worker when a file has changed, and reports what is wrong with the files."""

from __future__ import annotations

import queue
import threading
from collections.abc import Callable, Sequence
from pathlib import Path
from typing import Any

from workroom.cli.dev.problem import Problem
from workroom.cli.dev.watched_files import WatchedFiles
from workroom.cli.dev.worker_handle import Report, WorkerHandle

_POLL_SECONDS = 0.2
_JOB_SECONDS = 3.0  # for the jobs of a worker that is replaced
_RETRY_SECONDS = 2.0

Show = Callable[[Problem | None], None]


class Supervisor:
    """Runs in a thread of its own, until `stop`. `show` is called whenever what is wrong has changed."""

    def __init__(
        self,
        extensions: Sequence[str],
        *,
        room: str,
        slots: int,
        url: str,
        show: Show,
        notify: Callable[[str], None],
    ) -> None:
        files = [Path(name.partition(":")[0]) for name in extensions]
        folders = [path.parent if path.suffix == ".py" else Path() for path in files]
        self._arguments: dict[str, Any] = {
            "extensions": list(extensions),
            "folders": [str(folder.resolve()) for folder in folders],
            "room": room,
            "slots": slots,
            "url": url,
        }
        self._watched = WatchedFiles(path for path in files if path.suffix == ".py")
        self._show = show
        self._notify = notify
        self._reports: queue.Queue[Report] = queue.Queue()
        self._serving: WorkerHandle | None = None
        self._next: WorkerHandle | None = None
        self._problem: Problem | None = None
        self._retry_in: float | None = None
        self._stopping = threading.Event()
        self._thread = threading.Thread(target=self._run, name="workroom-dev", daemon=True)

    def start(self) -> None:
        self._thread.start()

    def stop(self) -> None:
        """Stop both workers, and wait for it."""
        self._stopping.set()
        self._thread.join()

    def _run(self) -> None:
        self._show(None)  # what an earlier run has left
        self._load()
        while not self._stopping.is_set():
            self._handle_reports()
            changed = self._watched.changed()
            if changed:
                self._notify(f"{', '.join(sorted(path.name for path in changed))} changed")
                self._load()
            elif self._is_retry_due():
                self._load()
        for worker in (self._next, self._serving):
            if worker is not None:
                worker.stop(_JOB_SECONDS)

    def _load(self) -> None:
        self._retry_in = None
        if self._next is not None:
            self._next.stop(0)
        self._next = WorkerHandle(self._arguments, self._reports)

    def _is_retry_due(self) -> bool:
        if self._retry_in is None:
            return False
        self._retry_in -= _POLL_SECONDS
        return self._retry_in <= 0

    def _handle_reports(self) -> None:
        """Wait for the first report, but not for long."""
        try:
            self._handle(*self._reports.get(timeout=_POLL_SECONDS))
        except queue.Empty:
            return

    def _handle(self, worker: WorkerHandle, kind: str, value: Any) -> None:
        if worker not in (self._next, self._serving):
            return  # it was replaced
        match kind:
            case "files":
                self._watched.add(Path(path) for path in value)
            case "loaded":
                self._replace(worker)
            case "serving":
                self._set_problem(None)
                self._notify(f"serving {', '.join(value)}")
            case "problem":
                worker.has_problem = True
                self._set_problem(Problem(**{**value, "is_served": self._serving not in (None, worker)}))
            case "ended":
                self._ended(worker, value)

    def _replace(self, worker: WorkerHandle) -> None:
        """The worker before leaves first: a form of another shape could not be registered beside its own."""
        if self._serving is not None:
            self._serving.stop(_JOB_SECONDS)
        self._serving, self._next = worker, None
        worker.serve()

    def _ended(self, worker: WorkerHandle, code: int) -> None:
        """A worker that cannot load its files waits for a change. Others are tried again."""
        if worker is self._next:
            self._next = None
            if not worker.has_problem:
                message = f"loading the files ended the process, with exit code {code}"
                self._set_problem(Problem(message, is_served=self._serving is not None))
            return
        self._serving = None
        self._retry_in = _RETRY_SECONDS
        if not worker.has_problem:
            self._set_problem(Problem(f"the worker ended, with exit code {code}: it is started again"))

    def _set_problem(self, problem: Problem | None) -> None:
        if problem != self._problem:
            self._problem = problem
            self._show(problem)
