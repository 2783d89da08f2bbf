"""Checks after a run that every job was stored, with its result and every step."""

from __future__ import annotations

import asyncio
from typing import Any

import aiohttp

from peers.auditing import AuditFailed

READERS = 32
PAGE = 500
STEPS = ["pending", "assigned", "running", "completed"]


async def audit(url: str, token: str, room: str, submitted: int) -> int:
    """Return the number of jobs; raise if one is missing, unfinished or wrong."""
    connector = aiohttp.TCPConnector(limit=READERS)
    headers = {"Authorization": f"Bearer {token}"}
    async with aiohttp.ClientSession(url, headers=headers, connector=connector) as session:
        jobs = await _jobs(session, room)
        if len(jobs) != submitted:
            raise AuditFailed(f"{submitted} jobs were submitted, {len(jobs)} are known")
        for job in jobs:
            if job["status"] != "completed" or job["result"] != job["data"]["n"]:
                raise AuditFailed(str(job))
        await asyncio.gather(*(_check_history(session, job["id"]) for job in jobs))
    return len(jobs)


async def _jobs(session: aiohttp.ClientSession, room: str) -> list[dict[str, Any]]:
    found: list[dict[str, Any]] = []
    cursor: int | None = None
    while True:
        params = {"limit": PAGE} | ({"cursor": cursor} if cursor else {})
        async with session.get(f"/api/rooms/{room}/jobs", params=params) as answer:
            page = await answer.json()
        found += page["items"]
        cursor = page["next_cursor"]
        if cursor is None:
            return found


async def _check_history(session: aiohttp.ClientSession, job_id: str) -> None:
    async with session.get(f"/api/jobs/{job_id}/history") as answer:
        steps = [step["status"] for step in (await answer.json())["items"]]
    if steps != STEPS:
        raise AuditFailed(f"job {job_id} went {steps}")
