"""Secret values: stored encrypted, and in clear only for the running attempt."""

from __future__ import annotations

import os
from collections import OrderedDict
from dataclasses import dataclass, replace
from typing import Any

import orjson
import structlog
from cryptography.exceptions import InvalidTag
from cryptography.hazmat.primitives.ciphers.aead import AESGCM
from cryptography.hazmat.primitives.hashes import SHA256
from cryptography.hazmat.primitives.kdf.hkdf import HKDF

from workroom.domain.extension import BY_ACTOR, Policy
from workroom.domain.job import Fence, Job, JobError
from workroom.domain.queries import FindJob
from workroom.domain.schema.concurrency_keys import template_fields
from workroom.domain.schema.masking import BlankMasker, Masker, carries_secrets
from workroom.domain.schema.secret_fields import (
    MAX_PARTS,
    Path,
    Secret,
    SecretFields,
    TooManyPlaces,
    masks_in,
    pointer,
    put_back,
    take_out,
    without_masks,
)
from workroom.domain.steps import (
    INLINE_DATA_BYTES,
    Assignment,
    LogBatch,
    NewQuestion,
    Progress,
    Report,
)
from workroom.errors import InvalidData, InvalidSchema, SecretsUnreadable
from workroom.ports import ReadableStore
from workroom.services.bounded_cache import bounded_cache
from workroom.services.validation.schemas import MAX_PARSED, parsed_size, refuse_faults

log = structlog.get_logger()

_VERSION = b"\x01"
_NONCE_BYTES = 12
_MAX_KNOWN = 10_000


@bounded_cache(MAX_PARSED, parsed_size)
def secret_fields(schema: bytes) -> SecretFields | None:
    """None if the schema has no secret field, as nearly all."""
    if b'"password"' not in schema and b'"writeOnly"' not in schema:
        return None
    return SecretFields(orjson.loads(schema)) or None


def check_template(schema: bytes, policy: Policy) -> None:
    """Refuse a key with a secret field: keys are not encrypted."""
    if policy.concurrency is not None and policy.concurrency.key != BY_ACTOR:
        _check_without_secrets(schema, policy.concurrency.key, "concurrency key")
    if policy.rate_key is not None:
        _check_without_secrets(schema, policy.rate_key, "rate key")
    if policy.unique is not None:
        _check_without_secrets(schema, policy.unique, "unique key")


def _check_without_secrets(schema: bytes, template: str, kind: str) -> None:
    fields = secret_fields(schema)
    for field in template_fields(template):
        if fields is not None and fields.lead_to(field.split(".")):
            raise InvalidSchema(
                f"the {kind} '{template}' contains '{field}', which is a secret field: "
                "keys are not encrypted, so use another field"
            )


@dataclass(frozen=True, slots=True)
class Sealed:
    """Values with masks in place of their secrets, and the encrypted secrets."""

    data: bytes
    secrets: bytes


class Cipher:
    """Encrypts with a key derived from the server's. The place is authenticated: secrets cannot be moved."""

    def __init__(self, key: bytes) -> None:
        self._cipher = AESGCM(derived_key(key, b"workroom secret fields"))

    def encrypt(self, secrets: list[Secret], place: str) -> bytes:
        nonce = os.urandom(_NONCE_BYTES)
        return _VERSION + nonce + self._cipher.encrypt(nonce, orjson.dumps(secrets), place.encode())

    def decrypt(self, encrypted: bytes, place: str) -> list[Secret]:
        nonce, text = encrypted[1 : 1 + _NONCE_BYTES], encrypted[1 + _NONCE_BYTES :]
        try:
            secrets = orjson.loads(self._cipher.decrypt(nonce, text, place.encode()))
        except (InvalidTag, ValueError) as error:
            raise SecretsUnreadable() from error
        return [(tuple(path), value) for path, value in secrets]


def derived_key(key: bytes, label: bytes) -> bytes:
    return HKDF(SHA256(), 32, salt=None, info=label).derive(key)


class Secrets:
    def __init__(self, key: bytes, store: ReadableStore, max_parts: int = MAX_PARTS) -> None:
        self._max_parts = max_parts
        self._cipher = Cipher(key)
        self._store = store
        self._maskers: OrderedDict[str, Masker] = OrderedDict()

    def seal(self, schema: bytes, data: bytes, place: str) -> Sealed | None:
        """Separate and encrypt the secrets. None if the values have none."""
        fields = secret_fields(schema)
        if fields is None:
            return None
        values = orjson.loads(data)
        places = self._found(fields, values)
        _refuse_masks(values, places)
        secrets = take_out(values, places)
        return Sealed(orjson.dumps(values), self._cipher.encrypt(secrets, place)) if secrets else None

    def reveal(self, data: bytes, encrypted: bytes, place: str) -> bytes:
        """The values in clear. Raises SecretsUnreadable."""
        return orjson.dumps(put_back(orjson.loads(data), self._cipher.decrypt(encrypted, place)))

    def of_job(self, job: Job) -> bytes:
        """The values of a job in clear. Raises SecretsUnreadable."""
        if job.secrets is None:
            return job.data
        return self.reveal(job.data, job.secrets, job_place(job.id, job.user, job.room))

    def open(self, assignment: Assignment) -> Assignment:
        """The assignment with its secrets in clear. Raises SecretsUnreadable."""
        if assignment.secrets is None:
            return assignment
        job_id = assignment.fence.job_id
        place = job_place(job_id, assignment.user, assignment.room)
        secrets = self._cipher.decrypt(assignment.secrets, place)
        self._know(job_id, Masker(value for _, value in secrets))
        if assignment.data is None:
            return assignment
        data = orjson.dumps(put_back(orjson.loads(assignment.data), secrets))
        return replace(assignment, data=data if len(data) <= INLINE_DATA_BYTES else None)

    def masker_of(self, schema: bytes, values: Any) -> Masker | None:
        fields = secret_fields(schema)
        return None if fields is None else Masker(_at(values, path) for path in self._found(fields, values))

    def without(self, schema: bytes, values: Any) -> Any:
        """The values without the secret ones."""
        fields = secret_fields(schema)
        if fields is None:
            return values
        kept = orjson.loads(orjson.dumps(values))
        take_out(kept, self._found(fields, kept))
        return without_masks(kept)

    def _found(self, fields: SecretFields, values: Any) -> list[Path]:
        try:
            return fields.find(values, self._max_parts)
        except TooManyPlaces:
            raise InvalidData(
                f"the values have more than {self._max_parts:,} parts that may be secret: send fewer of them",
                errors=[],
            ) from None

    async def masker(self, fence: Fence) -> Masker | None:
        """Masks the secrets of an attempt; None if it has none."""
        if not carries_secrets(fence.token):
            return None
        return self._maskers.get(fence.job_id) or await self._recovered(fence.job_id)

    async def _recovered(self, job_id: str) -> Masker:
        """The job was dispatched by another server, or before this one started."""
        job = await self._store.read(FindJob(job_id))
        masker = Masker(()) if job is None or job.secrets is None else self._masker(job, job.secrets)
        self._know(job_id, masker)
        return masker

    def _masker(self, job: Job, encrypted: bytes) -> Masker:
        try:
            secrets = self._cipher.decrypt(encrypted, job_place(job.id, job.user, job.room))
        except SecretsUnreadable:
            log.warning("secrets_unreadable", job_id=job.id)
            return BlankMasker()
        return Masker(value for _, value in secrets)

    def _know(self, job_id: str, masker: Masker) -> None:
        self._maskers[job_id] = masker
        if len(self._maskers) > _MAX_KNOWN:
            self._maskers.popitem(last=False)

    def forget(self, job_id: str) -> None:
        """Drop the secrets of a job whose attempt has ended."""
        self._maskers.pop(job_id, None)

    async def masked_report(self, report: Report) -> Report:
        masker = await self.masker(report.fence)
        if masker is None:
            return report
        result = None if report.result is None else _masked(masker, report.result)
        error = None if report.error is None else _masked_error(masker, report.error)
        return replace(report, result=result, error=error)

    async def masked_progress(self, record: Progress) -> Progress:
        masker = await self.masker(record.fence)
        return record if masker is None else replace(record, document=_masked(masker, record.document))

    async def masked_lines(self, batch: LogBatch) -> LogBatch:
        masker = await self.masker(batch.fence)
        if masker is None:
            return batch
        return replace(batch, lines=[replace(line, text=masker.text(line.text)) for line in batch.lines])

    async def masked_question(self, question: NewQuestion) -> NewQuestion:
        masker = await self.masker(question.fence)
        if masker is None:
            return question
        schema = _masked(masker, question.schema.encode()).decode()
        return replace(
            question, key=masker.text(question.key), text=masker.text(question.text), schema=schema
        )


def job_place(job_id: str, user: str, room: str) -> str:
    return f"job\n{job_id}\n{user}\n{room}"


def form_place(user: str, room: str, category: str, name: str) -> str:
    return f"form\n{user}\n{room}\n{category}\n{name}"


def _refuse_masks(values: Any, places: list[Path]) -> None:
    """Refuse masks that were sent back in place of the secret values."""
    message = "this is the mask of a secret value, not the value: enter it again"
    masks = masks_in(values, places)
    refuse_faults([{"path": pointer(path), "message": message} for path in masks])


def _at(values: Any, path: Path) -> Any:
    for part in path:
        values = values[part]
    return values


def _masked(masker: Masker, document: bytes) -> bytes:
    return orjson.dumps(masker.value(orjson.loads(document)))


def _masked_error(masker: Masker, error: JobError) -> JobError:
    return JobError(
        masker.text(error.type),
        masker.text(error.message),
        masker.value(error.details),
        masker.text(error.stack_trace),
    )
