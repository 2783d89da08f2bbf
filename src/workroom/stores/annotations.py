"""Annotations as every store keeps them: one JSON document per job."""

from __future__ import annotations

import orjson

from workroom.domain.jobs.annotation import Annotation


def encode_annotation(annotation: Annotation) -> bytes:
    return orjson.dumps(annotation)


def decode_annotation(document: bytes | None) -> Annotation | None:
    if document is None:
        return None
    values = orjson.loads(document)
    return Annotation(**{**values, "tags": tuple(values["tags"])})
