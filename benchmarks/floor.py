"""The floor: the same stack without Workroom. Prints its port."""

from __future__ import annotations

import asyncio
import socket
from typing import Any

import socketio
import uvicorn
from fastapi import FastAPI, Request, Response

sio = socketio.AsyncServer(async_mode="asgi", transports=["websocket"])
api = FastAPI()


@api.post("/empty")
async def empty(request: Request) -> Response:
    await request.body()
    return Response(b"{}", media_type="application/json")


@sio.on("connect")
async def connect(sid: str, environ: dict[str, Any], auth: Any = None) -> None: ...


@sio.on("empty")
async def acked(sid: str, body: Any) -> dict[str, Any]:
    return {}


def main() -> None:
    listener = socket.socket()
    listener.bind(("127.0.0.1", 0))
    print(listener.getsockname()[1], flush=True)
    config = uvicorn.Config(
        socketio.ASGIApp(sio, api),
        log_level="error",
        access_log=False,
        ws="websockets-sansio",
        ws_per_message_deflate=False,
    )
    server = uvicorn.Server(config)
    with asyncio.Runner(loop_factory=config.get_loop_factory()) as runner:
        runner.run(server.serve([listener]))


if __name__ == "__main__":
    main()
