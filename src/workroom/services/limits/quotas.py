"""Quotas: how much a user, a room and the server may store.

Everything is reserved before it is stored; the reservation is kept or given back afterwards. Most are granted
from memory: the store counts, reservations since then are added, and the sum is trusted for a
second, or for ten while less than half is used. A refusal is always based on a count that began after the
request arrived, so everything that ends, is deleted or expires makes room at once. One server never exceeds a
quota. Several servers together may exceed it by what they grant within that second.
"""

from __future__ import annotations

import asyncio
from collections.abc import AsyncIterator, Mapping, Sequence
from contextlib import asynccontextmanager
from dataclasses import dataclass

from workroom.domain.identity import Principal, Role
from workroom.domain.queries import CountUsage, FindAccount
from workroom.domain.quotas import (
    Charge,
    Claim,
    Counter,
    Kind,
    Per,
    Quotas,
    Tier,
    claims,
    exceeded,
    tier_of,
)
from workroom.ports import Clock, ReadableStore
from workroom.services.limits.disk import Disk

_TRUSTED_SECONDS = 1.0
_TRUSTED_SECONDS_BELOW_HALF = 10.0
_MANY = 10_000
_ACTING = frozenset({Role.JOB, Role.WORKER})  # for a user
_NEVER = float("-inf")


@dataclass(slots=True, eq=False)
class _Meter:
    """How much of one quota is used, as far as this server knows."""

    used: int = 0  # including what is reserved
    reserved: int = 0
    kept: int = 0  # in total, of all reservations
    begun: int = -1  # the number of the count that `used` is based on
    counted_at: float = _NEVER
    counting: asyncio.Future[None] | None = None

    def fits(self, amount: int, limit: int, now: float) -> bool:
        trusted = _TRUSTED_SECONDS if 2 * self.used > limit else _TRUSTED_SECONDS_BELOW_HALF
        return self.used + amount <= limit and now - self.counted_at < trusted

    def counted(self, count: int, begun: int, kept_before: int, now: float) -> None:
        """Add what was reserved or kept during the count, because the count may lack it."""
        if begun > self.begun:
            self.used = count + self.reserved + self.kept - kept_before
            self.begun, self.counted_at = begun, now


_Held = Sequence[tuple[_Meter, int]]


class _JobMeters:
    """The meters that a job of one user in one room counts against."""

    __slots__ = ("held", "limits")

    def __init__(self, limits: _Held) -> None:
        self.limits = limits
        self.held: _Held = tuple((meter, 1) for meter, _ in limits)


class Reservation:
    """What was granted but is not stored yet."""

    __slots__ = ("_held",)

    def __init__(self, held: _Held) -> None:
        self._held = held

    def keep(self, amount: int | None = None) -> None:
        """It is stored now, or, for a single charge, this amount of it."""
        for meter, reserved in self._held:
            kept = reserved if amount is None else amount
            meter.reserved -= reserved
            meter.kept += kept
            meter.used -= reserved - kept
        self._held = ()

    def give_back(self) -> None:
        self.keep(0)

    def extend(self, more: Reservation) -> None:
        self._held = (*self._held, *more._held)
        more._held = ()


class QuotaKeeper:
    def __init__(self, store: ReadableStore, clock: Clock, quotas: Quotas, disk: Disk) -> None:
        self._store = store
        self._clock = clock
        self._quotas = quotas
        self._disk = disk
        self._meters: dict[Counter, _Meter] = {}
        self._job_meters: dict[tuple[str, Role, str], _JobMeters] = {}  # by user, role and room
        self._tiers: dict[str, tuple[float, Tier | None]] = {}
        self._counts = 0

    @asynccontextmanager
    async def reserving(self, who: Principal, *charges: Charge) -> AsyncIterator[Reservation]:
        """Keep the reservation if the body succeeds; give it back if the body raises."""
        async with self.reserving_for(who.user, await self._tier(who), *charges) as reservation:
            yield reservation

    @asynccontextmanager
    async def reserving_for(
        self, user: str | None, tier: Tier | None, *charges: Charge
    ) -> AsyncIterator[Reservation]:
        reservation = await self.reserve_for(user, tier, *charges)
        try:
            yield reservation
        except BaseException:
            reservation.give_back()
            raise
        reservation.keep()

    def reserve_job(self, who: Principal, room: str) -> Reservation | None:
        """Reserve one job if that needs no count. Every submit calls this, so it must be fast."""
        now = self._clock.monotonic()
        self._disk.check(now=now)
        meters = self._job_meters.get((who.user, who.role, room))
        if meters is None:
            return None
        for meter, limit in meters.limits:  # `_Meter.fits`, without the calls
            used = meter.used
            trusted = _TRUSTED_SECONDS if 2 * used > limit else _TRUSTED_SECONDS_BELOW_HALF
            if used >= limit or now - meter.counted_at >= trusted:
                return None
        for meter, _ in meters.limits:
            meter.used += 1
            meter.reserved += 1
        return Reservation(meters.held)

    async def reserve(self, who: Principal, *charges: Charge) -> Reservation:
        """Raises QuotaExceeded or StorageFull."""
        tier = await self._tier(who)
        return await self.reserve_for(who.user, tier, *charges)

    async def reserve_for_user(self, user: str, *charges: Charge) -> Reservation:
        """Reserve for another user than the caller: a job saves files for its submitter."""
        return await self.reserve_for(user, await self._tier_of_account(user), *charges)

    async def reserve_for(self, user: str | None, tier: Tier | None, *charges: Charge) -> Reservation:
        """`user` is None for a guest whose account does not exist yet."""
        self._disk.check()
        if tier is None:
            return Reservation(())
        return await self._reserve(self._claims(user, tier, charges))

    async def reserve_jobs(self, who: Principal, jobs: Mapping[str, int]) -> Reservation:
        """Reserve so many jobs in each room. The accounts of jobs and machines are read each time."""
        charge = Charge(Kind.JOBS, sum(jobs.values()), tuple(jobs.items()))
        tier = await self._tier(who)
        reservation = await self.reserve_for(who.user, tier, charge)
        if len(jobs) == 1 and who.role not in _ACTING:
            (room,) = jobs
            wanted = [] if tier is None else self._claims(who.user, tier, (charge,))
            if all(each.ceiling.counter in self._meters for each in wanted):
                self._job_meters[who.user, who.role, room] = _JobMeters(
                    tuple((self._meters[each.ceiling.counter], each.ceiling.limit) for each in wanted)
                )
        return reservation

    def check_disk(self, size: int = 0) -> None:
        """Raises StorageFull if there is no room for so many bytes."""
        self._disk.check(size)

    async def usage(self, who: Principal) -> dict[Kind, tuple[int, int | None]]:
        """How much the caller uses and may use of each quota; None means no limit."""
        if who.role is Role.VIEWER:  # it uses nothing, and does not see what its maker uses
            return {}
        tier = await self._tier(who)
        limits = {kind: quota.of(tier or Tier.USER) for kind, quota in self._quotas.items()}
        kinds = [kind for kind, limit in limits.items() if limit is not None]
        counters = tuple(Counter(kind, Per.USER, who.user) for kind in kinds)
        counts = await self._store.read(CountUsage(counters, self._clock.now_us()))
        return {
            kind: (count, None if tier is None else limits[kind])
            for kind, count in zip(kinds, counts, strict=True)
        }

    async def room_usage(self, rooms: Sequence[str]) -> list[tuple[int, int, int]]:
        """The unfinished jobs, files and bytes of each room."""
        kinds = (Kind.JOBS, Kind.FILES, Kind.BYTES)
        counters = tuple(Counter(kind, Per.ROOM, room) for room in rooms for kind in kinds)
        counts = await self._store.read(CountUsage(counters, self._clock.now_us())) if counters else ()
        return [(counts[at], counts[at + 1], counts[at + 2]) for at in range(0, len(counts), len(kinds))]

    def _claims(self, user: str | None, tier: Tier, charges: Sequence[Charge]) -> list[Claim]:
        return [
            claim for charge in charges for claim in claims(self._quotas[charge.kind], charge, user, tier)
        ]

    async def _reserve(self, wanted: list[Claim]) -> Reservation:
        self._forget_idle()
        came = self._counts
        while True:
            reservation = self._take(wanted)
            if reservation is not None:
                return reservation
            now = self._clock.monotonic()
            short = [each for each in wanted if not self._fits(each, now)]
            for ceiling, amount in short:
                meter = self._meters[ceiling.counter]
                if meter.begun > came and meter.used + amount > ceiling.limit:
                    raise exceeded(ceiling, meter.used, amount)
            await self._count([each.ceiling.counter for each in short])

    def _take(self, wanted: list[Claim]) -> Reservation | None:
        now = self._clock.monotonic()
        if not all(self._fits(each, now) for each in wanted):
            return None
        held = [(self._meters[ceiling.counter], amount) for ceiling, amount in wanted]
        for meter, amount in held:
            meter.used += amount
            meter.reserved += amount
        return Reservation(held)

    def _fits(self, claim: Claim, now: float) -> bool:
        meter = self._meters.get(claim.ceiling.counter)
        if meter is None:
            self._meters[claim.ceiling.counter] = _Meter()
            return False
        return meter.fits(claim.amount, claim.ceiling.limit, now)

    async def _count(self, counters: list[Counter]) -> None:
        """Count in the store. A caller that finds a count in progress waits for it and then checks again."""
        under_way = [self._meters[each].counting for each in counters]
        waited_for = next((each for each in under_way if each is not None), None)
        if waited_for is not None:
            await asyncio.shield(waited_for)
            return
        self._counts += 1
        begun, done = self._counts, asyncio.get_running_loop().create_future()
        meters = [self._meters[each] for each in counters]
        kept_before = [meter.kept for meter in meters]
        for meter in meters:
            meter.counting = done
        try:
            counts = await self._store.read(CountUsage(tuple(counters), self._clock.now_us()))
            now = self._clock.monotonic()
            for meter, count, kept in zip(meters, counts, kept_before, strict=True):
                meter.counted(count, begun, kept, now)
        finally:
            for meter in meters:
                meter.counting = None
            done.set_result(None)

    def _forget_idle(self) -> None:
        if len(self._meters) >= _MANY or len(self._job_meters) >= _MANY:
            self._job_meters.clear()
            old = self._clock.monotonic() - _TRUSTED_SECONDS_BELOW_HALF
            self._meters = {
                counter: meter
                for counter, meter in self._meters.items()
                if meter.reserved or meter.counting or meter.counted_at > old
            }

    async def _tier(self, who: Principal) -> Tier | None:
        known = self._known_tier(who)
        return known[0] if known is not None else await self._tier_of_account(who.user)

    def _known_tier(self, who: Principal) -> tuple[Tier | None] | None:
        """Jobs and machines have the tier of the account for which they act."""
        if who.role not in _ACTING:
            return (tier_of(who.role),)
        return self._remembered_tier(who.user)

    def _remembered_tier(self, user: str) -> tuple[Tier | None] | None:
        until, tier = self._tiers.get(user, (_NEVER, None))
        return (tier,) if self._clock.monotonic() < until else None

    async def _tier_of_account(self, user: str) -> Tier | None:
        known = self._remembered_tier(user)
        if known is not None:
            return known[0]
        account = await self._store.read(FindAccount(user))
        tier = Tier.USER if account is None else tier_of(account.role)
        if len(self._tiers) >= _MANY:
            self._tiers.clear()
        self._tiers[user] = (self._clock.monotonic() + _TRUSTED_SECONDS_BELOW_HALF, tier)
        return tier
