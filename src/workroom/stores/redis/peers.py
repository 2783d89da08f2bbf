"""The other servers on the same Redis: they hear by pub/sub, which forgets, so who was cut off is told so."""

from __future__ import annotations

import asyncio
from collections.abc import Callable
from typing import Any
from uuid import uuid4

import structlog
from redis.asyncio import Redis
from redis.exceptions import RedisError

from workroom.domain.news import News
from workroom.stores.redis.connection import open_client
from workroom.stores.redis.keys import scheduling
from workroom.stores.redis.spelling import read, spell

log = structlog.get_logger()

_NAME_BYTES = 16
_SIGN_OF_LIFE_SECONDS = 2.0
_PATIENCE_SECONDS = 7.0  # without hearing even oneself, or without a word from a peer
_RETRY_SECONDS = 0.2


class RedisPeers:
    """Everyone gives a sign of life now and then; while nobody else does, nothing is sent."""

    def __init__(self, url: str) -> None:
        self._client: Redis = open_client(url)
        database = self._client.connection_pool.connection_kwargs.get("db") or 0
        self._channel = scheduling("news", str(database))  # channels are the same in all databases
        self._loop = asyncio.get_running_loop()
        self._name = uuid4().bytes
        self._outbox: list[bytes] = []
        self._wake = asyncio.Event()
        self._heard: dict[bytes, float] = {}
        self._until = float("inf")  # while there may be peers that are not known yet
        self._is_closed = False
        self._tasks = [self._loop.create_task(self._send())]

    def tell(self, news: News) -> None:
        if self._has_peers():
            self._outbox.append(self._name + spell(news))
            self._wake.set()

    def listen(self, hear: Callable[[News], None], missed: Callable[[], None]) -> None:
        """`missed` is called when there may have been news that were not heard."""
        self._tasks.append(self._loop.create_task(self._listen(hear, missed)))
        self._tasks.append(self._loop.create_task(self._give_signs()))

    async def aclose(self) -> None:
        """The driver may take a cancellation for its own as it connects, so tasks look for themselves."""
        self._is_closed = True
        self._wake.set()
        for task in self._tasks:
            task.cancel()
        await asyncio.gather(*self._tasks, return_exceptions=True)
        await self._client.aclose()

    def _has_peers(self) -> bool:
        now = self._loop.time()
        return now < self._until or any(now - heard < _PATIENCE_SECONDS for heard in self._heard.values())

    async def _send(self) -> None:
        while not self._is_closed:
            await self._wake.wait()
            self._wake.clear()
            messages, self._outbox = self._outbox, []
            try:
                pipeline = self._client.pipeline(transaction=False)
                for message in messages:
                    pipeline.publish(self._channel, message)
                await pipeline.execute()
            except (RedisError, OSError, TimeoutError) as error:
                log.debug("news_not_sent", messages=len(messages), reason=str(error))

    async def _give_signs(self) -> None:
        while True:
            self._outbox.append(self._name)
            self._wake.set()
            await asyncio.sleep(_SIGN_OF_LIFE_SECONDS)

    async def _listen(self, hear: Callable[[News], None], missed: Callable[[], None]) -> None:
        is_cut = False
        while not self._is_closed:
            try:
                async with self._client.pubsub(ignore_subscribe_messages=True) as channel:
                    await channel.subscribe(self._channel)
                    missed()  # also at first: what was read on the way here may have changed since
                    is_cut = False
                    self._until = self._loop.time() + _PATIENCE_SECONDS
                    await self._hear(channel, hear)
            except (RedisError, OSError, TimeoutError) as error:
                if not is_cut:
                    log.warning("news_not_heard", reason=str(error) or "no answer")
                is_cut = True
                self._until = float("inf")
            await asyncio.sleep(_RETRY_SECONDS)

    async def _hear(self, channel: Any, hear: Callable[[News], None]) -> None:
        """Until the connection is cut, or has been silent for so long that it must be dead."""
        while not self._is_closed:
            async with asyncio.timeout(_PATIENCE_SECONDS):
                message = await channel.get_message(timeout=_PATIENCE_SECONDS)
            if message is None:
                continue
            name, packed = message["data"][:_NAME_BYTES], message["data"][_NAME_BYTES:]
            if name == self._name:
                continue
            self._meet(name)
            if packed:
                hear(read(packed))

    def _meet(self, name: bytes) -> None:
        """A newcomer is answered at once, so that it knows that it is not alone."""
        if name not in self._heard:
            self._outbox.append(self._name)
            self._wake.set()
        now = self._loop.time()
        self._heard[name] = now
        self._heard = {each: heard for each, heard in self._heard.items() if now - heard < _PATIENCE_SECONDS}
