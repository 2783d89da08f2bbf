"""Options of requests that change room data, and conditions: `ETag`, `If-Match`, `If-None-Match`."""

from __future__ import annotations

import re
from typing import Annotated

from fastapi import Depends, Header, Query

from workroom.domain.room_data.documents import MAX_GROUP, MAX_REQUEST, MAX_SUMMARY
from workroom.domain.room_data.locks import MAX_TOKEN, MIN_TOKEN
from workroom.domain.rules.room_data.documents import ANY_VERSION, NO_DOCUMENT
from workroom.errors import InvalidRequest
from workroom.services.room_data.documents import EditOptions

_MOST_TOKENS = 20

IfMatch = Annotated[
    str | None, Header(max_length=100, description='the version that it must have, as `"17"`, or `*` for any')
]
IfNoneMatch = Annotated[
    str | None, Header(max_length=100, description="`*`: there must be no such document yet")
]
WriteToken = Annotated[
    str | None,
    Header(
        alias="Lock-Token",
        min_length=MIN_TOKEN,
        max_length=MAX_TOKEN,
        description="the token of the lock that the caller holds",
    ),
]
EditGroup = Annotated[
    str,
    Header(
        alias="Edit-Group",
        max_length=MAX_GROUP,
        description="edits of one group make one version where that is possible",
    ),
]
KeepOnFailure = Annotated[
    bool, Header(alias="Keep-On-Failure", description="of a job: keep this edit also if the job fails")
]
WriteTokens = Annotated[
    str,
    Header(
        alias="Lock-Token",
        max_length=_MOST_TOKENS * (MAX_TOKEN + 2),
        description="the tokens of the locks that the caller holds, separated by commas",
    ),
]
RequestKey = Annotated[
    str | None,
    Header(
        alias="Idempotency-Key",
        min_length=1,
        max_length=MAX_REQUEST,
        description="a request that is sent again with the same key changes nothing",
    ),
]
Summary = Annotated[
    str, Query(max_length=MAX_SUMMARY, description="what the change does, for the list of versions")
]
_TAG = re.compile(r'"(\d{1,15})"')


def lock_tokens(header: str) -> list[str]:
    return [each.strip() for each in header.split(",") if each.strip()]


def etag(version: int) -> str:
    return f'"{version}"'


def expected_version(if_match: str | None, if_none_match: str | None = None) -> int | None:
    """The version that a write requires, as `domain/rules/room_data/documents.py` takes it."""
    if if_match is not None and if_none_match is not None:
        raise InvalidRequest("send If-Match or If-None-Match, not both")
    if if_none_match is not None:
        if if_none_match.strip() != "*":
            raise InvalidRequest("If-None-Match of a write must be *")
        return NO_DOCUMENT
    if if_match is None:
        return None
    if if_match.strip() == "*":
        return ANY_VERSION
    found = _TAG.fullmatch(if_match.strip())
    if found is None:
        raise InvalidRequest('If-Match must be * or the ETag of a document, such as "17"')
    return int(found[1]) or ANY_VERSION


async def get_edit_options(
    if_match: IfMatch = None,
    if_none_match: IfNoneMatch = None,
    lock_token: WriteToken = None,
    idempotency_key: RequestKey = None,
    summary: Summary = "",
    edit_group: EditGroup = "",
    keep_on_failure: KeepOnFailure = False,
) -> EditOptions:
    expected = expected_version(if_match, if_none_match)
    return EditOptions(expected, lock_token, idempotency_key or "", summary, edit_group, keep_on_failure)


EditOptionsDep = Annotated[EditOptions, Depends(get_edit_options)]


def is_known(if_none_match: str | None, version: int) -> bool:
    """Whether the reader has this version already."""
    tags = [tag.strip().removeprefix("W/") for tag in (if_none_match or "").split(",")]
    return "*" in tags or etag(version) in tags
