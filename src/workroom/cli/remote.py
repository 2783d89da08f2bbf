"""REST calls with the login of this machine, for commands that are about no room."""

from __future__ import annotations

from collections.abc import Iterator
from contextlib import contextmanager
from typing import TYPE_CHECKING, Any

from workroom.cli.errors import CommandError, UsageError

if TYPE_CHECKING:
    from workroom.client.loop_thread import LoopThread
    from workroom.client.transport.connection import Connection

Document = dict[str, Any]
_WHOLE = 36  # characters of an id
_SHORTEST = 4
_PAGE, _PAGES = 500, 4


class Remote:
    def __init__(self, loop_thread: LoopThread, connection: Connection) -> None:
        self._loop_thread = loop_thread
        self._connection = connection
        self.url = connection.url

    @property
    def user(self) -> str:
        """The id of the caller."""
        return str(self.get("users", "me")["user"])

    def get(self, *path: str, **params: object) -> Any:
        from workroom.client.requests import Request, api_path  # noqa: PLC0415 - `--help` is fast

        query = {name: str(value) for name, value in params.items() if value is not None}
        return self._loop_thread.call(self._connection.send(Request("GET", api_path(*path), params=query)))

    def items(self, *path: str, limit: int, **params: object) -> list[Document]:
        """The items of a list that is paged by name."""
        found: list[Document] = []
        after: str | None = ""
        while after is not None and len(found) < limit:
            page = self.get(*path, limit=min(_PAGE, limit - len(found)), after=after or None, **params)
            found += page["items"]
            after = page["next_after"]
        return found


@contextmanager
def remote(url: str | None, user: str | None, password: str | None) -> Iterator[Remote]:
    from workroom.client.loop_thread import LoopThread  # noqa: PLC0415 - `--help` is fast
    from workroom.client.transport.connection import Connection  # noqa: PLC0415

    async def connect() -> Connection:
        return Connection(url, user=user, password=password, token=None)

    loop_thread = LoopThread.open("workroom-cli")
    try:
        connection = loop_thread.call(connect())
        try:
            yield Remote(loop_thread, connection)
        finally:
            loop_thread.call(connection.aclose())
    finally:
        loop_thread.close()


def whole_id(typed: str, url: str | None, user: str | None, password: str | None = None) -> str:
    """The id of the job that was meant by the beginning of it: one of the caller's last 2,000."""
    if len(typed) >= _WHOLE:
        return typed
    if len(typed) < _SHORTEST:
        raise UsageError(f"'{typed}' is too short for a job: give {_SHORTEST} characters of its id, or more")
    with remote(url, user, password) as server:
        found = _beginning_with(typed, server)
    if len(found) > 1:
        shown = ", ".join(found[:5]) + (" …" if len(found) > 5 else "")
        raise CommandError(f"the ids of {len(found)} of your jobs begin with '{typed}': {shown}")
    if not found:
        raise CommandError(f"there is no job {typed}: none of your last jobs has an id that begins so")
    return found[0]


def _beginning_with(typed: str, server: Remote) -> list[str]:
    found: list[str] = []
    name, cursor = server.user, None
    for _ in range(_PAGES):
        page = server.get("users", name, "jobs", limit=_PAGE, cursor=cursor)
        found += [job["id"] for job in page["items"] if job["id"].startswith(typed.lower())]
        cursor = page["next_cursor"]
        if cursor is None:
            break
    return found
