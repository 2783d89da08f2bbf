"""All that is on record of jobs that are over, gathered in a few trips."""

from __future__ import annotations

from collections.abc import Sequence
from typing import Any

from workroom.domain.archive import Ended
from workroom.domain.chat import ChatMessage
from workroom.domain.job import Job
from workroom.domain.logs import LogLine
from workroom.stores.redis import entries, keys, replies, shelf
from workroom.stores.redis.archiving.reports import accepted_reports
from workroom.stores.redis.asking import Asker
from workroom.stores.redis.jobs import with_values
from workroom.stores.redis.keys import scheduling
from workroom.stores.redis.packing import to_bytes, unpack
from workroom.stores.redis.records import Record, record
from workroom.stores.redis.wire import Command


async def collect(asker: Asker, job_ids: Sequence[str]) -> list[Ended]:
    """Jobs whose values are gone are left out: they were kept before, and have half left."""
    rows, _, _ = await asker.script("find_jobs", {"ids": list(job_ids), "limit": len(job_ids)})
    records = {row[0][0]: record(row[0]) for row in rows}
    jobs = await with_values(asker, rows)
    found = await asker.script("collect", {"ids": [job.id for job in jobs]})
    lines = await _lines(asker, jobs)
    said = await _said(asker, jobs, records)
    return [
        _ended(job, records[job.id], printed, said.get(job.id), *told)
        for job, told, printed in zip(jobs, found, lines, strict=True)
    ]


async def _lines(asker: Asker, jobs: Sequence[Job]) -> list[list[LogLine]]:
    commands: list[Command] = [("XRANGE", keys.lines(job.room, job.id), "-", "+") for job in jobs]
    printed = await asker.send(commands) if commands else []
    return [[entries.line(entry) for entry in entries.listed(told)] for told in printed]


async def _said(asker: Asker, jobs: Sequence[Job], records: dict[str, Record]) -> dict[str, ChatMessage]:
    """The lines that rooms were told, by the jobs that failed."""
    wanted = [(job, records[job.id].chat) for job in jobs if records[job.id].chat is not False]
    commands: list[Command] = [
        ("XRANGE", scheduling("chat", job.room), f"{number}-0", f"{number}-0") for job, number in wanted
    ]
    told = await asker.send(commands) if commands else []
    return {
        job.id: entries.message(job.room, entry)
        for (job, _), found in zip(wanted, told, strict=True)
        for entry in entries.listed(found)
    }


def _ended(
    job: Job,
    kept: Record,
    lines: Sequence[LogLine],
    said: ChatMessage | None,
    fields: Sequence[str],
    artifacts: Sequence[str],
    transitions: Sequence[str],
) -> Ended:
    known = _pairs(fields)
    preview = known.get("preview")
    return Ended(
        job=job,
        transitions=[replies.transition(unpack(to_bytes(packed))) for packed in transitions],
        lines=lines,
        artifacts=[
            shelf.artifact(job.id, name, to_bytes(packed)) for name, packed in _pairs(artifacts).items()
        ],
        preview=None if preview is None else shelf.preview(job.id, to_bytes(preview)),
        said=said,
        reports=accepted_reports(kept, known),
    )


def _pairs(flat: Sequence[Any]) -> dict[str, str]:
    return dict(zip(flat[::2], flat[1::2], strict=True))
