"""What clients subscribe to: rooms, jobs, and the fleet."""

from __future__ import annotations

from collections.abc import Iterator
from contextlib import contextmanager
from functools import partial
from typing import Any

import orjson

from workroom.domain import events
from workroom.domain.identity import Principal
from workroom.domain.job import Fence
from workroom.domain.permissions import Permission
from workroom.domain.room import room_name
from workroom.errors import NotFound, TooManyRequests
from workroom.server.http.context import Services
from workroom.server.http.views.event import render_event
from workroom.server.http.views.values import embed
from workroom.server.sockets.client import Client, Handler, read_text
from workroom.server.sockets.socket_server import SocketServer
from workroom.services.live.subscriptions import Subscription


class SubscriptionHandlers:
    def __init__(self, server: SocketServer, services: Services) -> None:
        self._server = server
        self._accounts = services.accounts
        self._access = services.access
        self._subscriptions = services.subscriptions
        self._presence = services.presence
        self._max_watches = services.settings.max_watches

    def handlers(self) -> dict[str, Handler]:
        return {
            "room:join": self._join,
            "room:leave": self._leave,
            "job:watch": self._watch,
            "job:unwatch": self._unwatch,
            "fleet:watch": self._watch_fleet,
        }

    async def _join(self, client: Client, body: Any) -> Any:
        room = room_name(read_text(body, "room"))
        principal, audience = client.principal, events.room_audience(room)
        self._check_limit(client, audience, principal)
        on_end = partial(self._on_end, client, audience, principal.job, room=room)
        subscription = self._subscriptions.to_room(principal, room, on_end)
        with self._removed_on_error(subscription):
            await self._access.room(principal, room, Permission.SEE_ROOM)
            self._enter(client, audience, subscription)
        self._presence.join(room, client.sid, principal)
        return {"room": room}

    async def _leave(self, client: Client, body: Any) -> Any:
        room = room_name(read_text(body, "room"))
        self._exit(client, events.room_audience(room))
        self._presence.leave(room, client.sid)
        return {"room": room}

    async def _watch(self, client: Client, body: Any) -> Any:
        """With the token of another job, the watch lasts as long as that job's attempt runs."""
        job_id = read_text(body, "job_id")
        principal = client.principal if "token" not in body else await self._accounts.read(body["token"])
        audience = events.job_audience(job_id)
        self._check_limit(client, audience, principal)
        job = await self._access.job(principal, job_id, Permission.SEE_JOB)
        on_end = partial(self._on_end, client, audience, principal.job, job_id=job_id)
        subscription = self._subscriptions.to_job(principal, job, on_end)
        with self._removed_on_error(subscription):
            await self._accounts.check(principal)
            self._enter(client, audience, subscription)
            job = await self._access.job(
                principal, job_id, Permission.SEE_JOB
            )  # no change is missed from here on
        return {
            "job_id": job.id,
            "version": job.version,
            "status": job.status,
            "progress": embed(job.progress),
        }

    async def _unwatch(self, client: Client, body: Any) -> Any:
        job_id = read_text(body, "job_id")
        self._exit(client, events.job_audience(job_id))
        return {"job_id": job_id}

    async def _watch_fleet(self, client: Client, body: Any) -> Any:
        self._access.check(client.principal, Permission.ADMINISTER)
        self._server.enter(client.sid, events.FLEET)
        return {}

    def _check_limit(self, client: Client, audience: str, principal: Principal) -> None:
        is_new = principal.job not in client.watched.get(audience, {})
        if is_new and len(client.subscriptions) >= self._max_watches:
            raise TooManyRequests(
                f"one socket may watch {self._max_watches} rooms and jobs: leave some first",
                max_watches=self._max_watches,
            )

    @contextmanager
    def _removed_on_error(self, subscription: Subscription) -> Iterator[None]:
        try:
            yield
        except BaseException:
            self._subscriptions.remove(subscription)
            subscription.end("it was refused")
            raise

    def _enter(self, client: Client, audience: str, subscription: Subscription) -> None:
        """Enter the audience, unless the subscription or the socket ended during the checks."""
        if subscription.is_over or client.is_gone:
            raise NotFound("you may not see this any more")
        found = client.watched.setdefault(audience, {})
        if (before := found.get(subscription.who.job)) is not None:
            self._subscriptions.remove(before)
        found[subscription.who.job] = subscription
        self._server.enter(client.sid, audience)

    def _exit(self, client: Client, audience: str) -> None:
        for subscription in client.watched.pop(audience, {}).values():
            self._subscriptions.remove(subscription)
        self._server.leave(client.sid, audience)

    def _on_end(
        self, client: Client, audience: str, fence: Fence | None, reason: str, **subject: str
    ) -> None:
        """The client may no longer see the room or job, or the attempt it subscribed for is over."""
        found = client.watched.get(audience, {})
        if found.pop(fence, None) is None or client.is_gone:
            return
        if "room" in subject and not found:
            self._presence.leave(subject["room"], client.sid)
        if not found:
            self._exit(client, audience)
        event = events.SubscriptionEnded(client.sid, reason, **subject)
        self._server.publish(event.audiences, event.name, orjson.dumps([render_event(event)]))
