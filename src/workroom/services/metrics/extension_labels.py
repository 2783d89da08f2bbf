"""Which extensions have metrics of their own. Anyone may register extensions, so their number is bounded."""

from __future__ import annotations

from collections.abc import Sequence
from typing import NamedTuple

from workroom.domain.extension import ExtensionKey
from workroom.domain.queries import Queue

MAX_LABELS = 100


class Label(NamedTuple):
    """Extensions of one name in several rooms have one label."""

    scope: str
    name: str


OTHER = Label("", "other")  # no extension is named so: theirs have a category


def label_of(key: ExtensionKey) -> Label:
    return Label("public" if key.room is None else "room", f"{key.category}/{key.name}")


class ExtensionLabels:
    """A label stays with its extension until that has left, so that no series changes its meaning.

    Public extensions come first, then those that were registered first.
    """

    def __init__(self, most: int = MAX_LABELS) -> None:
        self._most = most
        self._named: set[Label] = set()
        self._by_id: dict[int, Label] = {}

    def assign(self, queues: Sequence[Queue]) -> None:
        """These are all extensions that there are now."""
        found = {each.extension_id: label_of(each.key) for each in queues}
        self._named &= set(found.values())
        for _, label in sorted(found.items(), key=lambda item: (item[1].scope != "public", item[0])):
            if len(self._named) < self._most:
                self._named.add(label)
        self._by_id = {id: label if label in self._named else OTHER for id, label in found.items()}

    def get(self, extension_id: int | None) -> Label:
        return OTHER if extension_id is None else self._by_id.get(extension_id, OTHER)
