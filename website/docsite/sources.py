"""Pages with the source files that the documentation links to."""

from __future__ import annotations

import json
from collections.abc import Iterator
from pathlib import Path
from typing import Any

from pygments.lexers import get_lexer_for_filename
from pygments.util import ClassNotFound
from sphinx.application import Sphinx

from docsite.pages import ROOT

LIST = "sources.json"


class Sources:
    """The files that are linked while pages are staged."""

    def __init__(self) -> None:
        self.paths: set[str] = set()

    def add(self, path: Path) -> str:
        """The address of the file's page, from the root of the site."""
        name = path.relative_to(ROOT).as_posix()
        self.paths.add(name)
        return f"source/{name}.html"

    def as_json(self) -> str:
        return json.dumps(sorted(self.paths))


def collect(app: Sphinx) -> Iterator[tuple[str, dict[str, Any], str]]:
    """Handles the event `html-collect-pages`. Pages are written each time: they have the navigation too."""
    for name in json.loads((Path(app.srcdir) / LIST).read_text()):
        code = (ROOT / name).read_text()
        block = app.builder.highlighter.highlight_block(code, _language(name), force=True)  # type: ignore[attr-defined]
        body = f"<h1>{name.rpartition('/')[2]}</h1>\n<p><code>{name}</code></p>\n{block}"
        yield f"source/{name}", {"title": name, "body": body}, "page.html"


def _language(name: str) -> str:
    try:
        return str(get_lexer_for_filename(name).aliases[0])
    except ClassNotFound:
        return "text"
