"""What is encoded to be kept takes as much memory as it has bytes."""

from __future__ import annotations

import tracemalloc
from typing import Any

import pytest

from workroom.services.json_codec import encoded


@pytest.mark.parametrize("value", [{"n": 1}, [{}] * 30_000, {"text": "x" * 50_000}])
def test_a_buffer_is_not_kept_with_what_was_written_into_it(value: Any) -> None:
    tracemalloc.start()
    try:
        before, _ = tracemalloc.get_traced_memory()
        kept = encoded(value, "the value")
        after, _ = tracemalloc.get_traced_memory()
    finally:
        tracemalloc.stop()

    assert after - before < len(kept) + 1000
