"""The store on Valkey, driven at random and compared with a model."""

from __future__ import annotations

import pytest
from hypothesis import settings
from hypothesis.stateful import run_state_machine_as_test

from support.stores.redis_machine import RedisMachine
from workroom.testing.machine import BOUNDED, LONG


@pytest.mark.timeout(600)
def test_the_store_does_what_the_model_does() -> None:
    run_state_machine_as_test(RedisMachine, settings=BOUNDED)


@pytest.mark.full
@pytest.mark.timeout(3600)
def test_the_store_does_what_the_model_does_for_long() -> None:
    run_state_machine_as_test(RedisMachine, settings=settings(LONG, max_examples=300))
