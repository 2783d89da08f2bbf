"""What exists between the start and the end of an embedded server."""

from __future__ import annotations

import asyncio
from dataclasses import dataclass

from starlette.types import ASGIApp

from workroom.server.http.context import Services


@dataclass(frozen=True, slots=True)
class Running:
    app: ASGIApp
    services: Services
    url: str  # on the loopback interface
    loop: asyncio.AbstractEventLoop
    thread: int  # of the loop
