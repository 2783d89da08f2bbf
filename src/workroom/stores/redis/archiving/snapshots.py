"""Reads everything that Redis holds of ended jobs, in a few round trips."""

from __future__ import annotations

from collections.abc import Sequence
from typing import Any

from workroom.domain.job import Job
from workroom.domain.jobs.logs import LogLine
from workroom.domain.room import ChatMessage
from workroom.domain.storage.archive import Ended
from workroom.stores.redis import file_index, keys
from workroom.stores.redis.archiving.accepted_reports import accepted_reports
from workroom.stores.redis.connection import Command
from workroom.stores.redis.keys import scheduling
from workroom.stores.redis.messages import replies
from workroom.stores.redis.messages.codec import to_bytes, unpack
from workroom.stores.redis.messages.layouts import JobRecord, JobRow, job_record
from workroom.stores.redis.queries import entries
from workroom.stores.redis.queries.jobs import with_values
from workroom.stores.redis.reader import Reader


async def read_snapshots(reader: Reader, job_ids: Sequence[str]) -> list[Ended]:
    """Skip jobs without values: they were archived before, and their deletion was interrupted."""
    rows, _, _ = await reader.run_script("find_jobs", {"ids": list(job_ids), "limit": len(job_ids)})
    records = {record.id: record for record in (job_record(JobRow._make(row).record) for row in rows)}
    jobs = await with_values(reader, rows)
    found = await reader.run_script("collect", {"ids": [job.id for job in jobs]})
    lines = await _read_lines(reader, jobs)
    messages = await _read_messages(reader, jobs, records)
    return [
        _ended(job, records[job.id], own_lines, messages.get(job.id), *details)
        for job, details, own_lines in zip(jobs, found, lines, strict=True)
    ]


async def _read_lines(reader: Reader, jobs: Sequence[Job]) -> list[list[LogLine]]:
    commands: list[Command] = [("XRANGE", keys.lines(job.room, job.id), "-", "+") for job in jobs]
    replies = await reader.send(commands) if commands else []
    return [[entries.line(entry) for entry in entries.listed(reply)] for reply in replies]


async def _read_messages(
    reader: Reader, jobs: Sequence[Job], records: dict[str, JobRecord]
) -> dict[str, ChatMessage]:
    """Return the chat messages about failed jobs, by job."""
    wanted = [
        (job, records[job.id].chat_message) for job in jobs if records[job.id].chat_message is not False
    ]
    commands: list[Command] = [
        ("XRANGE", scheduling("chat", job.room), f"{number}-0", f"{number}-0") for job, number in wanted
    ]
    found = await reader.send(commands) if commands else []
    return {
        job.id: entries.message(job.room, entry)
        for (job, _), reply in zip(wanted, found, strict=True)
        for entry in entries.listed(reply)
    }


def _ended(
    job: Job,
    record: JobRecord,
    lines: Sequence[LogLine],
    message: ChatMessage | None,
    fields: Sequence[str],
    artifacts: Sequence[str],
    transitions: Sequence[str],
) -> Ended:
    details = _pairs(fields)
    preview = details.get("preview")
    return Ended(
        job=job,
        transitions=[replies.transition(unpack(to_bytes(packed))) for packed in transitions],
        lines=lines,
        artifacts=[
            file_index.artifact(job.id, name, to_bytes(packed)) for name, packed in _pairs(artifacts).items()
        ],
        preview=None if preview is None else file_index.preview(job.id, to_bytes(preview)),
        chat=message,
        reports=accepted_reports(record, details),
    )


def _pairs(flat: Sequence[Any]) -> dict[str, str]:
    return dict(zip(flat[::2], flat[1::2], strict=True))
