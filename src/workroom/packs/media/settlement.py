"""What became of an order whose attempt could not record that: its job tells.

An order that may still be sent counts in the budget with its estimate. Once its job has ended, it counts only
if the provider has accepted it, or may have. The attempts of a job that was cancelled or timed out, and those
of a worker that was lost, record nothing more.
"""

from __future__ import annotations

from collections.abc import Iterable, Mapping
from dataclasses import replace
from typing import Any

from workroom.packs.media.records import Generation, GenerationState

_ENDS = {
    "completed": GenerationState.DONE,
    "failed": GenerationState.FAILED,
    "cancelled": GenerationState.FAILED,
}

Entry = Mapping[str, Any]


def is_open(generation: Generation) -> bool:
    """Whether it counts with an estimate only because it may still be sent."""
    is_intent = generation.state is GenerationState.INTENT and not generation.provider_task_id
    return is_intent and generation.cost is None and generation.estimate > 0


def settled(generation: Generation, job: Mapping[str, Any] | None) -> Generation:
    """An open generation by the document of its job. It stays as it is while the job may go on, and if the
    job was deleted.
    """
    state = None if job is None else _ENDS.get(job["status"])
    if job is None or state is None:
        return generation
    provider = generation.request.provider
    ids = [str(each["id"]) for each in sendings(provider, job["external"])]
    sent = len(sendings(provider, job["intents"]))
    return replace(generation, state=state, sent=sent, provider_task_id=ids[-1] if ids else "")


def sendings(provider: str, entries: Iterable[Entry]) -> list[Entry]:
    """The entries of a job that belong to its sendings to a provider: `leonardo.1`, `leonardo.2`, …"""
    return [each for each in entries if each["provider"].rpartition(".")[0] == provider]
