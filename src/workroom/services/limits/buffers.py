"""Memory for large bodies, used again and again: to provide new pages takes longer than to fill them."""

from __future__ import annotations

import mmap
from collections.abc import Iterator
from contextlib import contextmanager, suppress

_SMALL = 65_536
_UNIT = 1 << 20  # so that one buffer fits bodies of similar sizes
_KEPT = 4
_MAX_KEPT_BYTES = 8 * _UNIT  # of one buffer


class BodyBuffers:
    """A few buffers are kept for the next bodies."""

    def __init__(self) -> None:
        self._free: list[mmap.mmap] = []

    @property
    def kept(self) -> int:
        """How many buffers nobody uses."""
        return len(self._free)

    @contextmanager
    def lend(self, size: int) -> Iterator[memoryview]:
        """Memory that is aligned if it is large; what it contains is arbitrary.

        It is not used again after an error or a cancellation: a thread may still read it.
        """
        if size <= _SMALL:
            yield memoryview(bytearray(size))
            return
        mapped = self._take(size)
        yield memoryview(mapped)[:size]
        if len(mapped) <= _MAX_KEPT_BYTES and len(self._free) < _KEPT:
            self._free.append(mapped)

    def _take(self, size: int) -> mmap.mmap:
        for number, mapped in enumerate(self._free):
            if len(mapped) >= size:
                return self._free.pop(number)
        return _mapped(-(-size // _UNIT) * _UNIT)


def _mapped(size: int) -> mmap.mmap:
    """The kernel provides the pages where bytes arrive."""
    mapped = mmap.mmap(-1, size, mmap.MAP_PRIVATE | mmap.MAP_ANONYMOUS)
    with suppress(AttributeError, OSError):  # not on every system
        mapped.madvise(mmap.MADV_HUGEPAGE)
    return mapped
