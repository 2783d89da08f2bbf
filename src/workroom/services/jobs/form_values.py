"""The values that somebody last entered into a form, and saved settings."""

from __future__ import annotations

from dataclasses import dataclass

import orjson

from workroom.domain.extension import SETTINGS
from workroom.domain.identity import Principal, Role
from workroom.domain.queries import FindJob, LastSecrets, LastValues
from workroom.domain.quotas import Charge, Kind
from workroom.domain.schema.masking import MASK
from workroom.domain.schema.secret_fields import without_masks
from workroom.errors import ExtensionNotFound, Forbidden, SecretsUnreadable
from workroom.ports import ReadableStore
from workroom.services.jobs.catalog import Catalog
from workroom.services.jobs.secrets import Secrets, form_place
from workroom.services.jobs.submit_requests import SubmitRequest
from workroom.services.limits.quotas import QuotaKeeper
from workroom.services.steps import Steps

_MASK = orjson.dumps(MASK)


@dataclass(frozen=True, slots=True)
class SavedSettings:
    """Settings are saved, not queued."""

    category: str
    name: str
    data: bytes


class FormValues:
    def __init__(
        self, store: ReadableStore, steps: Steps, catalog: Catalog, secrets: Secrets, quotas: QuotaKeeper
    ) -> None:
        self._store = store
        self._steps = steps
        self._catalog = catalog
        self._secrets = secrets
        self._quotas = quotas

    async def save(self, who: Principal, request: SubmitRequest, data: bytes, schema: bytes) -> SavedSettings:
        if who.job is not None:
            raise Forbidden("a job cannot change the settings of its user: they are saved by people")
        form = (who.user, request.room, request.category, request.name)
        sealed = self._secrets.seal(schema, data, form_place(*form))
        before = await self._store.read(LastValues(*form))
        async with self._quotas.reserving(who, Charge(Kind.FORMS, 1 if before is None else 0)):
            if sealed is None:
                await self._steps.remember(*form, data)
            else:
                await self._steps.remember(*form, sealed.data, sealed.secrets)
        return SavedSettings(request.category, request.name, data if sealed is None else sealed.data)

    async def values(self, who: Principal, room: str, category: str, name: str) -> bytes | None:
        """Masked secrets are left out: the form shows an empty field to fill in again."""
        if who.role is Role.VIEWER:  # they belong to who made the link
            return None
        data = await self._store.read(LastValues(who.user, room, category, name))
        if data is None or _MASK not in data:
            return data
        clear = await self._decrypted(who, room, category, name, data)
        return orjson.dumps(without_masks(orjson.loads(data))) if clear is None else clear

    async def _decrypted(
        self, who: Principal, room: str, category: str, name: str, data: bytes
    ) -> bytes | None:
        """Settings with their secrets, for a job whose extension has the owner of the settings; else None."""
        if category != SETTINGS or not await self._is_of_owner(who, room, category, name):
            return None
        encrypted = await self._store.read(LastSecrets(who.user, room, category, name))
        if encrypted is None:
            return None
        try:
            return self._secrets.reveal(data, encrypted, form_place(who.user, room, category, name))
        except SecretsUnreadable:
            return None

    async def _is_of_owner(self, who: Principal, room: str, category: str, name: str) -> bool:
        """Whether this is a running job of an extension that the owner of the settings offers."""
        job = None if who.job is None else await self._store.read(FindJob(who.job.job_id))
        try:
            settings = await self._catalog.find(room, category, name)
        except ExtensionNotFound:
            return False
        return job is not None and job.extension_owner == settings.spec.owner
