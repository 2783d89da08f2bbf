"""Memory for bodies: lent, used again, and left alone where somebody may still read it."""

from __future__ import annotations

from contextlib import ExitStack, suppress

import numpy as np
import pytest

from workroom.services.limits.buffers import BodyBuffers

MB = 2**20


def address(memory: memoryview) -> int:
    return int(np.frombuffer(memory, np.uint8).ctypes.data)


@pytest.mark.parametrize("size", [0, 1, 65_536, 65_537, 4_209_680, 20 * MB])
def test_memory_has_the_size_that_was_asked_for(size: int) -> None:
    with BodyBuffers().lend(size) as memory:
        memory[:] = b"x" * size
        assert memory == b"x" * size


def test_memory_is_used_again_for_bodies_of_similar_sizes() -> None:
    buffers = BodyBuffers()
    with buffers.lend(4_209_680) as memory:
        first = address(memory)

    with buffers.lend(4_201_736) as memory, buffers.lend(4_201_736) as other:
        assert len(memory) == len(other) == 4_201_736
        assert address(memory) == first != address(other)
        assert address(other) % 4096 == 0


def test_memory_is_not_used_again_after_an_error() -> None:
    buffers, lent = BodyBuffers(), []
    with suppress(ConnectionError), buffers.lend(MB) as memory:
        lent.append(memory)
        memory[:5] = b"first"
        raise ConnectionError

    with buffers.lend(MB) as other:
        other[:5] = b"other"
        assert bytes(lent[0][:5]) == b"first"


def test_few_buffers_are_kept_and_no_large_ones() -> None:
    buffers = BodyBuffers()
    with buffers.lend(16 * MB) as memory:
        memory[:5] = b"large"
    with ExitStack() as stack:
        for _ in range(8):
            stack.enter_context(buffers.lend(MB))
    with buffers.lend(16 * MB) as other:
        assert bytes(other[:5]) == bytes(5)

    assert buffers.kept == 4
