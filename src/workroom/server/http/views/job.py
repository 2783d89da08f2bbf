"""A job, its history, and the entries of a batch."""

from __future__ import annotations

from collections.abc import Sequence
from typing import Annotated, Any, Literal, NotRequired, cast

import orjson
from pydantic import Field
from typing_extensions import TypedDict

from workroom.domain import job as domain
from workroom.domain.extension import RunnerKind, Scope
from workroom.domain.identity import Principal
from workroom.domain.job import JobState
from workroom.domain.jobs import annotation as domain_annotation
from workroom.domain.jobs.exchanges import Exchanges
from workroom.domain.queries import Page
from workroom.domain.rules.queue.waiting import WaitCode, Waiting
from workroom.domain.steps import NewJob
from workroom.errors import WorkroomError
from workroom.server.http.views.problem import Problem, render_problem
from workroom.server.http.views.values import Object, Time, embed, format_optional_time, format_time
from workroom.services.history.job_finder import Found
from workroom.services.identity.access import sees_stack
from workroom.services.jobs import form_values
from workroom.services.jobs.submit_queue import BrieflySubmitted


class Progress(TypedDict):
    """The worker's last report. A count without a total has no fraction."""

    fraction: NotRequired[float]
    current: NotRequired[float]
    total: NotRequired[float]
    message: str
    elapsed_ms: float
    updated_at: Time


class JobError(TypedDict):
    """Why a job failed. Its submitter, the extension's owner and admins also get the stack trace."""

    type: str
    message: str
    details: Object
    stack_trace: str | None


class WaitingFor(TypedDict):
    """Why a job waits: for the job that holds a key, until a time, for others, or for a worker.

    A running one waits for the answer to the question `key`, or for the child `job` or the `group`.
    """

    code: WaitCode
    key: str | None
    job: str | None
    until: Time | None
    group: Annotated[
        str | None, Field(description="one that must end first, that is paused, or that the job submitted")
    ]
    count: Annotated[int | None, Field(description="how many jobs and groups must end first")]


class Annotation(TypedDict):
    """What people wrote about a job; `by` and `at` belong to the last change."""

    name: str
    starred: bool
    tags: list[str]
    note: str
    version: Annotated[int, Field(description="grows with every change")]
    by: str
    at: Time


class External(TypedDict):
    """The id under which a provider has accepted a request of the job."""

    provider: str
    id: str
    attempt: int
    at: Time


class Intent(TypedDict):
    """An attempt was about to send a request to a provider; `digest` identifies the request."""

    provider: str
    digest: str
    attempt: int
    at: Time


class Job(TypedDict):
    """One run of an extension in a room."""

    id: str
    room: str
    scope: Scope
    category: str
    name: str
    data: Object
    status: JobState
    version: Annotated[int, Field(description="grows with every change")]
    priority: int
    user: str
    runner: RunnerKind
    worker: str | None
    attempt: int
    created_at: Time
    assigned_at: Time | None
    started_at: Time | None
    completed_at: Time | None
    wait_time_ms: float | None
    execution_time_ms: float | None
    progress: Progress | None
    result: Any
    error: JobError | None
    tries: int
    retry_of: Annotated[str | None, Field(description="the job that this one replays")]
    parent: Annotated[str | None, Field(description="the job that submitted this one")]
    group: str | None
    waiting_for: WaitingFor | None
    queue_position: Annotated[int | None, Field(description="0 is next")]
    eta_ms: float | None
    annotation: Annotation | None
    external: Annotated[list[External], Field(description="what providers have accepted, each once")]
    intents: Annotated[list[Intent], Field(description="what attempts were about to send to providers")]


class JobPage(TypedDict):
    """A page of a search may be empty and have a next one: each request examines only so many jobs."""

    items: list[Job]
    next_cursor: Annotated[int | None, Field(description="`cursor` of the next page, if there is one")]
    examined: NotRequired[Annotated[int, Field(description="jobs that the search examined for this page")]]


class SavedSettings(TypedDict):
    """Settings are stored for their user, not queued."""

    category: str
    name: str
    data: Object
    saved: Literal[True]


class JobEntry(TypedDict):
    """An accepted job of a batch."""

    job: Job


class BriefJob(TypedDict):
    id: str
    status: JobState


class BriefEntry(TypedDict):
    """An accepted job of a batch that was sent with `Prefer: return=minimal`."""

    job: BriefJob


class ProblemEntry(TypedDict):
    """A rejected job of a batch."""

    error: Problem


class JobEntries(TypedDict):
    """One entry for each job of the request, in the same order."""

    items: list[JobEntry | BriefEntry | ProblemEntry]


class Transition(TypedDict):
    """One change of a job's state, with the times of the job. `started_at` is set once it runs or has ended.

    The queue position is left out: every other job changes it, and reading it costs a query of its own.
    """

    job_id: str
    room: str
    version: int
    status: JobState
    attempt: int
    worker: str | None
    actor: str
    reason: str | None
    at: Time
    created_at: Time | None
    started_at: Time | None
    completed_at: Time | None


class JobHistory(TypedDict):
    items: list[Transition]


def render_job(job: domain.Job, reader: Principal | None = None) -> Job:
    return {
        "id": job.id,
        "room": job.room,
        "scope": cast(Scope, job.scope),
        "category": job.category,
        "name": job.name,
        "data": orjson.Fragment(job.data),
        "status": job.status,
        "version": job.version,
        "priority": job.priority,
        "user": job.user,
        "runner": cast(RunnerKind, job.runner),
        "worker": job.worker,
        "attempt": job.attempt,
        "created_at": format_time(job.created_at_us),
        "assigned_at": format_optional_time(job.assigned_at_us),
        "started_at": format_optional_time(job.started_at_us),
        "completed_at": format_optional_time(job.completed_at_us),
        "wait_time_ms": job.wait_time_ms,
        "execution_time_ms": job.execution_time_ms,
        "progress": embed(job.progress),
        "result": embed(job.result),
        "error": None if job.error is None else _render_error(job, job.error, reader),
        "tries": job.tries,
        "retry_of": job.retry_of,
        "parent": job.parent,
        "group": job.group,
        "waiting_for": _render_waiting(job.waiting),
        "queue_position": job.queue_position,
        "eta_ms": job.eta_ms,
        "annotation": None if job.annotation is None else render_annotation(job.annotation),
        "external": [] if job.exchanges is None else _render_external(job.exchanges),
        "intents": [] if job.exchanges is None else _render_intents(job.exchanges),
    }


def _render_external(exchanges: Exchanges) -> list[External]:
    return [
        {"provider": each.provider, "id": each.id, "attempt": each.attempt, "at": format_time(each.at_us)}
        for each in exchanges.external
    ]


def _render_intents(exchanges: Exchanges) -> list[Intent]:
    return [
        {
            "provider": each.provider,
            "digest": each.digest,
            "attempt": each.attempt,
            "at": format_time(each.at_us),
        }
        for each in exchanges.intents
    ]


def render_annotation(annotation: domain_annotation.Annotation) -> Annotation | None:
    """None if everything that was written was removed again."""
    if annotation.is_empty:
        return None
    return {
        "name": annotation.name,
        "starred": annotation.starred,
        "tags": list(annotation.tags),
        "note": annotation.note,
        "version": annotation.version,
        "by": annotation.by,
        "at": format_time(annotation.at_us),
    }


def _render_error(job: domain.Job, error: bytes, reader: Principal | None) -> Any:
    if reader is not None and sees_stack(reader, job):
        return orjson.Fragment(error)
    return {**orjson.loads(error), "stack_trace": None}


def _render_waiting(waiting: Waiting | None) -> WaitingFor | None:
    if waiting is None:
        return None
    return {
        "code": waiting.code,
        "key": waiting.key,
        "job": waiting.job,
        "until": format_optional_time(waiting.until_us),
        "group": waiting.group,
        "count": waiting.count,
    }


def render_job_page(page: Page[domain.Job], reader: Principal) -> JobPage:
    items = [_render_listed_job(job, reader) for job in page.items]
    if isinstance(page, Found):
        return {"items": items, "next_cursor": page.next_cursor, "examined": page.examined}
    return {"items": items, "next_cursor": page.next_cursor}


def _render_listed_job(job: domain.Job, reader: Principal) -> Job:
    """A list shows only the type and message of an error; `GET /api/jobs/{id}` has the rest."""
    document = render_job(job, reader)
    if document["error"] is not None:
        error: JobError = orjson.loads(cast(bytes, job.error))
        document["error"] = {**error, "details": {}, "stack_trace": None}
    return document


def render_submitted(
    submitted: domain.Job | form_values.SavedSettings, reader: Principal
) -> Job | SavedSettings:
    if isinstance(submitted, domain.Job):
        return _render_new(submitted) if submitted.version == 1 else render_job(submitted, reader)
    data = orjson.Fragment(submitted.data)
    return {"category": submitted.category, "name": submitted.name, "data": data, "saved": True}


def _render_new(job: domain.Job) -> Job:
    """`render_job` of a job to which nothing has happened yet, without its calls: every submit needs it."""
    return {
        "id": job.id,
        "room": job.room,
        "scope": cast(Scope, job.scope),
        "category": job.category,
        "name": job.name,
        "data": orjson.Fragment(job.data),
        "status": job.status,
        "version": 1,
        "priority": job.priority,
        "user": job.user,
        "runner": cast(RunnerKind, job.runner),
        "worker": None,
        "attempt": 0,
        "created_at": format_time(job.created_at_us),
        "assigned_at": None,
        "started_at": None,
        "completed_at": None,
        "wait_time_ms": None,
        "execution_time_ms": None,
        "progress": None,
        "result": None,
        "error": None,
        "tries": 0,
        "retry_of": job.retry_of,
        "parent": job.parent,
        "group": job.group,
        "waiting_for": _render_waiting(job.waiting),
        "queue_position": job.queue_position,
        "eta_ms": job.eta_ms,
        "annotation": None if job.annotation is None else render_annotation(job.annotation),
        "external": [],
        "intents": [],
    }


def submitted_status(submitted: domain.Job | form_values.SavedSettings) -> int:
    """202 for a job that has not ended yet, unless the submit joined it."""
    if not isinstance(submitted, domain.Job) or submitted.is_joined:
        return 200
    return 200 if submitted.status.is_terminal else 202


def render_entries(
    results: Sequence[BrieflySubmitted], reader: Principal, *, brief: bool = False
) -> JobEntries:
    return {"items": [_render_entry(result, reader, brief=brief) for result in results]}


def _render_entry(
    result: BrieflySubmitted, reader: Principal, *, brief: bool
) -> JobEntry | BriefEntry | ProblemEntry:
    if isinstance(result, WorkroomError):
        return {"error": render_problem(result)}
    if isinstance(result, NewJob):
        return {"job": {"id": result.id, "status": JobState.PENDING}}
    if brief:
        return {"job": {"id": result.id, "status": result.status}}
    return {"job": render_job(result, reader)}


def render_transition(transition: domain.Transition) -> Transition:
    at = format_time(transition.at_us)
    return {
        "job_id": transition.job_id,
        "room": transition.room,
        "version": transition.version,
        "status": transition.status,
        "attempt": transition.attempt,
        "worker": transition.worker,
        "actor": transition.actor,
        "reason": transition.reason,
        "at": at,
        "created_at": format_optional_time(transition.created_at_us),
        "started_at": format_optional_time(transition.started_at_us),
        "completed_at": at if transition.status in domain.TERMINAL else None,
    }


def render_history(transitions: Sequence[domain.Transition]) -> JobHistory:
    return {"items": [render_transition(each) for each in transitions]}
