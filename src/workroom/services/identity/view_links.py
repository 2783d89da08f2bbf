"""Links that show one room in a frame of another site, such as a notebook."""

from __future__ import annotations

from dataclasses import replace

from workroom.domain.identity import PEOPLE, Principal, Role
from workroom.domain.permissions import Permission, may, room_relations
from workroom.domain.room import Room
from workroom.errors import Forbidden
from workroom.services.identity.accounts import Accounts, Granted
from workroom.services.identity.tokens import VIEW, Tokens


class ViewLinks:
    """A ticket is valid once, for two minutes: a link that somebody stores is soon worth nothing.

    Its token reads the room for an hour at a time, and ends with the login session of who made the link.
    """

    def __init__(self, accounts: Accounts, tokens: Tokens) -> None:
        self._accounts = accounts
        self._tokens = tokens

    def issue(self, who: Principal, room: Room) -> str:
        if who.role not in PEOPLE:
            raise Forbidden("only people can make a view link")
        viewer = replace(who, role=Role.VIEWER, room=room.name)
        if not may(Permission.SEE_ROOM, room_relations(viewer, room)):
            raise Forbidden("only members of a private room can make a view link: join it first")
        return self._tokens.issue_ticket(viewer, VIEW)

    async def log_in(self, ticket: str) -> Granted:
        return await self._accounts.renew(await self._accounts.read_ticket(ticket, VIEW))
