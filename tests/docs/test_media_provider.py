"""The provider in the how-to works as it is written there."""

from __future__ import annotations

import re
import runpy
from pathlib import Path

import pytest

from support.fake_service import Answer, Call, fake_service
from workroom.packs.media.providers import (
    Accepted,
    Action,
    GenerationFailed,
    MediaProviderRegistry,
    Order,
    OutcomeUnknown,
)

PAGE = Path(__file__).parents[2] / "docs" / "howto" / "media.md"
MAX_LINES = 40
ORDER = Order(Action.TXT2IMG, "a fox", {"steps": 3}, reference="job-1")


def test_the_provider_in_40_lines_orders_looks_and_finds(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    found = re.search(r"```python\n(# my_provider\.py.*?)```", PAGE.read_text(), re.DOTALL)
    assert found is not None
    assert len(found[1].splitlines()) <= MAX_LINES
    module = tmp_path / "my_provider.py"
    module.write_text(found[1])
    states = iter([{"state": "running", "progress": 0.5}, {"state": "done", "urls": ["https://a.example/1"]}])
    orders: list[str] = []

    def handle(call: Call) -> Answer:
        if call.method == "POST" and orders:
            return Answer(closes=True)
        if call.method == "POST":
            orders.append(call.json["ref"])
            return Answer({"id": "t1"})
        if call.path == "/orders":
            return Answer({"items": [{"id": "t1"}] if call.query["ref"] in orders else []})
        return Answer(next(states, {"state": "failed", "reason": "no paint"}))

    with fake_service(handle) as service:
        monkeypatch.setenv("MY_KEY", "s3cret-key")
        monkeypatch.setenv("MY_URL", service.url)
        runpy.run_path(str(module))
        try:
            provider = MediaProviderRegistry.get("mine")
            provider.poll_s = 0.01
            result = provider.generate(ORDER)
            assert (result.urls, result.provider_task_id) == (["https://a.example/1"], "t1")
            assert service.calls[0].json == {"steps": 3, "prompt": "a fox", "ref": "job-1"}
            assert service.calls[0].headers["Authorization"] == "Bearer s3cret-key"
            with pytest.raises(OutcomeUnknown):
                provider.submit(ORDER)
            assert provider.find(ORDER, 0, lambda task: False) == Accepted("t1")
            with pytest.raises(GenerationFailed, match="no paint"):
                provider.wait("t1")
            assert MediaProviderRegistry.get_concurrency("mine") == 2
            assert MediaProviderRegistry.get_rate("mine") == "30/min"
        finally:
            MediaProviderRegistry.unregister("mine")
    assert orders == ["job-1"]
