"""Which arrays a sender need not send again."""

from __future__ import annotations

from collections import OrderedDict
from collections.abc import Iterable

_MAX_KNOWN = 4096


class KnownArrays:
    """The digests of arrays that the server keeps, the last ones used."""

    def __init__(self) -> None:
        self._digests: OrderedDict[str, None] = OrderedDict()
        self._last: dict[str, str] = {}  # of single frames, by key

    def __contains__(self, digest: str) -> bool:
        if digest not in self._digests:
            return False
        self._digests.move_to_end(digest)
        return True

    def add(self, digests: Iterable[str]) -> None:
        for digest in digests:
            self._digests[digest] = None
            self._digests.move_to_end(digest)
        while len(self._digests) > _MAX_KNOWN:
            self._digests.popitem(last=False)

    def discard(self, digests: Iterable[str]) -> None:
        for digest in digests:
            self._digests.pop(digest, None)

    def repeats(self, key: str, digest: str) -> bool:
        """Whether the last single frame had the same array under this key."""
        is_repeated = self._last.get(key) == digest
        if len(self._last) < _MAX_KNOWN or key in self._last:
            self._last[key] = digest
        return is_repeated
