"""The items of a `run()` that yields: each is sent as it comes, and all of them are the result."""

from __future__ import annotations

from typing import Any

import orjson

from workroom.domain.jobs.logs import MAX_LINE
from workroom.domain.schema.masking import Masker
from workroom.errors import JobCancelled, StaleAttempt
from workroom.runtime.context import JobContext
from workroom.runtime.results.contents import Contents
from workroom.runtime.results.encoding import encode_part
from workroom.runtime.results.envelopes import TYPE
from workroom.runtime.secrets import mask_result


class Items:
    """Collects and sends what one attempt yields."""

    def __init__(self, job: JobContext, masker: Masker | None) -> None:
        self._job = job
        self._masker = masker
        self._contents = Contents(job.save)
        self._encoded: list[bytes] = []

    def add(self, item: Any) -> None:
        self._job.check()
        encoded = encode_part(item, self._contents)
        if self._masker is not None:
            encoded = mask_result(self._masker, encoded)
        self._encoded.append(encoded)
        text = encoded.decode()
        sent = text if len(text) <= MAX_LINE else self._reference(encoded)
        if sent is not None:
            self._job.output.item(sent)

    def result(self) -> bytes:
        return b'{"%s":"stream","items":[%s]}' % (TYPE.encode(), b",".join(self._encoded))

    def _reference(self, encoded: bytes) -> str | None:
        """An item that is too large for a line is an artifact; None if it cannot be saved."""
        name = f"item-{len(self._encoded)}.json"
        try:
            saved = self._job.save(name, encoded, media_type="application/json")
        except (JobCancelled, StaleAttempt):
            raise
        except Exception:
            return None  # it is part of the result
        return orjson.dumps({TYPE: "item", "artifact": name, "size": saved["size"]}).decode()
