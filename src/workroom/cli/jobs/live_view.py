"""Shows a job live: progress bar, output and status on a terminal, plain lines elsewhere."""

from __future__ import annotations

import sys
import time
from collections import deque
from collections.abc import Iterator
from typing import TYPE_CHECKING, Any

import typer
from rich.console import Console, Group, RenderableType
from rich.live import Live
from rich.progress_bar import ProgressBar
from rich.table import Table
from rich.text import Text

from workroom.cli.invocation import command

if TYPE_CHECKING:
    from workroom import JobHandle

Document = dict[str, Any]
_TAIL = 12
_STYLES = {"stderr": "yellow", "log": "cyan"}


def follow(job: JobHandle, url: str | None) -> None:
    """Show the job until it ends. Ctrl-C stops the view, not the job."""
    try:
        screen = Console()
        _watch(job, screen) if screen.is_terminal else _print_all(job)
    except KeyboardInterrupt:
        again = command("job", job.id, "--follow", url=url)
        print(
            f"job {job.id} is {job.document['status']} and goes on. Follow it with: {again}",
            file=sys.stderr,
        )
        raise typer.Exit(130) from None


def _print_all(job: JobHandle) -> None:
    """Print one line for each change."""
    before: tuple[object, ...] = ()
    for document, lines in job.follow():
        for line in lines:
            print(format_line(line), flush=True)
        progress = document["progress"] or {}
        now = (document["status"], progress.get("fraction"), progress.get("message"))
        if now != before and not job.is_finished:
            print(
                f"{document['status']} {_percentage(progress)}{progress.get('message', '')}".rstrip(),
                flush=True,
            )
        before = now


def format_line(line: Document) -> str:
    level = f"{line['level']}: " if line.get("level") else ""
    return f"{level}{line['text']}"


def _percentage(progress: Document) -> str:
    fraction = progress.get("fraction")
    return "" if fraction is None else f"{fraction:.0%} "


class _View:
    """Redrawn a few times a second, because elapsed time advances between updates."""

    def __init__(self, job: JobHandle) -> None:
        self._id = job.id
        self._document: Document = job.document
        self._lines: deque[Document] = deque(maxlen=_TAIL)
        self._updated_at = time.monotonic()

    def update(self, document: Document, lines: list[Document]) -> None:
        self._document = document
        self._lines.extend(lines)
        self._updated_at = time.monotonic()

    def __rich__(self) -> RenderableType:
        return Group(*self._rows())

    def _rows(self) -> Iterator[RenderableType]:
        document, progress = self._document, self._document["progress"] or {}
        fraction = 1 if document["status"] == "completed" else progress.get("fraction")
        head = Table.grid(padding=(0, 1))
        head.add_row(
            Text(document["status"], style="bold"),
            ProgressBar(total=1, completed=fraction or 0, width=40, pulse=fraction is None),
            Text(_percentage(progress) + progress.get("message", "")),
            Text(f"{self._elapsed(progress):.0f} s", style="dim"),
        )
        yield Text(f"{document['category']}/{document['name']}  {self._id}", style="dim")
        yield head
        for line in self._lines:
            yield Text(
                format_line(line), style=_STYLES.get(line["stream"], ""), no_wrap=True, overflow="ellipsis"
            )

    def _elapsed(self, progress: Document) -> float:
        if self._document["status"] != "running":
            return float(self._document["execution_time_ms"] or 0) / 1000
        return float(progress.get("elapsed_ms", 0)) / 1000 + time.monotonic() - self._updated_at


def _watch(job: JobHandle, screen: Console) -> None:
    view = _View(job)
    with Live(view, console=screen, refresh_per_second=8, transient=False):
        for document, lines in job.follow():
            view.update(document, lines)
