"""What state machines of a store share: a clock, the store, and calls of its verbs."""

from __future__ import annotations

import asyncio
from collections.abc import Callable, Coroutine
from typing import Any, TypeVar

from hypothesis.stateful import RuleBasedStateMachine

from workroom.errors import WorkroomError
from workroom.ports import Store
from workroom.testing.conformance import FakeClock

T = TypeVar("T")


class StoreDriver(RuleBasedStateMachine):
    """Subclasses open the store."""

    def __init__(self) -> None:
        super().__init__()
        self._runner = asyncio.Runner()
        self.clock = FakeClock()
        self.store: Store = self._run(self.open_store())

    async def open_store(self) -> Store:
        raise NotImplementedError

    def teardown(self) -> None:
        self._run(self.store.aclose())
        self._runner.close()

    def _run(self, work: Coroutine[Any, Any, T]) -> T:
        return self._runner.run(work)

    def _call(self, verb: Callable[[], Any]) -> tuple[Any, str | None]:
        """The result of a verb, and the code of its refusal."""

        async def call() -> Any:
            return await verb()

        try:
            return self._run(call()), None
        except WorkroomError as error:
            return None, error.code
