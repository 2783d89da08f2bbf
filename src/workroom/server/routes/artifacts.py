"""What jobs save and show."""

from __future__ import annotations

from dataclasses import dataclass
from typing import Annotated

from fastapi import Depends, Query, Request, Response

from workroom.domain.files import PREVIEW_TYPES, PreviewKind, file_name, media_type_of
from workroom.domain.identity import Principal
from workroom.domain.job import Fence
from workroom.domain.job_tokens import fence_in
from workroom.domain.policy import Act
from workroom.domain.queries import FindArtifacts
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
from workroom.server import documents, shapes
from workroom.server.context import Inside, Services, Who, answer, token_of
from workroom.server.downloads import BINARY, download
from workroom.server.openapi import refused
from workroom.server.router import Router
from workroom.server.uploads import BODY, incoming
from workroom.server.wire import MAX_INT

router = Router(prefix="/api/jobs/{job_id}", tags=["files"])

WorkerId = Annotated[str | None, Query(max_length=64, description="who speaks, if not the job's own token")]
AttemptNumber = Annotated[int | None, Query(ge=1, le=MAX_INT)]
AttemptToken = Annotated[str | None, Query(max_length=200)]


async def teller(request: Request, inside: Inside) -> Principal:
    """Who is asking; a job whose attempt does not run any more is told so."""
    token = token_of(request, inside.settings.cookie)
    try:
        return await inside.accounts.read(token)
    except Unauthenticated:
        if fence_in(token) is None:
            raise
        raise StaleAttempt() from None


@dataclass(frozen=True, slots=True)
class Attempt:
    """The attempt that a request speaks for, and the worker, if it is the worker who speaks."""

    fence: Fence
    worker: str | None


async def attempt(
    job_id: str,
    who: Annotated[Principal, Depends(teller)],
    inside: Inside,
    worker_id: WorkerId = None,
    attempt: AttemptNumber = None,
    token: AttemptToken = None,
) -> Attempt:
    """By the job's own token, or by who may speak for its worker and names the attempt."""
    if worker_id is None or attempt is None or token is None:
        await inside.access.job(who, job_id, Act.SAVE)
        assert who.job is not None
        return Attempt(who.job, None)
    await inside.access.worker(who, worker_id, Act.RUN_WORKER)
    return Attempt(Fence(job_id, attempt, token), worker_id)


Speaker = Annotated[Attempt, Depends(attempt)]
_REFUSED = (Forbidden, JobNotFound, WorkerNotFound, StaleAttempt, DigestMismatch)


@router.put(
    "/artifacts/{name}",
    response_model=shapes.Artifact,
    responses=refused(*_REFUSED, InvalidName, BodyTooLarge),
    openapi_extra=BODY,
)
async def save_artifact(name: str, speaker: Speaker, request: Request, inside: Inside) -> Response:
    """Stream a file of any size. The same name again replaces it; an attempt that is over changes nothing."""
    kept_name = file_name(name)
    media_type = media_type_of(kept_name, request.headers.get("content-type"))
    artifact = await inside.files.save(
        speaker.fence, speaker.worker, kept_name, media_type, incoming(request)
    )
    return answer(documents.artifact(artifact))


@router.get("/artifacts", response_model=shapes.Artifacts, responses=refused(JobNotFound))
async def list_artifacts(job_id: str, who: Who, inside: Inside) -> Response:
    """All that the job has saved, by name."""
    await inside.access.job(who, job_id, Act.SEE_JOB)
    found = await inside.store.read(FindArtifacts(job_id))
    return answer({"items": [documents.artifact(each) for each in found]})


@router.get(
    "/artifacts/{name}",
    response_class=Response,
    responses={**BINARY, **refused(JobNotFound, ArtifactNotFound, RangeNotSatisfiable, InvalidName)},
)
async def read_artifact(
    job_id: str, name: str, who: Who, inside: Inside, request: Request, inline: bool = False
) -> Response:
    """The file, or the part that `Range` names. `inline` shows what is safe to show in a page."""
    return await _artifact(job_id, name, who, inside, request, inline=inline)


@router.head("/artifacts/{name}", include_in_schema=False)
async def head_artifact(
    job_id: str, name: str, who: Who, inside: Inside, request: Request, inline: bool = False
) -> Response:
    return await _artifact(job_id, name, who, inside, request, inline=inline)


@router.put("/preview", response_model=shapes.Preview, responses=refused(*_REFUSED), openapi_extra=BODY)
async def show_preview(speaker: Speaker, request: Request, inside: Inside, kind: PreviewKind) -> Response:
    """Replace what the job shows while it runs."""
    preview = await inside.files.show(speaker.fence, speaker.worker, kind, incoming(request))
    return answer(documents.preview(preview))


@router.get(
    "/preview",
    response_class=Response,
    responses={**BINARY, **refused(JobNotFound, PreviewNotFound, RangeNotSatisfiable)},
)
async def read_preview(job_id: str, who: Who, inside: Inside, request: Request) -> Response:
    """What the job showed last; `X-Preview-Kind` and `X-Preview-Version` say what it is."""
    return await _preview(job_id, who, inside, request)


@router.head("/preview", include_in_schema=False)
async def head_preview(job_id: str, who: Who, inside: Inside, request: Request) -> Response:
    return await _preview(job_id, who, inside, request)


async def _artifact(
    job_id: str, name: str, who: Principal, inside: Services, request: Request, *, inline: bool
) -> Response:
    await inside.access.job(who, job_id, Act.SEE_JOB)
    found = await inside.files.artifact(job_id, file_name(name))
    return await download(request, inside.files, found.blob, found.name, found.media_type, inline=inline)


async def _preview(job_id: str, who: Principal, inside: Services, request: Request) -> Response:
    await inside.access.job(who, job_id, Act.SEE_JOB)
    found = await inside.files.preview(job_id)
    media_type = PREVIEW_TYPES[found.kind]
    response = await download(request, inside.files, found.blob, "preview", media_type, inline=True)
    response.headers["X-Preview-Kind"] = found.kind
    response.headers["X-Preview-Version"] = str(found.version)
    return response
