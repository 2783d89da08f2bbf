"""Versions: listed, compared, undone, redone, restored."""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from dataclasses import dataclass

from workroom.domain.identity import Principal
from workroom.domain.queries import FindContents, FindDocument, FindVersions, Page
from workroom.domain.room_data.documents import FRAMES, DataLimits, document_key
from workroom.domain.room_data.locks import Writer, digest_of
from workroom.domain.room_data.versions import Revert, Version, VersionKind
from workroom.domain.rules.refusals import document_not_found, version_not_found
from workroom.ports import ReadableStore
from workroom.services.room_data.data_steps import DataSteps

_ALL = 10_000


@dataclass(frozen=True, slots=True)
class Difference:
    """A document in two versions; None is no document."""

    key: str
    before: bytes | None
    after: bytes | None


@dataclass(frozen=True, slots=True)
class KeptContent:
    """A content and its name: the change that made it, or for the current one the document's version."""

    name: int
    content: bytes


class Versions:
    def __init__(self, store: ReadableStore, steps: DataSteps, limits: DataLimits) -> None:
        self._store = store
        self._steps = steps
        self._limits = limits

    async def page(self, room: str, before: int | None, limit: int) -> Page[Version]:
        return await self._store.read(FindVersions(room, before, limit))

    async def revert(
        self,
        who: Principal,
        room: str,
        kind: VersionKind,
        *,
        to: int | None = None,
        target: str | None = None,
        lock_tokens: Sequence[str] = (),
        request: str = "",
    ) -> Version:
        writer, digests = Writer(who.user, None, who.job), [digest_of(who.user, each) for each in lock_tokens]
        wanted = Revert(room, kind, writer, request, to, self._limits, tuple(digests), target)
        return await self._steps.revert(wanted)

    async def content(self, room: str, key: str, number: int) -> bytes:
        """A document as it was in a version."""
        found = await self.find(room, document_key(key), number)
        if found is None:
            raise document_not_found(key)
        return found.content

    async def find(self, room: str, key: str, number: int) -> KeptContent | None:
        """A document, or the index of the frames, after a version and all that amended it."""
        document = await self._store.read(FindDocument(room, key))  # first: a later change has its content
        contents = _contents_at(await self._since(room, number), number)
        if key not in contents:
            return None if document is None else KeptContent(document.info.version, document.content)
        return await self._kept(room, key, contents[key], number)

    async def find_reverted(self, room: str, key: str, number: int) -> KeptContent | None:
        """What an undo, a redo or a restore made of a document. Nothing amends these."""
        version = (await self._since(room, number))[-1]
        made = {change.key: change.after for change in version.changes}
        if version.kind is VersionKind.CHANGE or key not in made:
            raise version_not_found(number)
        return await self._kept(room, key, made[key], number)

    async def _kept(self, room: str, key: str, name: int | None, number: int) -> KeptContent | None:
        if name is None:
            return None
        content = await self._content(room, key, name)
        if content is None:  # the version was dropped meanwhile
            raise version_not_found(number)
        return KeptContent(name, content)

    async def compare(self, room: str, first: int, second: int) -> list[Difference]:
        """What changed from one version to another, by key."""
        low, high = sorted((first, second))
        versions = await self._since(room, low)
        if high not in {each.number for each in versions}:
            raise version_not_found(high)
        before, after = _contents_at(versions, low), _contents_after(versions, high)
        keys = sorted(key for key in before if before[key] != after.get(key) and key != FRAMES)
        found = [(key, before[key], after.get(key)) for key in keys]
        if first > second:
            found = [(key, new, old) for key, old, new in found]
        return [
            Difference(key, await self._content(room, key, old), await self._content(room, key, new))
            for key, old, new in found
        ]

    async def _since(self, room: str, number: int) -> list[Version]:
        """This version and all that came after it, newest first."""
        versions = (await self._store.read(FindVersions(room, limit=_ALL))).items
        kept = [each for each in versions if each.number >= number]
        if not kept or kept[-1].number != number:
            raise version_not_found(number)
        return kept

    async def _content(self, room: str, key: str, number: int | None) -> bytes | None:
        if number is None:
            return None
        (content,) = await self._store.read(FindContents(room, ((key, number),)))
        return content


def _contents_at(versions: list[Version], number: int) -> Mapping[str, int | None]:
    """The contents, at a version, of the documents that changed after it."""
    later = [each for each in versions if each.number > number]  # newest first: the oldest change counts
    return {change.key: change.before for each in later for change in each.changes}


def _contents_after(versions: list[Version], number: int) -> Mapping[str, int | None]:
    """The contents, at a version, of the documents that changed in it, before it or after it."""
    earlier = [each for each in reversed(versions) if each.number <= number]
    last = {change.key: change.after for each in earlier for change in each.changes}
    return {**last, **_contents_at(versions, number)}
