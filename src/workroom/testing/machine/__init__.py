"""Drives a store through random lives of jobs and workers, and compares it with a model after each step.

A store of your own is driven like this:

class MyMachine(StoreMachine):
    async def open_store(self) -> Store:
        return MyStore(LIVENESS, clock=self.clock)  # opened again, it knows what it knew

TestMyStore = MyMachine.TestCase
"""

from workroom.testing.machine.profiles import BOUNDED, LONG
from workroom.testing.machine.rules import StoreMachine

__all__ = ["BOUNDED", "LONG", "StoreMachine"]
