"""The extension `media/Generate`, which is the actor `media`: an order to a provider, and what comes of it.

intent -> submitted -> looking -> fetching -> done. Each step is durable before the next, so that a later
attempt of the job goes on where an earlier one ended.
"""

from __future__ import annotations

import hashlib
import json
import tempfile
import threading
from contextlib import suppress
from pathlib import Path
from typing import Any

from pydantic import Field, field_validator

from workroom import Concurrency, Extension, JobCancelled, JobContext, Room
from workroom.errors import StaleAttempt, WorkroomError
from workroom.packs.media.acceptance import Acceptance
from workroom.packs.media.budgets import check_budget, spending_of
from workroom.packs.media.configured import (
    concurrency_limits,
    estimate_of,
    rates,
    register_providers,
)
from workroom.packs.media.generation_record import GenerationRecord
from workroom.packs.media.job_register import JobRegister
from workroom.packs.media.previews import Previews
from workroom.packs.media.providers import (
    Accepted,
    Action,
    Look,
    MediaProvider,
    MediaProviderRegistry,
    Order,
    TaskNotFound,
    watch,
)
from workroom.packs.media.records import (
    MAX_PROMPT,
    Generation,
    GenerationState,
    Request,
    is_content,
    media_url,
)
from workroom.packs.media.results import Results
from workroom.packs.media.settings import read_settings
from workroom.packs.media.settlement import is_open, sendings, settled
from workroom.packs.media.sources import Source, find_source

_MAX_PARAMS = 20_000
_OWN_PARAMS = ("prompt", "source_image")

register_providers()


class Generate(
    Extension,
    category="media",
    actor="media",
    retries=3,
    concurrency=Concurrency("{provider}", concurrency_limits()),
    rate_key="{provider}" if rates() else None,
    rates=rates(),
):
    """Generate images or videos with a provider."""

    provider: str = Field("local", json_schema_extra={"enum": list(MediaProviderRegistry.list_providers())})
    action_type: Action = Action.TXT2IMG
    params: dict[str, Any] = Field(
        {},
        description="`prompt`, `source_image` (the id of content or of a file, or an address), and the "
        "parameters of the provider",
    )
    interaction_id: str = Field("", max_length=200)
    prompt_id: str = Field("", max_length=200)
    source_data: dict[str, Any] | None = None
    workflow_run_id: str = Field("", max_length=1000, description="the room, in the task API")
    task_id: str = Field(
        "", max_length=200, description="fetch the results of this task of the provider, and order nothing"
    )

    @field_validator("params")
    @classmethod
    def _check_params(cls, params: dict[str, Any]) -> dict[str, Any]:
        if len(str(params.get("prompt", ""))) > MAX_PROMPT:
            raise ValueError(f"a prompt has at most {MAX_PROMPT:,} characters")
        if len(repr(params)) > _MAX_PARAMS + MAX_PROMPT:
            raise ValueError(f"the parameters have at most {_MAX_PARAMS:,} characters")
        return params

    def run(self, room: Room, job: JobContext) -> dict[str, Any]:
        with tempfile.TemporaryDirectory(prefix="workroom-media-", ignore_cleanup_errors=True) as folder:
            return GenerationRun(self, room, job, Path(folder)).run()


class GenerationRun:
    """One attempt of a job."""

    def __init__(self, values: Generate, room: Room, job: JobContext, folder: Path) -> None:
        self._values = values
        self._room = room
        self._job = job
        self._folder = folder
        self._settings = read_settings()
        self._provider: MediaProvider = MediaProviderRegistry.get(values.provider)
        self._stopped = threading.Event()
        job.when_cancelled(self._stopped.set)

    def run(self) -> dict[str, Any]:
        record = GenerationRecord(self._room, self._job, self._request())
        try:
            return self._generate(record)
        except (JobCancelled, StaleAttempt):
            self._stop(record.generation.provider_task_id)
            raise
        except Exception as error:
            record.fail(error, self._sent(record))
            raise

    def _generate(self, record: GenerationRecord) -> dict[str, Any]:
        source = self._source()
        order = self._order(source)
        self._provider.check(order)
        look = self._finished(record, order)
        record.fetch(None if self._values.task_id else look.cost)
        contents = self._results(record, source).fetch(look.urls)
        ids = [each.id for each in contents]
        record.put(GenerationState.DONE, content_ids=tuple(ids))
        return {
            "metadata_id": record.generation.id,
            "content_ids": ids,
            "urls": [media_url(self._room.name, each) for each in contents],
        }

    def _finished(self, record: GenerationRecord, order: Order) -> Look:
        if self._values.task_id:
            record.accept(Accepted(self._values.task_id))
            return self._watch(self._values.task_id)
        estimate = estimate_of(self._values.provider, order)

        def check() -> None:
            record.intend(estimate)  # it counts in the budget before others are counted
            self._check_budget(record)

        register = JobRegister(self._job, self._values.provider, _digest(order), record, check)
        acceptance = Acceptance(self._provider, order, register, wait=self._wait, is_known=record.is_known)
        task_id = acceptance.task_id()
        while True:
            if record.generation.provider_task_id != task_id:
                record.accept(Accepted(task_id))  # an earlier attempt ended just before it
            try:
                return self._watch(task_id)
            except TaskNotFound:
                if not self._provider.is_free:
                    raise
                task_id = acceptance.send_again()

    def _watch(self, task_id: str) -> Look:
        previews = Previews(self._job, self._settings.guard)

        def report(look: Look) -> None:
            self._job.check()
            self._job.progress(look.progress, look.message or str(look.state))
            previews.show(look)

        return watch(self._provider, task_id, report, self._wait)

    def _results(self, record: GenerationRecord, source: Source | None) -> Results:
        return Results(
            self._provider,
            record,
            self._job,
            folder=self._folder,
            guard=self._settings.guard,
            limits=self._settings.limits,
            look=lambda: self._provider.look(record.generation.provider_task_id).urls,
            wait=self._wait,
            poster=None if source is None else source.path,
        )

    def _source(self) -> Source | None:
        text = str(self._values.params.get("source_image") or "")
        return find_source(
            text, self._room, self._job, self._values.provider, self._folder, self._settings.guard
        )

    def _order(self, source: Source | None) -> Order:
        params = {name: each for name, each in self._values.params.items() if name not in _OWN_PARAMS}
        image = None if source is None else source.image
        return Order(self._values.action_type, self._prompt, params, image, reference=self._job.id)

    @property
    def _prompt(self) -> str:
        return str(self._values.params.get("prompt") or "")

    def _request(self) -> Request:
        values = self._values
        source = str(values.params.get("source_image") or "")
        params = {name: each for name, each in values.params.items() if name not in _OWN_PARAMS}
        return Request(
            provider=values.provider,
            action=str(values.action_type),
            prompt=self._prompt,
            params=params,
            source=source,
            parent=source if is_content(source) else "",
            seed=str(params.get("seed", "")),
            prompt_id=values.prompt_id,
            interaction_id=values.interaction_id,
        )

    def _check_budget(self, record: GenerationRecord) -> None:
        generation = record.generation
        limit = self._settings.budgets.get(self._values.provider)
        if limit is None:
            return
        others = [self._settled(each) for each in record.of_month() if each.id != generation.id]
        spending = spending_of(self._values.provider, generation.month, others, limit)
        check_budget(spending, generation.estimate)

    def _settled(self, generation: Generation) -> Generation:
        if not is_open(generation):
            return generation
        try:
            return settled(generation, self._room.job(generation.job_id).document)
        except WorkroomError:  # it was deleted, or a member forged the record
            return generation

    def _wait(self, seconds: float) -> None:
        self._stopped.wait(seconds)
        self._job.check()

    def _stop(self, task_id: str) -> None:
        """Stop the provider's task if the job was cancelled. If not, another attempt goes on."""
        if task_id and self._job.is_over and not self._values.task_id:
            with suppress(Exception):
                self._provider.cancel(task_id)

    def _sent(self, record: GenerationRecord) -> int:
        """How many times the order may have been sent. If that cannot be read, it may have been."""
        with suppress(Exception):
            return len(sendings(self._values.provider, self._job.intents))
        return record.generation.refused + 1


def _digest(order: Order) -> str:
    text = json.dumps([str(order.action), order.prompt, dict(order.params)], sort_keys=True, default=str)
    return hashlib.sha256(text.encode()).hexdigest()
