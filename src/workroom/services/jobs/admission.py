"""Turns a submit request into a new job: values are checked, secrets encrypted, priority and lane decided."""

from __future__ import annotations

from collections.abc import Callable, Mapping
from typing import Any

from uuid_utils import uuid7

from workroom.domain.extension import BY_ACTOR, Extension, Scope
from workroom.domain.identity import Principal
from workroom.domain.rules.queue.fair_share import PRIORITIES
from workroom.domain.schema.concurrency_keys import actor_lane, fill_template, lane_key
from workroom.domain.schema.unique_keys import unique_key
from workroom.domain.steps import NewJob, Postponement
from workroom.errors import BodyTooLarge, Forbidden, InvalidRequest
from workroom.ports import Clock, ReadableStore
from workroom.services.jobs.file_fields import check_files, may_have_files
from workroom.services.jobs.secrets import Secrets, job_place, secret_fields
from workroom.services.jobs.submit_requests import Conditions, SubmitRequest
from workroom.services.json_codec import encoded
from workroom.services.validation.schemas import schema_defaults
from workroom.services.validation.validation import Batch, Validation

LaneOf = Callable[[dict[str, Any]], tuple[str, int]]
ActorLanes = Mapping[tuple[str, str], LaneOf]  # by category and name


class Admission:
    def __init__(
        self,
        store: ReadableStore,
        validation: Validation,
        secrets: Secrets,
        lanes: ActorLanes,
        max_data: int,
        max_delay: int,
        clock: Clock,
    ) -> None:
        self._store = store
        self._validation = validation
        self._secrets = secrets
        self._lanes = lanes
        self._max_data = max_data
        self._max_delay = max_delay
        self._clock = clock

    def quickly_checked_data(
        self, who: Principal, request: SubmitRequest, extension: Extension
    ) -> bytes | None:
        """What `checked_data` returns, if that needs no waiting; None if it does, or if it refuses."""
        data = encoded(request.data, "the data")
        schema = extension.spec.schema
        if len(data) > self._max_data or may_have_files(schema):
            return None
        return data if self._validation.passes(who.user, schema, request.data, len(data)) else None

    async def checked_data(
        self, who: Principal, request: SubmitRequest, extension: Extension, batch: Batch | None = None
    ) -> bytes:
        """The encoded values: not too large, valid against the schema, with files that exist."""
        data = encoded(request.data, "the data")
        self.check_size(len(data))
        schema = extension.spec.schema
        if request.conditions is not None and request.conditions.has_refs:
            return data  # checked when the results are filled in
        if not self._validation.passes(who.user, schema, request.data, len(data)):
            await self._validation.check(who.user, schema, request.data, data, batch)
        if may_have_files(schema):
            await check_files(self._store, request.room, schema, request.data)
        return data

    async def filled(
        self, user: str, room: str, extension: Extension, values: dict[str, Any]
    ) -> tuple[bytes, str | None]:
        """The encoded values and the lane of a job into whose values results were filled."""
        data, schema = encoded(values, "the data"), extension.spec.schema
        self.check_size(len(data))
        if not self._validation.passes(user, schema, values, len(data)):
            await self._validation.check(user, schema, values, data, None)
        if may_have_files(schema):
            await check_files(self._store, room, schema, values)
        return data, self._lane(extension, values)

    def check_size(self, size: int) -> None:
        """Raise BodyTooLarge if the values of a job have too many bytes."""
        if size > self._max_data:
            raise BodyTooLarge(
                f"the values have {size:,} bytes; a job may have {self._max_data:,}",
                max_bytes=self._max_data,
            )

    def new_job(self, who: Principal, request: SubmitRequest, extension: Extension, data: bytes) -> NewJob:
        """Secret values are stored encrypted, bound to this job."""
        job_id = request.job_id or str(uuid7())
        sealed = None
        if secret_fields(extension.spec.schema) is not None:
            place = job_place(job_id, who.user, request.room)
            sealed = self._secrets.seal(extension.spec.schema, data, place)
        has_refs = request.conditions is not None and request.conditions.has_refs
        if has_refs and sealed is not None:
            raise InvalidRequest("values with secrets cannot refer to results")
        return NewJob(
            id=job_id,
            room=request.room,
            extension_id=extension.id,
            schema_hash=extension.spec.schema_hash,
            user=who.user,
            data=data if sealed is None else sealed.data,
            priority=_priority(who, request, extension),
            lane=None if has_refs else self._lane(extension, request.data),
            unique=_unique_key(extension, request.data),
            retry_of=request.retry_of,
            parent=None if who.job is None else who.job.job_id,
            secrets=None if sealed is None else sealed.secrets,
            once=request.once,
            idempotency=request.idempotency,
            postponed=None if request.conditions is None else self._postponement(request.conditions),
            group=request.group,
            trace=request.trace,
        )

    def _postponement(self, conditions: Conditions) -> Postponement:
        now_us, run_us = self._clock.now_us(), conditions.run_us
        if conditions.delay_ms is not None:
            run_us = now_us + round(conditions.delay_ms * 1000)
        if run_us is not None and run_us > now_us + self._max_delay * 1_000_000:
            raise InvalidRequest(
                f"a job can be submitted for a time up to {self._max_delay:,} seconds ahead",
                max_delay=self._max_delay,
            )
        return Postponement(run_us, conditions.after, conditions.on_end, conditions.skip, conditions.has_refs)

    def _lane(self, extension: Extension, data: dict[str, Any]) -> str | None:
        """Everyone can read the lane, so secret values are masked in it, and in an actor's error too."""
        policy = extension.spec.policy
        if policy.concurrency is None and not policy.has_rate:
            return None
        masker = self._secrets.masker_of(extension.spec.schema, data)
        try:
            lane = _lane(extension, data, self._lanes)
        except InvalidRequest as refusal:
            raise refusal if masker is None else InvalidRequest(masker.text(refusal.detail)) from None
        return lane if masker is None or lane is None else masker.text(lane)


def _priority(who: Principal, request: SubmitRequest, extension: Extension) -> int:
    """Only admins and the room's owner may exceed the extension's priority; a replay falls back to it."""
    usual = extension.spec.policy.priority
    if request.priority is None or request.priority == usual:
        return usual
    if request.priority not in PRIORITIES:
        raise InvalidRequest(f"a priority is a number from {PRIORITIES[0]} to {PRIORITIES[-1]}")
    is_public = extension.key.scope is Scope.PUBLIC
    if request.priority > usual and not (who.is_admin if is_public else request.may_raise):
        if request.retry_of is not None:
            return usual
        raisers = (
            "admins may raise the priority of a public extension"
            if is_public
            else "the room's owner and admins may raise the priority"
        )
        raise Forbidden(f"only {raisers} above {usual}", priority=usual)
    return request.priority


def _unique_key(extension: Extension, data: dict[str, Any]) -> str | None:
    template = extension.spec.policy.unique
    return None if template is None else unique_key(template, data, schema_defaults(extension.spec.schema))


def _lane(extension: Extension, data: dict[str, Any], lanes: ActorLanes) -> str | None:
    policy, concurrency = extension.spec.policy, extension.spec.policy.concurrency
    if concurrency is None:
        key = policy.rate_key or ""
        return fill_template(key, data, schema_defaults(extension.spec.schema)) if policy.has_rate else None
    if concurrency.key == BY_ACTOR:
        return _actor_lane(lanes.get((extension.key.category, extension.key.name)), data)
    return lane_key(concurrency, data, schema_defaults(extension.spec.schema))


def _actor_lane(lane_of: LaneOf | None, data: dict[str, Any]) -> str | None:
    """The lane that the actor itself names; None if the server cannot import the actor."""
    if lane_of is None:
        return None
    try:
        return actor_lane(*lane_of(data))
    except Exception as error:
        raise InvalidRequest(
            f"the actor refuses this payload: {str(error)[:1000] or 'it gave no reason'}"
        ) from error
