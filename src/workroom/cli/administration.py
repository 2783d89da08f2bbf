"""Speaks to a server as its admin: the one that runs on a data directory, or one started for the moment."""

from __future__ import annotations

import fcntl
import subprocess
import sys
from collections.abc import Iterator
from contextlib import contextmanager
from pathlib import Path
from typing import Annotated, Any

import orjson
import typer

from workroom.cli.mistakes import Failure

DataDir = Annotated[
    Path | None,
    typer.Option(envvar="WORKROOM_DATA_DIR", help="The server's data. Default: ./workroom-data"),
]
_MINUTES = 10 / 1440


class Administration:
    """REST calls with the rights of an admin."""

    def __init__(self, url: str, token: str) -> None:
        self._url = url
        self._token = token

    def call(self, method: str, path: str, body: Any = None) -> Any:
        from workroom.client.once import call  # noqa: PLC0415 - heavy, and `--help` does not need it

        return call(self._url, self._token, method, path, body)


@contextmanager
def administration(data_dir: Path | None) -> Iterator[Administration]:
    """Whoever can read the data directory is the admin: its key is in there."""
    from workroom.domain.identity import SERVER, Principal, Role  # noqa: PLC0415
    from workroom.services.tokens import Tokens, signing_key  # noqa: PLC0415

    directory = data_dir or Path("workroom-data")
    if not directory.is_dir():
        raise Failure(f"there is no server's data in {directory}: name it with --data-dir")
    token = Tokens(signing_key(directory), 1).issue(Principal(SERVER, Role.ADMIN), _MINUTES)
    url = _running(directory)
    if url is not None:
        yield Administration(url, token)
        return
    with _started(directory) as url:
        yield Administration(url, token)


def _running(directory: Path) -> str | None:
    """Where the server of this directory is, if one runs."""
    try:
        with (directory / "server.lock").open() as lock:
            fcntl.flock(lock, fcntl.LOCK_EX | fcntl.LOCK_NB)
    except BlockingIOError:
        return (directory / "server.lock").read_text().strip()
    except FileNotFoundError:
        return None
    return None


@contextmanager
def _started(directory: Path) -> Iterator[str]:
    command = [sys.executable, "-m", "workroom", "serve", "--json", "--port", "0", "--workers", "0"]
    server = subprocess.Popen(  # noqa: S603 - our own interpreter and module
        [*command, "--data-dir", str(directory)], stdout=subprocess.PIPE
    )
    try:
        assert server.stdout is not None
        line = server.stdout.readline()
        if not line:
            raise Failure(f"no server could be started on {directory}")
        yield orjson.loads(line)["url"]
    finally:
        server.terminate()
        server.wait()
