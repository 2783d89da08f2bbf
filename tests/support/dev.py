"""`workroom dev` as users start it, with a file to edit."""

from __future__ import annotations

import re
from pathlib import Path

from support.command_line import Started

TOOL = """
from workroom import Extension

class Greet(Extension, category="analysis"):
    name: str = "world"

    def run(self):
        return f"hello {self.name}"
"""


class Dev(Started):
    def __init__(self, folder: Path, tool: str, *options: str) -> None:
        self.file = folder / "app.py"
        self.save(tool)
        arguments = ["dev", str(self.file), "--port", "0", "--data-dir", str(folder / "data"), *options]
        super().__init__(arguments, {}, folder / "dev.log")
        page = self.wait_for("/rooms/")
        found = re.search(r"(http://\S+)/rooms/", page)
        assert found is not None, page
        self.url = found[1]

    def save(self, text: str) -> None:
        self.file.write_text(text)
