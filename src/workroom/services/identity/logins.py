"""Logins by name, password or code, with limits on guesses."""

from __future__ import annotations

from contextlib import AbstractContextManager

from workroom.domain.identity import Account, Principal, Role
from workroom.domain.names import user_name
from workroom.domain.quotas import Charge, Kind, Tier
from workroom.errors import InvalidRequest
from workroom.services.identity.accounts import Accounts, Granted
from workroom.services.identity.names import skeleton
from workroom.services.identity.view_links import ViewLinks
from workroom.services.limits.quotas import QuotaKeeper
from workroom.services.limits.throttles import KnownNetworks, Throttles, count_guess
from workroom.services.workers.consent import Consent


class Logins:
    """Issues and revokes tokens. `network` is the address of the caller, or the /64 of an IPv6 address."""

    def __init__(
        self,
        accounts: Accounts,
        view_links: ViewLinks,
        throttles: Throttles,
        quotas: QuotaKeeper,
        consent: Consent,
    ) -> None:
        self._accounts = accounts
        self._view_links = view_links
        self._throttles = throttles
        self._quotas = quotas
        self._consent = consent
        self._known_networks = KnownNetworks()

    async def log_in(
        self, network: str, name: str | None, password: str | None, code: str | None, secret: str | None
    ) -> Granted:
        self._throttles.logins.take(network)
        if code is not None:
            with count_guess((self._throttles.codes, network)):
                return await self._accounts.log_in_with_code(code)
        if name is None:
            raise InvalidRequest("give a name, or a code")
        if password is not None:
            return await self._log_in_with_password(network, name, password)
        if secret is not None and (known := await self._accounts.log_in_known_guest(name, secret)):
            return known
        self._throttles.guests.take(network)
        async with self._quotas.reserving_for(None, Tier.GUEST, Charge(Kind.GUESTS)):
            return await self._accounts.log_in_guest(name, secret)

    async def log_in_with_ticket(self, network: str, ticket: str) -> Granted:
        """Log in with a view link."""
        self._throttles.logins.take(network)
        with count_guess((self._throttles.codes, network)):
            return await self._view_links.log_in(ticket)

    async def _log_in_with_password(self, network: str, name: str, password: str) -> Granted:
        account = await self._accounts.find(name)
        key = skeleton(name) if account is None else account.name
        with self._count_guess(key, network):
            granted = await self._accounts.log_in(account, password, network)
        self._known_networks.add(key, network)
        return granted

    async def change_own_password(self, network: str, who: Principal, current: str, new: str) -> Granted:
        with self._count_guess(who.user, network):
            return await self._accounts.change_own_password(who, current, new, network)

    def _count_guess(self, account: str, network: str) -> AbstractContextManager[None]:
        """Guesses count for the address and, except where its owner has logged in before, for the account."""
        counts = [(self._throttles.passwords, network)]
        if (account, network) not in self._known_networks:
            counts.append((self._throttles.account_passwords, account))
        return count_guess(*counts)

    async def rename_own(self, network: str, who: Principal, display_name: str) -> Account:
        self._throttles.logins.take(network)
        return await self._accounts.rename_own(who, display_name)

    async def revoke_all(self, admin: Principal, user: str) -> None:
        """End all sessions of a user, and dismiss their workers."""
        await self._accounts.revoke_all(user)
        await self._consent.tokens_revoked(admin.user, user_name(user))

    async def change(
        self,
        admin: Principal,
        user: str,
        *,
        display_name: str | None,
        password: str | None,
        role: Role | None,
        disabled: bool | None,
    ) -> Account:
        changed: Account | None = None
        if display_name is not None:
            changed = await self._accounts.rename(user, display_name)
        if password is not None:
            changed = await self._accounts.set_password(user, password)
        if role is not None:
            changed = await self._accounts.set_role(user, role)
        if disabled is not None:
            changed = await self._accounts.set_disabled(user, disabled=disabled)
        if changed is None:
            raise InvalidRequest("give what to change: display_name, password, role or disabled")
        await self._consent.account_changed(admin.user, changed)
        return changed
