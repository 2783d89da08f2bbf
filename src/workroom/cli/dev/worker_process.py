"""The worker's process: loads the files, reports that, and serves them once it may.

So the worker before keeps serving until this one is ready, and for as long as the files cannot be loaded.
"""

from __future__ import annotations

import contextlib
import os
import sys
from pathlib import Path
from typing import Any, TextIO

import orjson

from workroom.cli.dev.problem import problem_of
from workroom.cli.dev.watched_files import imported_files
from workroom.cli.workers.worker import serve_extensions
from workroom.errors import WorkroomError
from workroom.runners.loading import load

GO = "go\n"


def main(arguments: dict[str, Any], reports: TextIO) -> int:
    """Every line of the reports is an object: `loaded`, then `serving`, or `problem`."""

    def report(kind: str, value: object) -> None:
        with contextlib.suppress(BrokenPipeError):
            reports.write(orjson.dumps({kind: value}).decode() + "\n")
            reports.flush()

    names, folders = arguments["extensions"], [Path(folder) for folder in arguments["folders"]]
    try:
        classes = load(names)
    except Exception as error:
        report("files", [str(path) for path in imported_files(folders)])
        report("problem", problem_of(error).document())
        return 1
    labels = [each.label() for each in classes]
    report("files", [str(path) for path in imported_files(folders)])
    report("loaded", labels)
    if sys.stdin.readline() != GO:
        return 0
    try:
        serve_extensions(
            classes,
            room=arguments["room"],
            create=True,
            public=False,
            slots=arguments["slots"],
            name="dev",
            quiet=True,
            until_eof=True,
            url=arguments["url"],
            on_serving=lambda: report("serving", labels),
        )
    except (WorkroomError, ValueError, TypeError) as error:
        report("problem", problem_of(error).document())
        return 1
    except KeyboardInterrupt:  # stopped before it was registered
        return 130
    return 0


if __name__ == "__main__":
    with os.fdopen(int(sys.argv[2]), "w") as reports:
        code = main(orjson.loads(sys.argv[1]), reports)
    sys.exit(code)
