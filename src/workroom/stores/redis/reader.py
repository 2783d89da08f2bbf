"""Reads and idempotent writes that need no place in the script queue."""

from __future__ import annotations

import asyncio
from collections.abc import Awaitable, Callable, Sequence
from typing import Any, TypeVar

from redis.asyncio import Redis
from redis.exceptions import NoScriptError, RedisError

from workroom.errors import StoreUnavailable
from workroom.stores.redis.connection import TIMEOUT_SECONDS, Command, Connection
from workroom.stores.redis.keys import job_record_key, scheduling
from workroom.stores.redis.messages.codec import pack, unpack
from workroom.stores.redis.messages.layouts import JobRecord, job_record
from workroom.stores.redis.scripts import SCRIPTS, Script

T = TypeVar("T")
_RETRY_SECONDS = 0.1


class Reader:
    """Sends commands again until the server replies or the timeout has passed."""

    def __init__(self, client: Redis, connection: Connection, room_of: Callable[[str], str | None]) -> None:
        """Create a reader. `room_of` returns the room of a job if this process knows it."""
        self._client = client
        self._connection = connection
        self.room_of = room_of

    async def retry(self, operation: Callable[[], Awaitable[T]]) -> T:
        """Run an idempotent operation, and again if it fails for want of a connection."""
        loop = asyncio.get_running_loop()
        deadline, pause = loop.time() + TIMEOUT_SECONDS, 0.0
        while True:
            try:
                async with asyncio.timeout_at(deadline):
                    return await operation()
            except (RedisError, OSError, TimeoutError) as error:
                if loop.time() + pause >= deadline:
                    raise StoreUnavailable(
                        f"the store cannot be reached: {str(error) or 'no reply'}"
                    ) from error
                await asyncio.sleep(pause)
                pause = _RETRY_SECONDS

    async def send(self, commands: Sequence[Command]) -> list[Any]:
        """Send commands over a pooled connection, so that a long reply delays no one else's."""

        async def send() -> list[Any]:
            pipeline = self._client.pipeline(transaction=False)
            for command in commands:
                pipeline.execute_command(*command)
            replies: list[Any] = await pipeline.execute()
            return replies

        return await self.retry(send)

    async def execute(self, *command: str | bytes | int) -> Any:
        return (await self.send([command]))[0]

    async def send_raw(self, commands: Sequence[Command]) -> list[Any]:
        """Send commands over the shared connection; redis-py does not convert their replies."""
        return await self.retry(lambda: self._replies(commands))

    async def run_script(self, name: str, arguments: dict[str, object], keys: Sequence[str] = ()) -> Any:
        return (await self.run_script_and((), name, arguments, keys))[0]

    async def run_script_and(
        self, commands: Sequence[Command], name: str, arguments: dict[str, object], keys: Sequence[str] = ()
    ) -> list[Any]:
        """Run a script that changes nothing, followed by these commands, in one round trip."""
        keys = keys or (scheduling("meta"),)
        parameters: Command = (len(keys), *keys, pack(arguments))
        reply, *values = await self.retry(lambda: self._evaluate(SCRIPTS[name], parameters, commands))
        return [unpack(reply), *values]

    async def find_record(self, job_id: str) -> JobRecord | None:
        (packed,) = await self.send_raw([("GET", job_record_key(job_id))])
        return None if packed is None else job_record(unpack(packed))

    async def _evaluate(self, script: Script, parameters: Command, commands: Sequence[Command]) -> list[Any]:
        try:
            return await self._replies([("EVALSHA", script.digest, *parameters), *commands])
        except NoScriptError:
            return await self._replies([("EVAL", script.text, *parameters), *commands])

    async def _replies(self, commands: Sequence[Command]) -> list[Any]:
        replies = await self._connection.send(commands)
        for reply in replies:
            if isinstance(reply, Exception):
                raise reply
        return replies
