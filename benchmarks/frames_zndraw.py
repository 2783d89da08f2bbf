"""Extends a room of ZnDraw: `python frames_zndraw.py FOLDER FRAMES ATOMS`, where ZnDraw is installed.

Prints JSON: the seconds that `extend` took. Stops its server, and only that.
"""

from __future__ import annotations

import json
import socket
import subprocess
import sys
import time
import warnings
from collections.abc import Iterator
from contextlib import contextmanager
from pathlib import Path
from typing import Any

START_SECONDS = 60


def main() -> None:
    folder, frames, atoms = Path(sys.argv[1]), int(sys.argv[2]), int(sys.argv[3])
    with serving(folder, sys.executable) as url:
        print(json.dumps({"extend": _extend(url, frames, atoms)}))


@contextmanager
def serving(folder: Path, python: str) -> Iterator[str]:
    """The address of a server of ZnDraw, which is installed for that interpreter."""
    folder.mkdir(parents=True, exist_ok=True)
    port, command = _free_port(), Path(python).absolute().with_name("zndraw")
    options = [
        "--no-celery",
        "--no-browser",
        "--storage-type",
        "lmdb",
        "--storage-path",
        str(folder / "data"),
    ]
    with (folder / "log").open("wb") as log:
        server = subprocess.Popen(
            [command, "--host", "127.0.0.1", "--port", str(port), *options],
            cwd=folder,
            stdout=log,
            stderr=subprocess.STDOUT,
        )
        try:
            _wait_for(port)
            yield f"http://127.0.0.1:{port}"
        finally:
            server.terminate()
            server.wait(30)


def _extend(url: str, count: int, atoms: int) -> float:
    warnings.simplefilter("ignore")
    import ase  # noqa: PLC0415 - only where ZnDraw is installed
    import numpy as np  # noqa: PLC0415
    from zndraw import ZnDraw  # noqa: PLC0415

    positions = np.random.default_rng(0).random((atoms, 3))
    given = [ase.Atoms(f"C{atoms}", positions=positions + number) for number in range(count)]
    room: Any = ZnDraw(url=url, room="bench", user="bench", auto_pickup_jobs=False)
    room.local.show_progress = False
    begun = time.perf_counter()
    room.extend(given)
    seconds = time.perf_counter() - begun
    assert len(room) >= count, f"ZnDraw has {len(room)} frames"
    return seconds


def _free_port() -> int:
    with socket.create_server(("127.0.0.1", 0)) as free:
        port: int = free.getsockname()[1]
        return port


def _wait_for(port: int) -> None:
    deadline = time.monotonic() + START_SECONDS
    while True:
        try:
            socket.create_connection(("127.0.0.1", port), timeout=1).close()
        except OSError:
            if time.monotonic() > deadline:
                raise
            time.sleep(0.2)
        else:
            return


if __name__ == "__main__":
    main()
