"""What every store must do, as tests. A store of your own passes them like this:

class TestMyStore(StoreConformance):
    @pytest.fixture
    async def store(self, clock: FakeClock) -> AsyncIterator[Store]:
        store = MyStore(LIVENESS, clock=clock)  # empty, and by this clock
        yield store
        await store.aclose()

    @pytest.fixture
    def reopen(self, clock: FakeClock) -> Reopen:
        return ...  # opens the store again, by this clock, and gives a stage with it; see `Reopen`
"""

import pytest

pytest.register_assert_rewrite(__name__)  # before the suites are imported, so that a failure shows its values

from workroom.testing.conformance.aging import AgeConformance  # noqa: E402
from workroom.testing.conformance.attaching import AttachConformance  # noqa: E402
from workroom.testing.conformance.breaking import BreakerConformance  # noqa: E402
from workroom.testing.conformance.cancelling import CancelConformance  # noqa: E402
from workroom.testing.conformance.claiming import ClaimConformance  # noqa: E402
from workroom.testing.conformance.clock import FakeClock  # noqa: E402
from workroom.testing.conformance.directory import DirectoryConformance  # noqa: E402
from workroom.testing.conformance.leaving import LeaveConformance  # noqa: E402
from workroom.testing.conformance.limiting import LimitConformance  # noqa: E402
from workroom.testing.conformance.listing import ListConformance  # noqa: E402
from workroom.testing.conformance.looking import LookConformance  # noqa: E402
from workroom.testing.conformance.opening import OpenConformance  # noqa: E402
from workroom.testing.conformance.pausing import DrainConformance, PauseConformance  # noqa: E402
from workroom.testing.conformance.printing import PrintConformance  # noqa: E402
from workroom.testing.conformance.publishing import PublishConformance  # noqa: E402
from workroom.testing.conformance.registering import RegisterConformance  # noqa: E402
from workroom.testing.conformance.remembering import ChatConformance, RememberConformance  # noqa: E402
from workroom.testing.conformance.renewing import RenewConformance  # noqa: E402
from workroom.testing.conformance.repeating import RepeatConformance  # noqa: E402
from workroom.testing.conformance.restarting import RestartConformance  # noqa: E402
from workroom.testing.conformance.retrying import RetryConformance  # noqa: E402
from workroom.testing.conformance.settling import SettleConformance  # noqa: E402
from workroom.testing.conformance.sharing import ShareConformance  # noqa: E402
from workroom.testing.conformance.stage import LIVENESS, Stage, extension  # noqa: E402
from workroom.testing.conformance.starting import StartConformance  # noqa: E402
from workroom.testing.conformance.submitting import SubmitConformance  # noqa: E402
from workroom.testing.conformance.sweeping import SweepConformance  # noqa: E402
from workroom.testing.conformance.timing_out import TimeoutConformance  # noqa: E402
from workroom.testing.conformance.turmoil import TurmoilConformance  # noqa: E402
from workroom.testing.conformance.waiting import WaitConformance  # noqa: E402

__all__ = ["LIVENESS", "FakeClock", "Stage", "StoreConformance", "extension"]


class StoreConformance(
    SubmitConformance,
    ShareConformance,
    ClaimConformance,
    StartConformance,
    SettleConformance,
    CancelConformance,
    PublishConformance,
    RegisterConformance,
    OpenConformance,
    RenewConformance,
    LeaveConformance,
    SweepConformance,
    ListConformance,
    LookConformance,
    RetryConformance,
    TimeoutConformance,
    LimitConformance,
    TurmoilConformance,
    AgeConformance,
    BreakerConformance,
    PauseConformance,
    DrainConformance,
    RepeatConformance,
    WaitConformance,
    DirectoryConformance,
    ChatConformance,
    PrintConformance,
    RememberConformance,
    AttachConformance,
    RestartConformance,
):
    """The whole suite. A subclass brings the fixtures `store` and `reopen`."""
