"""Messages to the other servers on the same Redis, over pub/sub.

Pub/sub does not store messages, so a subscriber is notified when it may have missed some.
"""

from __future__ import annotations

import asyncio
from collections.abc import Callable
from typing import Any
from uuid import uuid4

import structlog
from redis.asyncio import Redis
from redis.exceptions import RedisError

from workroom.domain.storage.peer_message import PeerMessage
from workroom.stores.redis.connection import open_client
from workroom.stores.redis.keys import scheduling
from workroom.stores.redis.peers.codec import decode, encode

log = structlog.get_logger()

_ID_BYTES = 16
_HEARTBEAT_SECONDS = 2.0
_TIMEOUT_SECONDS = 7.0  # without a message, not even one's own heartbeat, or without one from a peer
_RETRY_SECONDS = 0.2


class RedisPeers:
    """Sends heartbeats, and messages only while the heartbeat of another server was received recently."""

    def __init__(self, url: str) -> None:
        self._client: Redis = open_client(url)
        database = self._client.connection_pool.connection_kwargs.get("db") or 0
        self._channel = scheduling("peers", str(database))  # channels are shared by all databases
        self._loop = asyncio.get_running_loop()
        self._id = uuid4().bytes
        self._outbox: list[bytes] = []
        self._wake = asyncio.Event()
        self._last_seen: dict[bytes, float] = {}
        self._discovering_until = float("inf")  # there may be peers that are not known yet
        self._is_closed = False
        self._tasks = [self._loop.create_task(self._send())]

    def send(self, message: PeerMessage) -> None:
        if self._has_peers():
            self._outbox.append(self._id + encode(message))
            self._wake.set()

    def subscribe(self, receive: Callable[[PeerMessage], None], missed: Callable[[], None]) -> None:
        """Receive messages. `missed` is called when some may have been lost."""
        self._tasks.append(self._loop.create_task(self._listen(receive, missed)))
        self._tasks.append(self._loop.create_task(self._send_heartbeats()))

    async def aclose(self) -> None:
        """Stop the tasks. They also check `_is_closed`: redis-py may swallow a cancellation."""
        self._is_closed = True
        self._wake.set()
        for task in self._tasks:
            task.cancel()
        await asyncio.gather(*self._tasks, return_exceptions=True)
        await self._client.aclose()

    def _has_peers(self) -> bool:
        now = self._loop.time()
        is_discovering = now < self._discovering_until
        return is_discovering or any(now - seen < _TIMEOUT_SECONDS for seen in self._last_seen.values())

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
                log.debug("peer_messages_not_sent", messages=len(messages), reason=str(error))

    async def _send_heartbeats(self) -> None:
        while True:
            self._outbox.append(self._id)
            self._wake.set()
            await asyncio.sleep(_HEARTBEAT_SECONDS)

    async def _listen(self, receive: Callable[[PeerMessage], None], missed: Callable[[], None]) -> None:
        is_disconnected = False
        while not self._is_closed:
            try:
                async with self._client.pubsub() as channel:
                    await channel.subscribe(self._channel)
                    is_disconnected = False
                    await self._receive(channel, receive, missed)
            except (RedisError, OSError, TimeoutError) as error:
                if not is_disconnected:
                    log.warning("peer_messages_not_received", reason=str(error) or "no reply")
                is_disconnected = True
                self._discovering_until = float("inf")
            await asyncio.sleep(_RETRY_SECONDS)

    async def _receive(
        self, channel: Any, receive: Callable[[PeerMessage], None], missed: Callable[[], None]
    ) -> None:
        """Receive until the connection is lost or silent for too long.

        The server confirms each subscription, also one that redis-py renews after it reconnects by itself.
        Messages published before the confirmation may be lost; later ones are received.
        """
        while not self._is_closed:
            async with asyncio.timeout(_TIMEOUT_SECONDS):
                message = await channel.get_message(timeout=_TIMEOUT_SECONDS)
            if message is None:
                continue
            if message["type"] == "subscribe":
                missed()
                self._discovering_until = self._loop.time() + _TIMEOUT_SECONDS
                continue
            peer, packed = message["data"][:_ID_BYTES], message["data"][_ID_BYTES:]
            if peer == self._id:
                continue
            self._see(peer)
            if packed:
                receive(decode(packed))

    def _see(self, peer: bytes) -> None:
        """Send a heartbeat at once to a new peer, so that it knows that it is not alone."""
        if peer not in self._last_seen:
            self._outbox.append(self._id)
            self._wake.set()
        now = self._loop.time()
        self._last_seen[peer] = now
        self._last_seen = {
            each: seen for each, seen in self._last_seen.items() if now - seen < _TIMEOUT_SECONDS
        }
