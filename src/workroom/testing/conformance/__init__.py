"""What every store must do, as tests. A store of your own passes them like this:

class TestMyStore(StoreConformance):
    @pytest.fixture
    async def store(self, clock: FakeClock, liveness: Liveness) -> AsyncIterator[Store]:
        store = MyStore(liveness, clock=clock)  # empty, and by this clock
        yield store
        await store.aclose()

    @pytest.fixture
    def reopen(self, clock: FakeClock) -> Reopen:
        return ...  # opens the store again, by this clock, and gives a stage with it; see `Reopen`
"""

import pytest

pytest.register_assert_rewrite(__name__)  # before the suites are imported, so that a failure shows its values

from workroom.testing.conformance.clock import FakeClock  # noqa: E402
from workroom.testing.conformance.groups.arrows import ArrowConformance  # noqa: E402
from workroom.testing.conformance.groups.filling import FillConformance  # noqa: E402
from workroom.testing.conformance.groups.groups import JobGroupConformance  # noqa: E402
from workroom.testing.conformance.groups.restarts import GroupRestartConformance  # noqa: E402
from workroom.testing.conformance.jobs.cancel import CancelConformance  # noqa: E402
from workroom.testing.conformance.jobs.children import ChildrenConformance  # noqa: E402
from workroom.testing.conformance.jobs.claim import ClaimConformance  # noqa: E402
from workroom.testing.conformance.jobs.exchanges import ExchangeConformance  # noqa: E402
from workroom.testing.conformance.jobs.finish import FinishConformance  # noqa: E402
from workroom.testing.conformance.jobs.listing import ListConformance  # noqa: E402
from workroom.testing.conformance.jobs.log_lines import PrintConformance  # noqa: E402
from workroom.testing.conformance.jobs.postponing import PostponeConformance  # noqa: E402
from workroom.testing.conformance.jobs.questions import (  # noqa: E402
    QuestionConformance,
    SuspendConformance,
)
from workroom.testing.conformance.jobs.release import ReleaseConformance  # noqa: E402
from workroom.testing.conformance.jobs.repeat import RepeatConformance  # noqa: E402
from workroom.testing.conformance.jobs.retry import RetryConformance  # noqa: E402
from workroom.testing.conformance.jobs.start import StartConformance  # noqa: E402
from workroom.testing.conformance.jobs.submit import SubmitConformance  # noqa: E402
from workroom.testing.conformance.jobs.timeout import TimeoutConformance  # noqa: E402
from workroom.testing.conformance.jobs.waiting import WaitConformance  # noqa: E402
from workroom.testing.conformance.records.annotations import AnnotateConformance  # noqa: E402
from workroom.testing.conformance.records.audit import AuditConformance  # noqa: E402
from workroom.testing.conformance.records.directory import DirectoryConformance  # noqa: E402
from workroom.testing.conformance.records.event_log import ChatConformance, RememberConformance  # noqa: E402
from workroom.testing.conformance.records.files import AttachConformance  # noqa: E402
from workroom.testing.conformance.records.lookup import LookConformance  # noqa: E402
from workroom.testing.conformance.records.presets import PresetConformance  # noqa: E402
from workroom.testing.conformance.records.restart import RestartConformance  # noqa: E402
from workroom.testing.conformance.records.usage import CountConformance  # noqa: E402
from workroom.testing.conformance.room_data.documents import DocumentConformance  # noqa: E402
from workroom.testing.conformance.room_data.frames import FrameConformance  # noqa: E402
from workroom.testing.conformance.room_data.groups import GroupConformance  # noqa: E402
from workroom.testing.conformance.room_data.job_edits import JobEditConformance  # noqa: E402
from workroom.testing.conformance.room_data.locks import LockConformance  # noqa: E402
from workroom.testing.conformance.room_data.records import RecordConformance  # noqa: E402
from workroom.testing.conformance.room_data.versions import VersionConformance  # noqa: E402
from workroom.testing.conformance.scheduling.aging import AgeConformance  # noqa: E402
from workroom.testing.conformance.scheduling.arranging import ArrangeConformance  # noqa: E402
from workroom.testing.conformance.scheduling.breaker import BreakerConformance  # noqa: E402
from workroom.testing.conformance.scheduling.breaker_trials import TrialConformance  # noqa: E402
from workroom.testing.conformance.scheduling.fair_share import ShareConformance  # noqa: E402
from workroom.testing.conformance.scheduling.limits import LimitConformance  # noqa: E402
from workroom.testing.conformance.scheduling.pause import DrainConformance, PauseConformance  # noqa: E402
from workroom.testing.conformance.scheduling.rates import RateConformance  # noqa: E402
from workroom.testing.conformance.scheduling.turmoil import TurmoilConformance  # noqa: E402
from workroom.testing.conformance.scheduling.unique import UniqueConformance  # noqa: E402
from workroom.testing.conformance.stage import LIVENESS, Stage, extension  # noqa: E402
from workroom.testing.conformance.workers.consent import ConsentConformance  # noqa: E402
from workroom.testing.conformance.workers.dismissal import DismissConformance  # noqa: E402
from workroom.testing.conformance.workers.leave import LeaveConformance  # noqa: E402
from workroom.testing.conformance.workers.linger import LingerConformance  # noqa: E402
from workroom.testing.conformance.workers.listing import FleetConformance  # noqa: E402
from workroom.testing.conformance.workers.open_session import OpenConformance  # noqa: E402
from workroom.testing.conformance.workers.own_lease import (  # noqa: E402
    OutageConformance,
    OwnLeaseConformance,
)
from workroom.testing.conformance.workers.register import RegisterConformance  # noqa: E402
from workroom.testing.conformance.workers.renew import RenewConformance  # noqa: E402
from workroom.testing.conformance.workers.server_side import PublishConformance  # noqa: E402
from workroom.testing.conformance.workers.sweep import SweepConformance  # noqa: E402

__all__ = ["LIVENESS", "FakeClock", "Stage", "StoreConformance", "extension"]


class StoreConformance(
    SubmitConformance,
    ShareConformance,
    ChildrenConformance,
    ClaimConformance,
    StartConformance,
    FinishConformance,
    ReleaseConformance,
    CancelConformance,
    PublishConformance,
    RegisterConformance,
    ConsentConformance,
    DismissConformance,
    OpenConformance,
    RenewConformance,
    LeaveConformance,
    LingerConformance,
    OwnLeaseConformance,
    OutageConformance,
    SweepConformance,
    ListConformance,
    LookConformance,
    FleetConformance,
    RetryConformance,
    TimeoutConformance,
    LimitConformance,
    RateConformance,
    UniqueConformance,
    TurmoilConformance,
    AgeConformance,
    ArrangeConformance,
    BreakerConformance,
    TrialConformance,
    PauseConformance,
    DrainConformance,
    RepeatConformance,
    WaitConformance,
    PostponeConformance,
    JobGroupConformance,
    ArrowConformance,
    FillConformance,
    GroupRestartConformance,
    DirectoryConformance,
    ChatConformance,
    PrintConformance,
    RememberConformance,
    AttachConformance,
    PresetConformance,
    AnnotateConformance,
    AuditConformance,
    ExchangeConformance,
    QuestionConformance,
    SuspendConformance,
    CountConformance,
    LockConformance,
    DocumentConformance,
    VersionConformance,
    RecordConformance,
    FrameConformance,
    GroupConformance,
    JobEditConformance,
    RestartConformance,
):
    """The whole suite. A subclass brings the fixtures `store` and `reopen`."""
