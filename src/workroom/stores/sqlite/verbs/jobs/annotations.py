"""Saves what people wrote about jobs."""

from __future__ import annotations

import sqlite3
from collections.abc import Sequence

from workroom.domain.jobs.annotation import Annotating, Saved
from workroom.stores.annotations import encode_annotation
from workroom.stores.sqlite.statements import SQL


def annotate(connection: sqlite3.Connection, annotations: Sequence[Annotating]) -> list[Saved]:
    return [_annotate(connection, each) for each in annotations]


def _annotate(connection: sqlite3.Connection, each: Annotating) -> Saved:
    row = connection.execute(SQL["annotated_job"], (each.job_id,)).fetchone()
    if row is None:
        return Saved.MISSING
    job, room, version = row
    if each.annotation.version <= version:
        return Saved.OUTDATED
    document = encode_annotation(each.annotation)
    connection.execute(SQL["save_annotation"], (job, room, each.annotation.version, document))
    return Saved.SAVED
