"""Jobs exchange ids and intents with providers, and questions and answers with people."""

from __future__ import annotations

from dataclasses import replace

from workroom.domain.extension import Policy
from workroom.domain.jobs.exchanges import ExchangeLimits, Exchanges
from workroom.domain.queries import FindJobs, FindOpenQuestions
from workroom.domain.steps import (
    Assignment,
    NewAnswer,
    NewExternal,
    NewIntent,
    NewQuestion,
)
from workroom.errors import (
    ExternalTaken,
    JobNotFound,
    QuotaExceeded,
    StaleAttempt,
)
from workroom.ports import Store
from workroom.testing.conformance.clock import FakeClock
from workroom.testing.conformance.stage import (
    ATTIC,
    LAB,
    SMOOTH,
    Conformance,
    Reopen,
    Stage,
    extension,
)

LIMITS = ExchangeLimits(entries=4, bytes=10_000)
TWICE = extension("Smooth", policy=Policy(retries=1))
SCHEMA = '{"type":"object"}'


def external(assignment: Assignment, id: str = "g-1", provider: str = "leonardo") -> NewExternal:
    return NewExternal(assignment.fence, provider, id)


def intent(assignment: Assignment, digest: str = "d-1") -> NewIntent:
    return NewIntent(assignment.fence, "leonardo", digest)


def question(assignment: Assignment, key: str = "keep", timeout_us: int | None = None) -> NewQuestion:
    return NewQuestion(assignment.fence, key, f"{key}?", SCHEMA, timeout_us)


def answer(
    assignment: Assignment, number: int = 1, text: str = '{"keep":true}', user: str = "eve"
) -> NewAnswer:
    return NewAnswer(assignment.fence.job_id, number, text, user)


async def exchanges(stage: Stage, assignment: Assignment) -> Exchanges:
    return (await stage.job(assignment.fence.job_id)).exchanges or Exchanges()


async def lose(stage: Stage) -> None:
    """The worker is gone, and its job waits for the next try."""
    await stage.store.close_session("w1", "gone")
    await stage.wait(5)


class ExchangeConformance(Conformance):
    async def test_an_external_id_and_an_intent_are_kept_with_the_job(
        self, stage: Stage, clock: FakeClock
    ) -> None:
        running = await stage.running(await stage.connect("w1", SMOOTH))
        step = await stage.store.exchange("w1", [intent(running), external(running)], LIMITS)
        found = await exchanges(stage, running)

        assert (list(step.answers), list(step.asked)) == ([None, None], [])
        assert [(each.provider, each.digest, each.attempt, each.at_us) for each in found.intents] == [
            ("leonardo", "d-1", 1, clock.now_us())
        ]
        assert [(each.provider, each.id, each.attempt, each.at_us) for each in found.external] == [
            ("leonardo", "g-1", 1, clock.now_us())
        ]

    async def test_a_job_without_exchanges_has_none(self, stage: Stage) -> None:
        running = await stage.running(await stage.connect("w1", SMOOTH))

        assert (await stage.job(running.fence.job_id)).exchanges is None

    async def test_the_first_id_of_a_provider_counts_and_the_same_again_is_no_error(
        self, stage: Stage
    ) -> None:
        running = await stage.running(await stage.connect("w1", SMOOTH))
        sent = [external(running), external(running), external(running, "g-2")]
        answers = (await stage.store.exchange("w1", sent, LIMITS)).answers

        assert list(answers[:2]) == [None, None]
        assert isinstance(answers[2], ExternalTaken)
        assert answers[2].fields == {"provider": "leonardo", "id": "g-1"}
        assert len((await exchanges(stage, running)).external) == 1

    async def test_each_provider_has_an_id_of_its_own(self, stage: Stage) -> None:
        running = await stage.running(await stage.connect("w1", SMOOTH))
        await stage.store.exchange("w1", [external(running), external(running, "m-7", "midjourney")], LIMITS)

        found = (await exchanges(stage, running)).external
        assert [(each.provider, each.id) for each in found] == [("leonardo", "g-1"), ("midjourney", "m-7")]

    async def test_an_intent_that_is_sent_again_is_recorded_once(self, stage: Stage) -> None:
        running = await stage.running(await stage.connect("w1", SMOOTH))
        for digest in ("d-1", "d-1", "d-2"):
            assert (await stage.store.exchange("w1", [intent(running, digest)], LIMITS)).answers == [None]

        assert [each.digest for each in (await exchanges(stage, running)).intents] == ["d-1", "d-2"]

    async def test_an_id_is_accepted_from_an_attempt_that_was_lost(self, stage: Stage) -> None:
        stale = await stage.running(await stage.connect("w1", TWICE), TWICE)
        await lose(stage)
        fresh = (await stage.claim(await stage.connect("w2", TWICE)))[0]
        await stage.start(fresh)

        assert (await stage.store.exchange("w1", [external(stale)], LIMITS)).answers == [None]
        assert [each.attempt for each in (await exchanges(stage, fresh)).external] == [1]

    async def test_an_id_is_accepted_after_the_job_was_cancelled(self, stage: Stage) -> None:
        running = await stage.running(await stage.connect("w1", SMOOTH))
        await stage.store.cancel([running.fence.job_id], "ada", "no")

        assert (await stage.store.exchange("w1", [external(running)], LIMITS)).answers == [None]
        assert len((await exchanges(stage, running)).external) == 1

    async def test_a_worker_that_never_had_the_attempt_cannot_set_its_id(self, stage: Stage) -> None:
        running = await stage.running(await stage.connect("w1", SMOOTH))
        await stage.connect("w2", SMOOTH)
        foreign, later = (
            external(running),
            replace(external(running), fence=replace(running.fence, attempt=2)),
        )
        by_other = (await stage.store.exchange("w2", [foreign], LIMITS)).answers[0]
        too_early = (await stage.store.exchange("w1", [later], LIMITS)).answers[0]
        unknown = NewExternal(replace(running.fence, job_id="nothing"), "leonardo", "g-1")
        missing = (await stage.store.exchange("w1", [unknown], LIMITS)).answers[0]

        assert isinstance(by_other, StaleAttempt)
        assert isinstance(too_early, StaleAttempt)
        assert isinstance(missing, JobNotFound)
        assert await exchanges(stage, running) == Exchanges()

    async def test_a_stale_attempt_can_neither_intend_nor_ask(self, stage: Stage) -> None:
        running = await stage.running(await stage.connect("w1", SMOOTH))
        await stage.store.cancel([running.fence.job_id], "ada", "no")
        step = await stage.store.exchange("w1", [intent(running), question(running)], LIMITS)

        assert [type(each) for each in step.answers] == [StaleAttempt, StaleAttempt]
        assert (list(step.questions), list(step.asked)) == ([None, None], [])

    async def test_an_attempt_that_has_not_started_cannot_intend(self, stage: Stage) -> None:
        assigned = await stage.assigned(await stage.connect("w1", SMOOTH))
        step = await stage.store.exchange("w1", [intent(assigned)], LIMITS)

        assert isinstance(step.answers[0], StaleAttempt)

    async def test_a_later_attempt_finds_what_an_earlier_one_recorded(self, stage: Stage) -> None:
        lost = await stage.running(await stage.connect("w1", TWICE), TWICE)
        await stage.store.exchange("w1", [intent(lost), external(lost)], LIMITS)
        await lose(stage)
        fresh = (await stage.claim(await stage.connect("w2", TWICE)))[0]
        await stage.start(fresh)
        await stage.store.exchange("w2", [intent(fresh)], LIMITS)
        found = await exchanges(stage, fresh)

        assert [each.id for each in found.external] == ["g-1"]
        assert [each.attempt for each in found.intents] == [1, 2]

    async def test_one_job_may_have_so_many_entries(self, stage: Stage) -> None:
        running = await stage.running(await stage.connect("w1", SMOOTH))
        digests = [f"d-{number}" for number in range(LIMITS.entries + 1)]
        answers = (
            await stage.store.exchange("w1", [intent(running, each) for each in digests], LIMITS)
        ).answers

        assert list(answers[:-1]) == [None] * LIMITS.entries
        assert isinstance(answers[-1], QuotaExceeded)
        assert len((await exchanges(stage, running)).intents) == LIMITS.entries

    async def test_and_so_many_bytes(self, stage: Stage) -> None:
        running = await stage.running(await stage.connect("w1", SMOOTH))
        long = replace(question(running), text="x" * LIMITS.bytes)
        step = await stage.store.exchange("w1", [long], LIMITS)

        assert isinstance(step.answers[0], QuotaExceeded)
        assert (list(step.questions), list(step.asked)) == ([None], [])
        assert await stage.store.read(FindOpenQuestions(LAB)) == await stage.store.read(
            FindOpenQuestions(ATTIC)
        )

    async def test_exchanges_survive_a_restart(self, stage: Stage, store: Store, reopen: Reopen) -> None:
        running = await stage.running(await stage.connect("w1", SMOOTH))
        await stage.store.exchange("w1", [external(running), question(running, timeout_us=10**12)], LIMITS)
        await stage.store.answer(answer(running))
        before = await exchanges(stage, running)
        await store.aclose()

        async with reopen() as later:
            assert await exchanges(later, running) == before

    async def test_lists_have_them_unless_they_are_brief(self, stage: Stage) -> None:
        running = await stage.running(await stage.connect("w1", SMOOTH))
        await stage.store.exchange("w1", [external(running)], LIMITS)
        (listed,) = (await stage.store.read(FindJobs(room=LAB))).items
        (brief,) = (await stage.store.read(FindJobs(room=LAB, brief=True))).items

        assert listed.exchanges == await exchanges(stage, running)
        assert brief.exchanges is None
