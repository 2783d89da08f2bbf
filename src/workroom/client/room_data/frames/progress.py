"""A progress bar of frames, on a terminal."""

from __future__ import annotations

import sys
from typing import Any

from workroom.runtime.context import current_job


class FramesBar:
    """Appears with the first piece, where somebody can see it: on a terminal, outside of jobs."""

    def __init__(self, title: str, total: int | None) -> None:
        self._title = title
        self._total = total
        self._progress: Any = None

    def advance(self, frames: int) -> None:
        if self._progress is None:
            if not sys.stderr.isatty() or current_job() is not None or frames == self._total:
                return
            self._progress = self._open()
        self._progress.advance(self._task, frames)

    def close(self) -> None:
        if self._progress is not None:
            self._progress.stop()

    def _open(self) -> Any:
        from rich.console import Console  # noqa: PLC0415 - slow to import, rarely needed
        from rich.progress import (  # noqa: PLC0415
            BarColumn,
            MofNCompleteColumn,
            Progress,
            TextColumn,
            TimeRemainingColumn,
        )

        progress = Progress(
            TextColumn(self._title),
            BarColumn(),
            MofNCompleteColumn(),
            TimeRemainingColumn(),
            console=Console(stderr=True),
            transient=True,
        )
        self._task = progress.add_task("", total=self._total)
        progress.start()
        return progress
