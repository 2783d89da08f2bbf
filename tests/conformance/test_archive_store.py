"""The store with an archive passes the suite, with every job in the archive as soon as it is over."""

from __future__ import annotations

import pytest

from conformance.archive_stage import ArchiveConformance, EagerStore
from workroom.testing.conformance import StoreConformance
from workroom.testing.conformance.attaching import AttachConformance
from workroom.testing.conformance.cancelling import CancelConformance
from workroom.testing.conformance.listing import ListConformance
from workroom.testing.conformance.looking import LookConformance
from workroom.testing.conformance.printing import PrintConformance
from workroom.testing.conformance.publishing import PublishConformance
from workroom.testing.conformance.remembering import ChatConformance, RememberConformance
from workroom.testing.conformance.repeating import RepeatConformance
from workroom.testing.conformance.restarting import RestartConformance
from workroom.testing.conformance.settling import SettleConformance
from workroom.testing.conformance.submitting import SubmitConformance


class TestJobsThatAreOver(
    ArchiveConformance,
    SubmitConformance,
    SettleConformance,
    CancelConformance,
    PublishConformance,
    ListConformance,
    LookConformance,
    RepeatConformance,
    ChatConformance,
    PrintConformance,
    RememberConformance,
    AttachConformance,
    RestartConformance,
):
    """What every store must do with jobs that are over."""

    kind = EagerStore


@pytest.mark.full
class TestArchivingStore(ArchiveConformance, StoreConformance):
    """The suite that every store passes."""

    kind = EagerStore
