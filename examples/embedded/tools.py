"""The application's jobs."""

from __future__ import annotations

from typing import Any

from pydantic import Field

from workroom import Extension, Room


class CountWords(Extension, category="analysis"):
    """Count the words of a text."""

    text: str = Field("to be or not to be", max_length=10_000)

    def run(self) -> dict[str, int]:
        words = self.text.split()
        return {"words": len(words), "different": len(set(words))}


class CompareTexts(Extension, category="analysis"):
    """Count the words of two texts, in a job for each."""

    first: str
    second: str

    def run(self, room: Room) -> dict[str, Any]:
        jobs = [room.submit(CountWords(text=text)) for text in (self.first, self.second)]
        return {"counts": [job.result(timeout=60) for job in jobs]}
