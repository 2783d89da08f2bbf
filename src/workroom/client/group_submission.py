"""Submits the jobs of a group in batches."""

from __future__ import annotations

from collections.abc import Awaitable, Callable, Sequence
from dataclasses import dataclass, field
from typing import Any

from workroom.client import requests
from workroom.client.sweeps import batches
from workroom.client.transport.problems import problem
from workroom.errors import WorkroomError

Document = dict[str, Any]
OnProgress = Callable[[int, int], None]
"""Called with the number of jobs that are submitted, and of all."""


@dataclass(slots=True)
class GroupSubmission:
    """The group and its accepted jobs so far, and the first refusal."""

    group: Document | None = None
    jobs: list[Document] = field(default_factory=list)
    refusal: WorkroomError | None = None

    def add(self, reply: Document) -> None:
        self.group = reply["group"] or self.group
        for item in reply["items"]:
            if "job" in item:
                self.jobs.append(item["job"])
            elif self.refusal is None:
                self.refusal = problem(item["error"], 422)


async def submit_group(
    send: Callable[[requests.Request], Awaitable[Any]],
    room: str,
    items: Sequence[dict[str, Any]],
    title: str,
    parameters: Sequence[str],
    on_progress: OnProgress | None,
) -> GroupSubmission:
    """Send batch after batch; the last one closes the group."""
    submission, sent, parts = GroupSubmission(), 0, list(batches(items))
    for number, part in enumerate(parts, 1):
        stays_open = number < len(parts)
        if submission.group is None:
            request = requests.create_group(room, title, parameters, part, stays_open=stays_open)
        else:
            request = requests.add_to_group(submission.group["id"], part, stays_open=stays_open)
        submission.add(await send(request))
        sent += len(part)
        if on_progress is not None:
            on_progress(sent, len(items))
    if submission.group is not None and submission.group["open"]:  # the last batch was refused
        submission.add(await send(requests.add_to_group(submission.group["id"], [], stays_open=False)))
    return submission
