"""Command lines for this program that the user can copy."""

from __future__ import annotations

import shlex
import shutil
import sys
from pathlib import Path

from workroom.cli.options import DEFAULT_URL


def command(*words: str, url: str | None = None) -> str:
    """A command line for this program, with --url unless it is the default."""
    server = [] if url in (None, DEFAULT_URL) else ["--url", str(url)]
    return " ".join([_program(), shlex.join([*words, *server])])


def _program() -> str:
    script = Path(sys.argv[0])
    if script.name == "workroom":
        return _shortest("workroom", script)
    return f"{_shortest('python', Path(sys.executable))} -m workroom"


def _shortest(name: str, path: Path) -> str:
    """The bare name if the shell finds this file by it, else the path."""
    found = shutil.which(name)
    if found is not None and Path(found).absolute() == path.absolute():
        return name
    is_near = path.absolute().is_relative_to(Path.cwd())
    return shlex.quote(str(path.absolute().relative_to(Path.cwd()) if is_near else path.absolute()))
