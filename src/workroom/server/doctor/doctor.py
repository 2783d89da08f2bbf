"""All checks, in the order in which a server needs what they check."""

from __future__ import annotations

from workroom.server.doctor.finding import Finding
from workroom.server.doctor.machine_checks import (
    check_directory,
    check_disks,
    check_key,
    check_open_files,
    check_ports,
    check_versions,
)
from workroom.server.doctor.store_checks import check_store
from workroom.settings import Settings


async def examine(settings: Settings) -> list[Finding]:
    """Changes nothing."""
    return [
        *check_versions(),
        *check_directory(settings),
        *check_key(settings),
        *check_disks(settings),
        *check_open_files(settings),
        *check_ports(settings),
        *await check_store(settings),
    ]
