"""Writes and deletes archived jobs. Writing a job again has no effect."""

from __future__ import annotations

import sqlite3
from collections.abc import Iterable, Sequence

from workroom.domain.files import Artifact, Preview
from workroom.domain.job import Job, Transition
from workroom.domain.jobs.annotation import Annotating, Annotation, Saved
from workroom.domain.jobs.logs import LogLine
from workroom.domain.room import ChatMessage
from workroom.domain.storage.archive import Ended
from workroom.stores.annotations import encode_annotation
from workroom.stores.archive.statements import SQL
from workroom.stores.exchanges import encode_exchanges

Row = tuple[object, ...]
_TABLES = ("jobs", "transitions", "lines", "artifacts", "previews", "chat", "annotations", "exchanges")


def keep(connection: sqlite3.Connection, jobs: Sequence[Ended]) -> None:
    rows: dict[str, Iterable[Row]] = {
        "keep_job": [_job(ended.job, ended.reports) for ended in jobs],
        "keep_transition": [_transition(step) for ended in jobs for step in ended.transitions],
        "keep_line": [_line(ended.job.id, line) for ended in jobs for line in ended.lines],
        "keep_artifact": [_artifact(artifact) for ended in jobs for artifact in ended.artifacts],
        "keep_preview": [_preview(ended.preview) for ended in jobs if ended.preview],
        "keep_annotation": [
            _annotation(ended.job, ended.job.annotation) for ended in jobs if ended.job.annotation
        ],
        "keep_exchanges": [
            (ended.job.id, encode_exchanges(ended.job.exchanges)) for ended in jobs if ended.job.exchanges
        ],
        "keep_chat": [_message(ended.chat) for ended in jobs if ended.chat],
    }
    for statement, values in rows.items():
        connection.executemany(SQL[statement], values)


def annotate(connection: sqlite3.Connection, annotations: Sequence[Annotating]) -> list[Saved]:
    return [_annotate(connection, each) for each in annotations]


def _annotate(connection: sqlite3.Connection, each: Annotating) -> Saved:
    row = connection.execute(SQL["annotated_job"], (each.job_id,)).fetchone()
    if row is None:
        return Saved.MISSING
    room, sequence, version = row
    if each.annotation.version <= version:
        return Saved.OUTDATED
    document = encode_annotation(each.annotation)
    values = (each.job_id, room, sequence, each.annotation.version, document)
    connection.execute(SQL["keep_annotation"], values)
    return Saved.SAVED


def forget(connection: sqlite3.Connection, job_ids: Sequence[str]) -> None:
    for table in _TABLES:
        connection.executemany(SQL[f"forget_{table}"], [(job_id,) for job_id in job_ids])


def _job(job: Job, reports: frozenset[str]) -> Row:
    return (
        job.sequence,
        job.id,
        job.room,
        job.scope,
        job.category,
        job.name,
        job.data,
        job.schema_hash,
        str(job.status),
        job.version,
        job.priority,
        job.user,
        job.runner,
        job.worker,
        job.attempt,
        job.created_at_us,
        job.assigned_at_us,
        job.started_at_us,
        job.completed_at_us,
        job.progress,
        job.result,
        job.error,
        job.extension_owner,
        job.tries,
        job.retry_of,
        job.parent,
        job.secrets,
        job.extension_id,
        " ".join(sorted(reports)),
        job.group,
    )


def _annotation(job: Job, annotation: Annotation) -> Row:
    return job.id, job.room, job.sequence, annotation.version, encode_annotation(annotation)


def _transition(step: Transition) -> Row:
    return (
        step.sequence,
        step.job_id,
        step.room,
        step.user,
        step.version,
        str(step.status),
        step.attempt,
        step.worker,
        step.actor,
        _valid_text(step.reason),
        step.at_us,
    )


def _line(job_id: str, line: LogLine) -> Row:
    return job_id, line.seq, line.at, str(line.stream), _valid_text(line.text), line.level, line.attempt


def _artifact(artifact: Artifact) -> Row:
    blob = artifact.blob
    return (
        artifact.job_id,
        artifact.name,
        artifact.media_type,
        blob.id,
        blob.size,
        blob.sha256,
        artifact.attempt,
        artifact.created_at_us,
    )


def _preview(preview: Preview) -> Row:
    blob = preview.blob
    return preview.job_id, str(preview.kind), preview.version, blob.id, blob.size, blob.sha256


def _message(message: ChatMessage) -> Row:
    return (
        message.sequence,
        message.room,
        message.user,
        _valid_text(message.text),
        message.job_id,
        message.at_us,
    )


def _valid_text(text: str | None) -> str | None:
    """Replace lone surrogates, which SQLite refuses: one bad line must not stop the archiver."""
    return None if text is None else text.encode("utf-8", "replace").decode()
