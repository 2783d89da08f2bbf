"""How to call this program again, so that what is printed can be typed."""

from __future__ import annotations

import shlex
import shutil
import sys
from pathlib import Path

from workroom.cli.options import DEFAULT_URL


def command(*words: str, url: str | None = None) -> str:
    """A command line for this very program, and this server if it is not the usual one."""
    where = [] if url in (None, DEFAULT_URL) else ["--url", str(url)]
    return " ".join([_program(), shlex.join([*words, *where])])


def _program() -> str:
    script = Path(sys.argv[0])
    if script.name == "workroom":
        return _called("workroom", script)
    return f"{_called('python', Path(sys.executable))} -m workroom"


def _called(name: str, path: Path) -> str:
    """The name alone if the shell finds this very file by it, else the path."""
    found = shutil.which(name)
    if found is not None and Path(found).absolute() == path.absolute():
        return name
    is_near = path.absolute().is_relative_to(Path.cwd())
    return shlex.quote(str(path.absolute().relative_to(Path.cwd()) if is_near else path.absolute()))
