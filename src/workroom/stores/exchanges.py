"""Exchanges as SQL stores keep them: one JSON document per job."""

from __future__ import annotations

import orjson

from workroom.domain.jobs.exchanges import Exchanges, External, Intent, Question


def encode_exchanges(exchanges: Exchanges) -> bytes:
    return orjson.dumps(exchanges)


def decode_exchanges(document: bytes | None) -> Exchanges | None:
    if document is None:
        return None
    values = orjson.loads(document)
    return Exchanges(
        tuple(External(**each) for each in values["external"]),
        tuple(Intent(**each) for each in values["intents"]),
        tuple(Question(**each) for each in values["questions"]),
    )
