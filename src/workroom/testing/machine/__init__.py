"""Drives a store through random lives of jobs and workers, and compares it with a model after each step.

To test a store of your own:

class MyMachine(StoreMachine):
    async def open_store(self) -> Store:
        return MyStore(LIVENESS, clock=self.clock)  # must find its data when it is opened again

TestMyStore = MyMachine.TestCase
"""

from workroom.testing.machine.profiles import BOUNDED, LONG
from workroom.testing.machine.rules import StoreMachine
from workroom.testing.machine.scene import LIVENESS

__all__ = ["BOUNDED", "LIVENESS", "LONG", "StoreMachine"]
