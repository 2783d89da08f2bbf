"""The store with an archive passes the suite, with every job in the archive as soon as it is over."""

from __future__ import annotations

import pytest

from support.stores.archive import ArchiveConformance, EagerStore
from workroom.testing.conformance import StoreConformance
from workroom.testing.conformance.jobs.cancel import CancelConformance
from workroom.testing.conformance.jobs.finish import FinishConformance
from workroom.testing.conformance.jobs.listing import ListConformance
from workroom.testing.conformance.jobs.log_lines import PrintConformance
from workroom.testing.conformance.jobs.repeat import RepeatConformance
from workroom.testing.conformance.jobs.submit import SubmitConformance
from workroom.testing.conformance.records.event_log import ChatConformance, RememberConformance
from workroom.testing.conformance.records.files import AttachConformance
from workroom.testing.conformance.records.lookup import LookConformance
from workroom.testing.conformance.records.restart import RestartConformance
from workroom.testing.conformance.workers.server_side import PublishConformance


class TestJobsThatAreOver(
    ArchiveConformance,
    SubmitConformance,
    FinishConformance,
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
