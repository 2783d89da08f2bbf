"""The floor under `extend`: the same bytes over HTTP, with nothing of Workroom.

    python benchmarks/frames_floor.py FOLDER [--hashed]

Serves on a port that it prints. The body of each request is received into one buffer, written to a new file
and flushed with fdatasync; with `--hashed`, its BLAKE3 is computed meanwhile. There is no ASGI, no routing,
no database and no index.
"""

from __future__ import annotations

import argparse
import asyncio
import mmap
import os
import re
import socket
from collections.abc import Awaitable
from itertools import count
from pathlib import Path

import uvloop
from blake3 import blake3

CONNECTIONS = 3
_HEAD_BYTES = 4096
_LENGTH = re.compile(rb"content-length: (\d+)\r\n")
_END = b"\r\n\r\n"
_REPLY = b"HTTP/1.1 200 OK\r\ncontent-length: 0\r\n\r\n"


class Receiver(asyncio.BufferedProtocol):
    def __init__(self, folder: Path, *, hashed: bool) -> None:
        self._folder = folder
        self._is_hashed = hashed
        self._numbers = count()
        self._begin()

    def _begin(self) -> None:
        self._head = self._left = memoryview(bytearray(_HEAD_BYTES))
        self._body: memoryview | None = None

    def connection_made(self, transport: asyncio.Transport) -> None:  # type: ignore[override]
        self._transport = transport

    def get_buffer(self, sizehint: int) -> memoryview:
        return self._left

    def buffer_updated(self, nbytes: int) -> None:
        self._left = self._left[nbytes:]
        if self._body is None:
            self._read_head(bytes(self._head[: _HEAD_BYTES - len(self._left)]))
        elif not self._left:
            self._task = asyncio.get_running_loop().create_task(self._keep(self._body))
            self._begin()

    def _read_head(self, head: bytes) -> None:
        """The client waits for the reply, so nothing follows the body."""
        head, found, begun = head.partition(_END)
        length = _LENGTH.search(head + b"\r\n") if found else None
        if length is not None:
            mapped = mmap.mmap(-1, int(length[1]), mmap.MAP_PRIVATE | mmap.MAP_ANONYMOUS)
            mapped.madvise(mmap.MADV_HUGEPAGE)
            self._body = memoryview(mapped)
            self._body[: len(begun)] = begun
            self._left = self._body[len(begun) :]

    async def _keep(self, body: memoryview) -> None:
        path = self._folder / f"{id(self)}-{next(self._numbers)}"
        tasks: list[Awaitable[object]] = [asyncio.to_thread(keep, path, body)]
        if self._is_hashed:
            tasks.append(asyncio.to_thread(blake3, body))
        await asyncio.gather(*tasks)
        self._transport.write(_REPLY)


def keep(path: Path, body: memoryview) -> None:
    with path.open("wb", buffering=0) as file:
        file.write(body)
        os.fdatasync(file.fileno())


async def post(port: int, size: int, piece_bytes: int) -> None:
    """Send so many bytes in pieces, several at a time."""
    sizes = [min(piece_bytes, size - start) for start in range(0, size, piece_bytes)]
    pieces = iter(sizes)
    content = memoryview(bytes(piece_bytes))

    async def post_some() -> None:
        loop = asyncio.get_running_loop()
        with socket.create_connection(("127.0.0.1", port)) as sock:
            sock.setblocking(False)
            for each in pieces:
                await loop.sock_sendall(sock, b"POST / HTTP/1.1\r\ncontent-length: %d\r\n\r\n" % each)
                await loop.sock_sendall(sock, content[:each])
                received = b""
                while not received.endswith(_END):
                    received += await loop.sock_recv(sock, _HEAD_BYTES)

    await asyncio.gather(*(post_some() for _ in range(CONNECTIONS)))


async def serve(folder: Path, *, hashed: bool) -> None:
    loop = asyncio.get_running_loop()
    server = await loop.create_server(lambda: Receiver(folder, hashed=hashed), "127.0.0.1", 0)
    print(server.sockets[0].getsockname()[1], flush=True)
    await server.serve_forever()


def main() -> None:
    parser = argparse.ArgumentParser(description=__doc__, formatter_class=argparse.RawTextHelpFormatter)
    parser.add_argument("folder", type=Path)
    parser.add_argument("--hashed", action="store_true")
    options = parser.parse_args()
    uvloop.run(serve(options.folder, hashed=options.hashed))


if __name__ == "__main__":
    main()
