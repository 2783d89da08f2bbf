"""Artifacts and previews of jobs."""

from __future__ import annotations

from dataclasses import dataclass
from typing import Annotated

from fastapi import Depends, Query, Request, Response

from workroom.domain.files import PREVIEW_TYPES, PreviewKind, file_name, media_type_of
from workroom.domain.identity import Principal
from workroom.domain.job import Fence
from workroom.domain.jobs.job_ids import fence_in
from workroom.domain.permissions import Permission
from workroom.errors import (
    ArtifactNotFound,
    BodyTooLarge,
    DigestMismatch,
    Forbidden,
    InvalidName,
    JobNotFound,
    PreviewNotFound,
    RangeNotSatisfiable,
    StaleAttempt,
    Unauthenticated,
    WorkerNotFound,
)
from workroom.server.http.bodies.fields import MAX_INT
from workroom.server.http.context import Services
from workroom.server.http.dependencies import Caller, ServicesDep, json_response, read_token
from workroom.server.http.downloads import BINARY, download
from workroom.server.http.openapi import STORING, refused
from workroom.server.http.router import Router
from workroom.server.http.uploads import BODY, incoming
from workroom.server.http.views.file import (
    Artifact,
    Artifacts,
    Preview,
    render_artifact,
    render_artifacts,
    render_preview,
)

router = Router(prefix="/api/jobs/{job_id}", tags=["files"])

WorkerId = Annotated[
    str | None, Query(max_length=64, description="for a worker that reports without the job's own token")
]
AttemptNumber = Annotated[int | None, Query(ge=1, le=MAX_INT)]
AttemptToken = Annotated[str | None, Query(max_length=200)]


async def get_reporter(request: Request, services: ServicesDep) -> Principal:
    """The caller; the token of an attempt that has ended gets 409 instead of 401."""
    token = read_token(request, services.settings.cookie)
    try:
        return await services.accounts.read(token)
    except Unauthenticated:
        if fence_in(token) is None:
            raise
        raise StaleAttempt() from None


@dataclass(frozen=True, slots=True)
class Attempt:
    """The attempt that a request reports for, and the worker, if the worker reports it."""

    fence: Fence
    worker: str | None


async def get_attempt(
    job_id: str,
    caller: Annotated[Principal, Depends(get_reporter)],
    services: ServicesDep,
    worker_id: WorkerId = None,
    attempt: AttemptNumber = None,
    token: AttemptToken = None,
) -> Attempt:
    """Identified by the job's own token, or by the owner of the worker, who names the attempt."""
    if worker_id is None or attempt is None or token is None:
        await services.access.job(caller, job_id, Permission.SAVE_OUTPUT)
        assert caller.job is not None
        return Attempt(caller.job, None)
    await services.access.worker(caller, worker_id, Permission.RUN_WORKER)
    return Attempt(Fence(job_id, attempt, token), worker_id)


Reported = Annotated[Attempt, Depends(get_attempt)]
_REFUSED = (Forbidden, JobNotFound, WorkerNotFound, StaleAttempt, DigestMismatch)


@router.put(
    "/artifacts/{name}",
    response_model=Artifact,
    responses=refused(*_REFUSED, *STORING, InvalidName, BodyTooLarge),
    openapi_extra=BODY,
)
async def save_artifact(name: str, reported: Reported, request: Request, services: ServicesDep) -> Response:
    """Stream a file of any size. The same name replaces the file; an ended attempt changes nothing."""
    kept_name = file_name(name)
    media_type = media_type_of(kept_name, request.headers.get("content-type"))
    artifact = await services.files.save(
        reported.fence, reported.worker, kept_name, media_type, incoming(request)
    )
    return json_response(render_artifact(artifact))


@router.get("/artifacts", response_model=Artifacts, responses=refused(JobNotFound))
async def list_artifacts(job_id: str, caller: Caller, services: ServicesDep) -> Response:
    """The artifacts of the job, by name, and its last preview."""
    await services.access.job(caller, job_id, Permission.SEE_JOB)
    artifacts = await services.directory.artifacts(job_id)
    return json_response(render_artifacts(artifacts, await services.files.find_preview(job_id)))


@router.get(
    "/artifacts/{name}",
    response_class=Response,
    responses={**BINARY, **refused(JobNotFound, ArtifactNotFound, RangeNotSatisfiable, InvalidName)},
)
async def read_artifact(
    job_id: str, name: str, caller: Caller, services: ServicesDep, request: Request, inline: bool = False
) -> Response:
    """The file, or the part that `Range` names. With `inline`, browsers display safe media types."""
    return await _artifact(job_id, name, caller, services, request, inline=inline)


@router.head("/artifacts/{name}", include_in_schema=False)
async def head_artifact(
    job_id: str, name: str, caller: Caller, services: ServicesDep, request: Request, inline: bool = False
) -> Response:
    return await _artifact(job_id, name, caller, services, request, inline=inline)


@router.put("/preview", response_model=Preview, responses=refused(*_REFUSED, *STORING), openapi_extra=BODY)
async def show_preview(
    reported: Reported, request: Request, services: ServicesDep, kind: PreviewKind
) -> Response:
    """Replace the preview of a running job."""
    preview = await services.files.show(reported.fence, reported.worker, kind, incoming(request))
    return json_response(render_preview(preview))


@router.get(
    "/preview",
    response_class=Response,
    responses={**BINARY, **refused(JobNotFound, PreviewNotFound, RangeNotSatisfiable)},
)
async def read_preview(job_id: str, caller: Caller, services: ServicesDep, request: Request) -> Response:
    """The last preview of the job; `X-Preview-Kind` and `X-Preview-Version` describe it."""
    return await _preview(job_id, caller, services, request)


@router.head("/preview", include_in_schema=False)
async def head_preview(job_id: str, caller: Caller, services: ServicesDep, request: Request) -> Response:
    return await _preview(job_id, caller, services, request)


async def _artifact(
    job_id: str, name: str, caller: Principal, services: Services, request: Request, *, inline: bool
) -> Response:
    await services.access.job(caller, job_id, Permission.SEE_JOB)
    found = await services.files.artifact(job_id, file_name(name))
    return await download(request, services.files, found.blob, found.name, found.media_type, inline=inline)


async def _preview(job_id: str, caller: Principal, services: Services, request: Request) -> Response:
    await services.access.job(caller, job_id, Permission.SEE_JOB)
    found = await services.files.preview(job_id)
    media_type = PREVIEW_TYPES[found.kind]
    response = await download(request, services.files, found.blob, "preview", media_type, inline=True)
    response.headers["X-Preview-Kind"] = found.kind
    response.headers["X-Preview-Version"] = str(found.version)
    return response
