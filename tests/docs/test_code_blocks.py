"""Every code block of the README, the start and the how-to pages runs, from top to bottom of its page."""

from __future__ import annotations

import ast
import re
from collections.abc import Callable
from dataclasses import dataclass, field
from pathlib import Path
from typing import Any

import httpx
import pytest

from support.code_blocks import ROOT, Block, Reader, blocks_of
from support.command_line import workroom
from workroom import Extension, Room
from workroom.testing.fixtures import StartServer
from workroom.testing.processes import ADMIN_PASSWORD, ServerProcess

PAGES = [
    "README.md",
    "docs/start.md",
    "docs/tutorial.md",
    "docs/quickstart.md",
    "docs/celery.md",
    *sorted(str(path.relative_to(ROOT)) for path in (ROOT / "docs" / "howto").glob("*.md")),
]
NAMED = re.compile(r"docs/(?:howto/)?[\w-]+\.md")


def pages_with_a_test() -> set[str]:
    """Pages that have a test of their own, whose docstring names them."""
    tests = (path for path in Path(__file__).parent.glob("test_*.py") if path != Path(__file__))
    docstrings = (ast.get_docstring(ast.parse(path.read_text())) or "" for path in tests)
    return {page for docstring in docstrings for page in NAMED.findall(docstring)}


USER = "ada"
ADDRESSES = ["http://127.0.0.1:8000", "http://localhost:8000", "https://workroom.example.org"]
TOOL = "from workroom import Extension\n\n\nclass {name}(Extension):\n    def run(self): ...\n"


@dataclass
class Scene:
    """What a page presumes that its reader has."""

    server: ServerProcess
    reader: Reader

    def file(self, name: str, content: str) -> None:
        (self.reader.folder / name).write_text(content)

    def tool(self, name: str) -> None:
        """A file with a tool."""
        self.file(f"{name}.py", TOOL.format(name=name.capitalize()))

    def open_room(self, *extensions: type[Extension]) -> None:
        room = Room("demo", self.server.url, user=USER)
        vars(self.reader.namespace)["room"] = room
        if extensions:
            room.register(*extensions)

    def as_admin(self, path: str, body: Any) -> Any:
        credentials = {"name": "admin", "password": ADMIN_PASSWORD}
        token = httpx.post(f"{self.server.url}/api/login", json=credentials).json()["token"]
        headers = {"Authorization": f"Bearer {token}"}
        response = httpx.post(self.server.url + path, headers=headers, json=body)
        assert response.is_success, response.text
        return response.json()


@dataclass(frozen=True)
class Scenario:
    prepare: Callable[[Scene], None] = lambda scene: None
    extensions: tuple[str, ...] = ()
    settings: dict[str, Any] = field(default_factory=dict)
    worker_of: str | None = None
    """Start a worker of this file as soon as it is written."""
    main: str | None = None
    """The name under which the page asks to save its first block."""


class Relax(Extension, category="modifiers"):
    fmax: float = 0.05

    def run(self) -> float:
        return self.fmax


def at_home(scene: Scene) -> None:
    """With an account, and with what `token create` and the page of the room show."""
    scene.tool("tools")
    data_dir = str(scene.server.data_dir)
    added = workroom("user", "add", USER, "--password-stdin", "--data-dir", data_dir, stdin=ADMIN_PASSWORD)
    assert added.code == 0, added.error
    scene.reader.environment |= {"WORKROOM_PASSWORD": ADMIN_PASSWORD, "WORKROOM_DATA_DIR": data_dir}
    scene.reader.replaced |= {
        "KX4P-9TQM": lambda reader: str(scene.as_admin("/api/rooms/demo/pair", {})["code"]),
        "eyJhbGciOi…": lambda reader: reader.printed.split()[-1],
    }


def with_a_room(scene: Scene) -> None:
    scene.open_room()


def with_an_app(scene: Scene) -> None:
    scene.tool("app")


def with_quick_and_slow_tools(scene: Scene) -> None:
    scene.tool("quick")
    scene.tool("slow")


def with_a_structure(scene: Scene) -> None:
    import ase.build

    vars(scene.reader.namespace)["atoms"] = ase.build.molecule("H2O")


def with_a_token(scene: Scene) -> None:
    scene.reader.environment["TOKEN"] = scene.as_admin("/api/token/renew", None)["token"]


def with_an_own_provider(scene: Scene) -> None:
    with_a_token(scene)
    scene.reader.environment |= {"MY_KEY": "k", "MY_URL": scene.server.url}


def in_a_notebook(scene: Scene) -> None:
    scene.open_room(Relax)
    vars(scene.reader.namespace)["worker"] = vars(scene.reader.namespace).pop("room")


def with_data(scene: Scene) -> None:
    scene.reader.replaced["workroom-data"] = str(scene.server.data_dir)


SCENARIOS = {
    "README.md": Scenario(extensions=("workroom.packs.demo",), settings={"workers": 1}, main="smooth.py"),
    "docs/start.md": Scenario(),
    "docs/tutorial.md": Scenario(),
    "docs/quickstart.md": Scenario(
        lambda scene: scene.file("water.xyz", "3\nwater\nO 0 0 0\nH 0 0 1\nH 0 1 0\n"), worker_of="smooth.py"
    ),
    "docs/howto/dev.md": Scenario(with_an_app),
    "docs/howto/from-zndraw.md": Scenario(with_a_structure),
    "docs/howto/limits-and-rates.md": Scenario(with_a_room),
    "docs/howto/media.md": Scenario(with_an_own_provider, settings={"packs": '["media"]', "workers": 1}),
    "docs/howto/notebook.md": Scenario(in_a_notebook),
    "docs/howto/packs.md": Scenario(with_a_room),
    "docs/howto/questions.md": Scenario(with_a_room),
    "docs/howto/scale.md": Scenario(with_quick_and_slow_tools),
    "docs/howto/secure.md": Scenario(with_data),
    "docs/howto/workers-behind-nat.md": Scenario(at_home),
}
"""Other pages need only a server."""


@pytest.mark.parametrize("page", sorted(set(PAGES) - pages_with_a_test()))
def test_the_blocks_of_a_page_run(page: str, tmp_path: Path, start_server: StartServer) -> None:
    scenario = SCENARIOS.get(page, Scenario())
    server = start_server(*scenario.extensions, data_dir=tmp_path / "data", **scenario.settings)
    folder = tmp_path / "folder"
    folder.mkdir()
    environment = {
        "WORKROOM_URL": server.url,
        "WORKROOM_USER": USER,
        "WORKROOM_STATE_DIR": str(tmp_path / "state"),
    }
    module = f"page_{Path(page).stem.replace('-', '_')}"
    reader = Reader(folder, environment, dict.fromkeys(ADDRESSES, server.url), module)
    scenario.prepare(Scene(server, reader))
    blocks = blocks_of(ROOT / page)
    if scenario.main is not None:
        blocks[0] = Block("python", f"# {scenario.main}\n{blocks[0].code}")

    with reader:
        for block in blocks:
            reader.follow(block)
            if scenario.worker_of is not None and block.code.startswith(f"# {scenario.worker_of}"):
                reader.follow(Block("sh", f"workroom worker {scenario.worker_of} --room demo --create"))
