"""The Studio with a provider that is paid: what orders cost, before and after, and the month's budget."""

from __future__ import annotations

import json
from collections.abc import Iterator

import pytest
from playwright.sync_api import Page, expect

from support.billing_service import BillingService, billing_service
from support.browser import come_in
from workroom.testing.processes import ServerProcess


@pytest.fixture(scope="module")
def service() -> Iterator[BillingService]:
    with billing_service() as service:
        yield service


@pytest.fixture(scope="module")
def server(tmp_path_factory: pytest.TempPathFactory, service: BillingService) -> Iterator[ServerProcess]:
    with pytest.MonkeyPatch.context() as patch:
        patch.setenv("PAID_URL", service.url)
        patch.setenv("WORKROOM_PACK_MEDIA_PROVIDERS", "support.extensions.paid_providers")
        patch.setenv("WORKROOM_PACK_MEDIA_BUDGETS", json.dumps({"three": 4.0}))
        patch.setenv("WORKROOM_OUTBOUND_ALLOW", "127.0.0.1")
        data = tmp_path_factory.mktemp("data")
        with ServerProcess(data, packs="media", workers=1, slots=2) as server:
            yield server


def test_the_cost_of_an_order_is_shown_before_and_after(
    page: Page, server: ServerProcess, service: BillingService, room: str
) -> None:
    service.cost = 2.0  # and not the 2.5 that were estimated
    come_in(page, server.url, "ada", room)
    page.goto(f"{server.url}/rooms/{room}/view/media/studio")
    page.get_by_role("combobox", name="Provider").or_(
        page.get_by_role("textbox", name="Provider")
    ).first.click()
    page.get_by_role("option", name="three").click()
    expect(page.get_by_text("About 2.5 credits · 0 of 4 spent in")).to_be_visible()
    expect(page.get_by_role("status").filter(has_text="free")).to_be_visible()

    page.get_by_label("Prompt", exact=True).fill("a fox")
    page.get_by_role("button", name="Generate", exact=True).click()
    page.get_by_role("region", name="Gallery").get_by_role("button", name="a fox").click()
    expect(page.get_by_role("dialog").get_by_role("row", name="Cost 2 credits")).to_be_visible()
    page.keyboard.press("Escape")
    expect(page.get_by_text("About 2.5 credits · 2 of 4 credits spent in")).to_be_visible()
    spent = page.get_by_role("progressbar", name="Spent of the budget of this month")
    expect(spent).to_have_attribute("aria-valuenow", "50")

    page.get_by_role("button", name="Generate", exact=True).click()
    page.get_by_role("button", name="Failed (1)").click()
    expect(
        page.get_by_text("this would cost 2.5 credits, and 2 of the 4 credits that three may cost")
    ).to_be_visible()
    expect(page.get_by_text("About 2.5 credits · 2 of 4 credits spent in")).to_be_visible()
