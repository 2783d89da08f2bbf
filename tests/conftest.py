"""Shared by all tests."""

from __future__ import annotations

import os
import tempfile
from pathlib import Path

os.environ["PYTHONPATH"] = os.pathsep.join(
    filter(None, [str(Path(__file__).parent), os.environ.get("PYTHONPATH", "")])
)
os.environ["WORKROOM_STATE_DIR"] = tempfile.mkdtemp(prefix="workroom-state-")
