"""The settings of Sphinx."""

from __future__ import annotations

from typing import Any

from sphinx.application import Sphinx

import workroom
from docsite.pages import WEBSITE
from docsite.sources import collect

project = "Workroom"
version = release = workroom.__version__
html_title = "Workroom"
extensions = ["myst_parser"]
html_theme = "furo"
html_static_path = ["static"]
html_css_files = ["site.css"]
html_favicon = str(WEBSITE.parent / "web" / "public" / "icon.svg")
html_show_copyright = False
html_show_sphinx = False
html_copy_source = False
html_use_index = False
html_theme_options = {"source_view_link": ""}
highlight_language = "text"
myst_heading_anchors = 5
suppress_warnings = ["misc.highlighting_failure"]  # examples of JSON that leave something out: `…`

_DIAGRAMS = WEBSITE / "node_modules" / "@mermaid-js" / "tiny" / "dist"
html_static_path.append(str(_DIAGRAMS))


def add_diagrams(app: Sphinx, page: str, template: str, context: dict[str, Any], doctree: Any) -> None:
    """Load what draws diagrams on pages that have some."""
    if 'class="mermaid"' in context.get("body", ""):
        app.add_js_file("mermaid.tiny.js")
        app.add_js_file("diagrams.js")


def setup(app: Sphinx) -> None:
    app.connect("html-collect-pages", collect)
    app.connect("html-page-context", add_diagrams)
