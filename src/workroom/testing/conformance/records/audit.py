"""What administrators and owners did."""

from __future__ import annotations

from workroom.domain.audit import AuditAction
from workroom.domain.queries import FindAudit
from workroom.ports import Store
from workroom.testing.conformance.clock import FakeClock
from workroom.testing.conformance.stage import Conformance


class AuditConformance(Conformance):
    async def test_an_empty_log_has_one_empty_page(self, store: Store) -> None:
        page = await store.read(FindAudit())
        assert (page.items, page.next_cursor) == ([], None)

    async def test_entries_are_listed_newest_first_in_pages(self, store: Store, clock: FakeClock) -> None:
        written = []
        for number in range(5):
            clock.advance(1)
            written.append(
                await store.write_audit("root", AuditAction.USER_CHANGED, f"ada-{number}", "rôle: user 🙂")
            )
        assert [each.at_us for each in written] == sorted({each.at_us for each in written})

        found, cursor = [], None
        for _ in range(3):
            page = await store.read(FindAudit(cursor, 2))
            found += page.items
            cursor = page.next_cursor
        assert cursor is None
        assert found == written[::-1]
        assert (await store.read(FindAudit(None, 5))).next_cursor is None
        assert (await store.read(FindAudit(written[0].sequence, 5))).items == []
