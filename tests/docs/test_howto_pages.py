"""The code of docs/howto/testing.md and docs/howto/embed.md runs as it is written."""

from __future__ import annotations

import re
import sys
from pathlib import Path

import httpx
import pytest

from support.embedding import ROOT, OuterApp
from workroom.testing.processes import Process

HOWTO = ROOT / "docs" / "howto"
BLOCK = re.compile(r"^```python\n(.*?)^```", re.MULTILINE | re.DOTALL)


def blocks(page: str) -> str:
    return "\n".join(BLOCK.findall((HOWTO / page).read_text()))


@pytest.mark.timeout(300)
def test_the_tests_of_the_page_about_tests_pass(tmp_path: Path) -> None:
    (tmp_path / "test_page.py").write_text(blocks("testing.md"))
    command = [sys.executable, "-m", "pytest", "-q", "-p", "no:cacheprovider", str(tmp_path / "test_page.py")]

    ran = Process(command, {"WORKROOM_PACKS": "[]"}, tmp_path / "pytest.log")

    assert ran.child.wait(280) == 0, ran.log.read_text()
    assert "3 passed" in ran.log.read_text()


@pytest.fixture
def tools(tmp_path: Path) -> Path:
    (tmp_path / "tools.py").write_text((ROOT / "examples" / "embedded" / "tools.py").read_text())
    (tmp_path / "page.py").write_text(without_second_app(blocks("embed.md")))
    return tmp_path


def without_second_app(code: str) -> str:
    """The page shows two ways to write the lifespan: this is its first application, with both."""
    *shown, last = code.rpartition("app = FastAPI(lifespan=lifespan)")
    assert last.strip() == ""
    return "".join(shown[:-1])


def test_the_application_of_the_page_about_embedding_works(tools: Path) -> None:
    app = OuterApp(tools, "page:app")
    try:
        ada = {"X-Email": "ada@example.org"}
        counted = httpx.post(f"{app.url}/texts", params={"text": "a b a"}, headers=ada, timeout=30).json()
        assert counted["result"] == {"words": 3, "different": 2}
        assert httpx.post(f"{app.url}/texts/later", params={"text": "a"}, headers=ada).status_code == 202
        assert httpx.get(f"{app.jobs_url}/api/users/me", headers=ada).json()["display_name"] == "ada"
        assert httpx.get(f"{app.jobs_url}/api/users/me").status_code == 401
    finally:
        app.close()
