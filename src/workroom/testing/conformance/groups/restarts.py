"""A group survives a restart of the store behind every single step."""

from __future__ import annotations

from contextlib import AsyncExitStack
from dataclasses import replace

from workroom.domain.job import JobState
from workroom.domain.jobs.group import GroupChange, NewGroup
from workroom.domain.queries import FindGroup
from workroom.domain.steps import Postponement
from workroom.ports import Store
from workroom.testing.conformance.stage import LAB, SMOOTH, Conformance, Reopen, Stage, completed, held

TEAM = "grp_team"


class GroupRestartConformance(Conformance):
    group_size = 20

    async def test_a_collector_starts_once_though_the_store_is_restarted_behind_every_step(
        self, stage: Stage, store: Store, reopen: Reopen
    ) -> None:
        """Submit, close, claim, start, finish: each of them may be the last one before a crash."""
        await stage.connect("w1", SMOOTH)
        await store.create_group(NewGroup(TEAM, LAB, "ada"))
        members = [await stage.submit(SMOOTH, group=TEAM) for _ in range(self.group_size)]
        await store.change_group(TEAM, GroupChange.CLOSE, "ada", "")
        after = Postponement(after=(TEAM,))
        collector = replace(await stage.new_job(SMOOTH), postponed=after)
        assert (await store.submit([collector])).answers == [None]
        begun: list[str] = []
        async with AsyncExitStack() as stack:
            await store.aclose()
            for _ in range(self.group_size + 1):
                stage = await self._again(stack, reopen)
                session = await stage.reconnect("w1")
                (assignment,) = await stage.claim(session)
                stage = await self._again(stack, reopen)
                await stage.reconnect("w1", held(assignment), seen=assignment.number)
                await stage.start(assignment)
                begun.append(assignment.fence.job_id)
                stage = await self._again(stack, reopen)
                await stage.finish(completed(assignment))
            stage = await self._again(stack, reopen)
            session = await stage.reconnect("w1")
            assert await stage.claimed_ids(session) == []
            group = await stage.store.read(FindGroup(TEAM))
        assert begun == [*members, collector.id]
        assert group is not None
        assert group.counts[JobState.COMPLETED] == self.group_size

    async def _again(self, stack: AsyncExitStack, reopen: Reopen) -> Stage:
        """Close the store if it is open, and open it again."""
        await stack.aclose()
        return await stack.enter_async_context(reopen())
