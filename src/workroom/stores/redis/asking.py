"""Questions and small changes that need no place in the line: each may be asked again."""

from __future__ import annotations

import asyncio
from collections.abc import Awaitable, Callable, Sequence
from typing import Any, TypeVar

from redis.asyncio import Redis
from redis.exceptions import NoScriptError, RedisError

from workroom.errors import StoreUnavailable
from workroom.stores.redis.packing import pack, unpack
from workroom.stores.redis.scripts import SCRIPTS, Script
from workroom.stores.redis.wire import PATIENCE_SECONDS, Command, Wire

T = TypeVar("T")
_RETRY_SECONDS = 0.1


class Asker:
    def __init__(self, client: Redis, wire: Wire, room_of: Callable[[str], str | None]) -> None:
        """`room_of` says where a job is, if that is known here."""
        self._client = client
        self._wire = wire
        self.room_of = room_of

    async def ask(self, question: Callable[[], Awaitable[T]]) -> T:
        """Ask, and again if there is no answer, but not for long."""
        loop = asyncio.get_running_loop()
        deadline, pause = loop.time() + PATIENCE_SECONDS, 0.0
        while True:
            try:
                async with asyncio.timeout_at(deadline):
                    return await question()
            except (RedisError, OSError, TimeoutError) as error:
                if loop.time() + pause >= deadline:
                    raise StoreUnavailable(f"the store cannot be reached: {error or 'no answer'}") from error
                await asyncio.sleep(pause)
                pause = _RETRY_SECONDS

    async def send(self, commands: Sequence[Command]) -> list[Any]:
        """All of these in one trip."""

        async def trip() -> list[Any]:
            pipeline = self._client.pipeline(transaction=False)
            for command in commands:
                pipeline.execute_command(*command)
            answers: list[Any] = await pipeline.execute()
            return answers

        return await self.ask(trip)

    async def one(self, *command: str | bytes | int) -> Any:
        return (await self.send([command]))[0]

    async def values(self, commands: Sequence[Command]) -> list[Any]:
        """As `send`, for replies that are taken as they come."""
        return await self.ask(lambda: self._replies(commands))

    async def script(self, name: str, arguments: dict[str, object], keys: Sequence[str] = ()) -> Any:
        return (await self.script_and((), name, arguments, keys))[0]

    async def script_and(
        self, commands: Sequence[Command], name: str, arguments: dict[str, object], keys: Sequence[str] = ()
    ) -> list[Any]:
        """The script, and then these commands, in one trip."""
        where = keys or ("{workroom}:meta",)
        given: Command = (len(where), *where, pack(arguments))
        answer, *values = await self.ask(lambda: self._evaluate(SCRIPTS[name], given, commands))
        return [unpack(answer), *values]

    async def _evaluate(self, script: Script, given: Command, commands: Sequence[Command]) -> list[Any]:
        try:
            return await self._replies([("EVALSHA", script.digest, *given), *commands])
        except NoScriptError:
            return await self._replies([("EVAL", script.text, *given), *commands])

    async def _replies(self, commands: Sequence[Command]) -> list[Any]:
        replies = await self._wire.trip(commands)
        for reply in replies:
            if isinstance(reply, Exception):
                raise reply
        return replies
