"""Serves pages with other viewers, and frames for them, on loopback."""

from __future__ import annotations

import json
from collections.abc import Iterator, Sequence
from contextlib import contextmanager
from functools import partial
from http.server import SimpleHTTPRequestHandler, ThreadingHTTPServer
from pathlib import Path
from threading import Thread
from typing import Any

import numpy as np

ROOT = Path(__file__).parent / "viewers"


class Handler(SimpleHTTPRequestHandler):
    """Frames come from a folder of their own. Scripts are cached, as those of Workroom are."""

    def __init__(self, *args: Any, frames: Path, **options: Any) -> None:
        self._frames = frames
        super().__init__(*args, **options)

    def translate_path(self, path: str) -> str:
        wanted = self._frames / path.partition("?")[0].lstrip("/")
        return str(wanted) if wanted.is_file() else super().translate_path(path)

    def end_headers(self) -> None:
        if self.path.startswith(("/node_modules/", "/engine/")):
            self.send_header("Cache-Control", "max-age=3600")
        super().end_headers()

    def log_message(self, format: str, *args: Any) -> None:
        return


class Viewers:
    def __init__(self, url: str, folder: Path) -> None:
        self.url = url
        self._folder = folder

    def put(self, name: str, frames: Sequence[dict[str, Any]]) -> None:
        """The first frame as PDB, the coordinates of all, and the cell that they share."""
        folder = self._folder / name
        folder.mkdir(parents=True)
        (folder / "first.pdb").write_text(pdb(frames[0]["positions"]))
        (folder / "cell").write_text(json.dumps(frames[0]["cell"].ravel().tolist()))
        for number, frame in enumerate(frames):
            (folder / f"positions-{number}").write_bytes(frame["positions"].astype(np.float32).tobytes())


def pdb(positions: Any) -> str:
    lines = [_pdb_line(index, *place) for index, place in enumerate(positions)]
    return "\n".join([*lines, "END", ""])


def _pdb_line(index: int, x: float, y: float, z: float) -> str:
    head = f"HETATM{index % 100_000:5d} AR   AR  A{index % 10_000:4d}    "
    return f"{head}{x:8.3f}{y:8.3f}{z:8.3f}  1.00  0.00          AR"


@contextmanager
def serve_viewers(folder: Path) -> Iterator[Viewers]:
    for needed in ("node_modules", "engine"):
        assert (ROOT / needed).is_dir(), f"benchmarks/viewers/{needed} is missing: use `make bench-view`"
    handler = partial(Handler, frames=folder, directory=str(ROOT))
    with ThreadingHTTPServer(("127.0.0.1", 0), handler) as server:
        thread = Thread(target=server.serve_forever, daemon=True)
        thread.start()
        yield Viewers(f"http://127.0.0.1:{server.server_port}", folder)
        server.shutdown()
        thread.join()
