"""The machine, and how busy other processes keep it."""

from __future__ import annotations

import os
import platform
from pathlib import Path

import psutil

LOOK_SECONDS = 1.0


def describe() -> str:
    memory = psutil.virtual_memory().total / 2**30
    return (
        f"{os.cpu_count()} cores ({_processor()}), {memory:.0f} GiB, "
        f"Linux {platform.release().partition('-')[0]}, Python {platform.python_version()}"
    )


def busy() -> float:
    """The cores that other processes use while no benchmark runs."""
    return psutil.cpu_percent(LOOK_SECONDS) / 100 * (os.cpu_count() or 1)


def _processor() -> str:
    for line in Path("/proc/cpuinfo").read_text().splitlines():
        if line.startswith("model name"):
            return line.partition(":")[2].strip()
    return platform.machine()
