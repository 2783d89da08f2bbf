"""All that is on record of jobs that are over, gathered in a few trips."""

from __future__ import annotations

from collections.abc import Iterator, Sequence
from itertools import islice
from typing import Any

from workroom.domain.archive import Ended
from workroom.domain.job import Job
from workroom.stores.redis import entries, keys, shelf
from workroom.stores.redis.archiving.reports import accepted_reports
from workroom.stores.redis.asking import Asker
from workroom.stores.redis.jobs import with_values
from workroom.stores.redis.keys import scheduling
from workroom.stores.redis.line import Command
from workroom.stores.redis.packing import to_bytes, to_text
from workroom.stores.redis.records import Record, record


async def collect(asker: Asker, job_ids: Sequence[str]) -> list[Ended]:
    """Jobs whose values are gone are left out: they were kept before, and have half left."""
    rows, _, _ = await asker.script("find_jobs", {"ids": list(job_ids), "limit": len(job_ids)})
    records = {row[0]: record(to_bytes(row[1])) for row in rows}
    jobs = await with_values(asker, rows)
    questions = [_questions(job.id, records[job.id]) for job in jobs]
    told = iter(await asker.send([command for each in questions for command in each]) if jobs else [])
    return [
        _ended(job, records[job.id], islice(told, len(asked)))
        for job, asked in zip(jobs, questions, strict=True)
    ]


def _questions(job_id: str, kept: Record) -> list[Command]:
    return [
        ("HGETALL", scheduling("job", job_id)),
        ("HGETALL", scheduling("artifacts", job_id)),
        ("XRANGE", keys.lines(kept.room, job_id), "-", "+"),
        _numbered(scheduling("chat", kept.room), int(kept.chat)),
        *(_numbered(scheduling("log", kept.room), number) for number in kept.events),
    ]


def _numbered(stream: str, number: int) -> Command:
    return ("XRANGE", stream, f"{number}-0", f"{number}-0")


def _ended(job: Job, kept: Record, told: Iterator[Any]) -> Ended:
    fields, artifacts, lines, said, *transitions = told
    preview = fields.get(b"preview")
    return Ended(
        job=job,
        transitions=[entries.transition(entry) for each in transitions for entry in entries.listed(each)],
        lines=[entries.line(entry) for entry in entries.listed(lines)],
        artifacts=[shelf.artifact(job.id, to_text(name), packed) for name, packed in artifacts.items()],
        preview=None if preview is None else shelf.preview(job.id, preview),
        said=next((entries.message(job.room, entry) for entry in entries.listed(said)), None),
        reports=accepted_reports(kept, {to_text(name): to_text(value) for name, value in fields.items()}),
    )
