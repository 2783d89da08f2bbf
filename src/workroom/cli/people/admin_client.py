"""REST calls as admin, to the server of a data directory or to one that is started for the call."""

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

from workroom.cli.errors import CommandError

DataDir = Annotated[
    Path | None,
    typer.Option(envvar="WORKROOM_DATA_DIR", help="The server's data directory. Default: ./workroom-data"),
]
_TOKEN_DAYS = 10 / 1440


class AdminClient:
    def __init__(self, url: str, token: str) -> None:
        self._url = url
        self._token = token

    def call(self, method: str, path: str, body: Any = None) -> Any:
        from workroom.client.transport.http import call_once  # noqa: PLC0415 - slow to import, `--help` is fast

        return call_once(self._url, self._token, method, path, body)


@contextmanager
def admin_client(data_dir: Path | None) -> Iterator[AdminClient]:
    """The data directory contains the signing key, so read access to it makes an admin."""
    from workroom.domain.identity import SERVER, Principal, Role  # noqa: PLC0415
    from workroom.services.identity.tokens import Tokens, signing_key  # noqa: PLC0415

    directory = data_dir or Path("workroom-data")
    if not directory.is_dir():
        raise CommandError(f"{directory} is not a data directory: pass --data-dir")
    token = Tokens(signing_key(directory), 1).issue(Principal(SERVER, Role.ADMIN), _TOKEN_DAYS)
    url = _running_url(directory)
    if url is not None:
        yield AdminClient(url, token)
        return
    with _temporary_server(directory) as url:
        yield AdminClient(url, token)


def _running_url(directory: Path) -> str | None:
    """The address of the server that runs on this directory, if any."""
    try:
        with (directory / "server.lock").open() as lock:
            fcntl.flock(lock, fcntl.LOCK_EX | fcntl.LOCK_NB)
    except BlockingIOError:
        return (directory / "server.lock").read_text().strip()
    except FileNotFoundError:
        return None
    return None


@contextmanager
def _temporary_server(directory: Path) -> Iterator[str]:
    command = [sys.executable, "-m", "workroom", "serve", "--json", "--port", "0", "--workers", "0"]
    server = subprocess.Popen(  # noqa: S603 - our own interpreter and module
        [*command, "--data-dir", str(directory)], stdout=subprocess.PIPE
    )
    try:
        assert server.stdout is not None
        line = server.stdout.readline()
        if not line:
            raise CommandError(f"cannot start a server on {directory}")
        yield orjson.loads(line)["url"]
    finally:
        server.terminate()
        server.wait()
