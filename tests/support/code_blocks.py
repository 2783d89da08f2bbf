"""Code blocks of the documentation, run as a reader would: in order, in one folder, against a real server."""

from __future__ import annotations

import configparser
import importlib
import os
import re
import shlex
import sys
import tomllib
from collections.abc import Callable, Iterator
from contextlib import ExitStack
from dataclasses import dataclass, field
from pathlib import Path
from types import ModuleType, TracebackType
from typing import Any, Self

import orjson
from ruamel.yaml import YAML

from support.command_line import ran
from workroom.testing.forkserver import WORKROOM
from workroom.testing.processes import Process, eventually

ROOT = Path(__file__).parents[2]
_FENCE = re.compile(r"^```(\w*)[^\n]*\n(.*?)^```", re.MULTILINE | re.DOTALL)
_FILE = re.compile(r"# (\w+\.py)")
_SERVES = {"worker", "join", "serve", "demo", "dev", "celery"}
_READY = re.compile(r"Serving|http://|\[queues\]")
_SILENT = {"source", "cd"}


@dataclass(frozen=True)
class Block:
    language: str
    code: str


def blocks_of(page: Path) -> list[Block]:
    return [Block(language, code) for language, code in _FENCE.findall(page.read_text())]


@dataclass
class Reader:
    """Somebody who follows a page. `replaced` maps what the page writes to what is true here.

    What the page starts has a free port and a data directory of its own, unless `served` has settings for it.
    """

    folder: Path
    environment: dict[str, str]
    replaced: dict[str, str | Callable[[Reader], str]] = field(default_factory=dict)
    module: str = "page"
    served: dict[str, str] = field(default_factory=dict)
    printed: str = ""

    def __post_init__(self) -> None:
        self._stack = ExitStack()
        self._servers = 0
        self.namespace = ModuleType(self.module)

    def __enter__(self) -> Self:
        before = dict(os.environ), Path.cwd(), list(sys.path), set(sys.modules)
        self._stack.callback(_restore, *before)
        os.environ.update(self.environment)
        os.chdir(self.folder)
        sys.path.insert(0, str(self.folder))
        sys.modules[self.module] = self.namespace
        return self

    def __exit__(
        self, kind: type[BaseException] | None, error: BaseException | None, trace: TracebackType | None
    ) -> None:
        room = vars(self.namespace).get("room")
        if room is not None:
            room.close()
        self._stack.close()

    def follow(self, block: Block) -> None:
        code = self._replace(block.code)
        kinds: dict[str, Callable[[str], Any]] = {
            "python": self._python,
            "sh": self._shell,
            "toml": tomllib.loads,
            "json": orjson.loads,
            "yaml": YAML(typ="safe").load,
            "ini": _parse_unit,
            "js": self._javascript,
            "mermaid": lambda diagram: None,  # drawn in Chromium with the page
        }
        kinds[block.language](code)

    def _replace(self, code: str) -> str:
        for written, meant in self.replaced.items():
            if written in code:
                code = code.replace(written, meant if isinstance(meant, str) else meant(self))
        return code

    def _python(self, code: str) -> None:
        named = _FILE.match(code)
        if named is None:
            exec(compile(code, self.module, "exec"), vars(self.namespace))
            return
        path = self.folder / named[1]
        path.write_text(code)
        sys.modules.pop(path.stem, None)
        importlib.invalidate_caches()
        if "__main__" in code:
            self._run([sys.executable, str(path)])
        else:
            module = importlib.import_module(path.stem)
            assert module.__file__ == str(path)

    def _shell(self, code: str) -> None:
        for words in commands_in(code):
            self._command(words)

    def _command(self, words: list[str]) -> None:
        words, settings = _split_settings(words)
        if not words:
            os.environ.update(settings)
        elif words[0] == "export":
            os.environ.update(_split_settings(words[1:])[1])
        elif Path(words[0]).name == "workroom":
            self._workroom(words[1:], settings)
        elif words[0] == "celery":
            self._serve([sys.executable, "-m", *words], settings)
        elif words[0] == "make":
            self._run([words[0], "--dry-run", *words[1:]], cwd=ROOT)  # what it does is tested elsewhere
        elif words[0] in ("uvx", "pip"):
            assert_installable(" ".join(words))
        elif words[0] == "curl":
            self._run(
                [
                    words[0],
                    "--silent",
                    "--show-error",
                    "--fail-with-body",
                    *map(os.path.expandvars, words[1:]),
                ]
            )
        else:
            assert words[0] in _SILENT, f"the reader does not know how to run {words[0]}"

    def _workroom(self, arguments: list[str], settings: dict[str, str]) -> None:
        if arguments[0] not in _SERVES:
            self._run([*WORKROOM, *arguments], settings)
        else:
            self._serve([*WORKROOM, *arguments], settings)

    def _serve(self, command: list[str], settings: dict[str, str]) -> None:
        self._servers += 1
        name = f"served-{self._servers}"
        own = {"WORKROOM_PORT": "0", "WORKROOM_DATA_DIR": str(self.folder / name), **self.served}
        log = self.folder / f"{name}.log"
        started = Process(command, {**own, **settings}, log)
        self._stack.callback(started.close)
        eventually(
            lambda: _READY.search(log.read_text()) or not started.is_alive, what=f"{command} to be ready"
        )
        assert started.is_alive, log.read_text()

    def _run(
        self, command: list[str], settings: dict[str, str] | None = None, cwd: Path | None = None
    ) -> None:
        done = ran(command, cwd=cwd or self.folder, **(settings or {}))
        assert done.code == 0, f"{shlex.join(command)}: {done.out}{done.error}"
        self.printed = done.out.strip()

    def _javascript(self, code: str) -> None:
        path = self.folder / "block.mjs"
        path.write_text(code)
        self._run(["node", "--check", str(path)])


def commands_in(code: str) -> Iterator[list[str]]:
    """Each command with its arguments; one in quotes may have several lines."""
    pending = ""
    for line in code.splitlines():
        pending += line.removesuffix("\\") if line.endswith("\\") else f"{line}\n"
        if line.endswith("\\"):
            continue
        try:
            words = shlex.split(pending, comments=True)
        except ValueError:  # a quote is open
            continue
        pending = ""
        if words:
            yield words
    assert not pending.strip(), f"a quote is not closed: {pending}"


def _split_settings(words: list[str]) -> tuple[list[str], dict[str, str]]:
    """`A=1 B=2 command` as the command and its settings."""
    count = next((at for at, word in enumerate(words) if not re.match(r"[A-Z_]+=", word)), len(words))
    pairs = (word.partition("=") for word in words[:count])
    return words[count:], {name: os.path.expandvars(value) for name, _, value in pairs}


def assert_installable(command: str) -> None:
    """The extras that a command names exist. Installing them here would need a network."""
    project = tomllib.loads((ROOT / "pyproject.toml").read_text())["project"]
    extras = {name for found in re.findall(r"\[([\w,]+)\]", command) for name in found.split(",")}
    assert extras <= project["optional-dependencies"].keys(), command


def _parse_unit(code: str) -> None:
    unit = configparser.ConfigParser(strict=False, interpolation=None)
    unit.read_string(code)
    assert unit.sections() == ["Unit", "Service", "Install"]


def _restore(environment: dict[str, str], folder: Path, path: list[str], modules: set[str]) -> None:
    os.environ.clear()
    os.environ.update(environment)
    os.chdir(folder)
    sys.path[:] = path
    for name in sys.modules.keys() - modules:
        if not getattr(sys.modules[name], "__file__", None) or str(sys.modules[name].__file__).startswith(
            str(Path("/tmp"))
        ):
            del sys.modules[name]
