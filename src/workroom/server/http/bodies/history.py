"""What people write about jobs, and actions on many of them."""

from __future__ import annotations

from typing import Annotated

from pydantic import Field

from workroom.domain.jobs.annotation import MAX_NAME, MAX_NOTE, MAX_TAG, MAX_TAGS, AnnotationChange
from workroom.server.http.bodies.fields import Body, Name
from workroom.services.history.bulk import MAX_JOBS, Action

Tag = Annotated[str, Field(min_length=1, max_length=MAX_TAG)]


class AnnotationBody(Body):
    """A field that is left out stays as it is."""

    name: str | None = Field(None, max_length=MAX_NAME)
    starred: bool | None = None
    tags: list[Tag] | None = Field(None, max_length=MAX_TAGS)
    note: str | None = Field(None, max_length=MAX_NOTE)

    def change(self) -> AnnotationChange:
        tags = None if self.tags is None else tuple(self.tags)
        return AnnotationChange(self.name, self.starred, tags, self.note)


class ActionBody(Body):
    action: Action = Field(strict=False)
    jobs: list[Name] = Field(min_length=1, max_length=MAX_JOBS)
    tags: list[Tag] = Field(default_factory=list, max_length=MAX_TAGS, description="of `tag` and `untag`")
