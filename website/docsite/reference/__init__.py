"""The pages that are made from code: the Python API, the commands, settings, HTTP and events."""

from __future__ import annotations

import json

from docsite.pages import ROOT
from docsite.reference.commands import commands_page
from docsite.reference.events import events_page
from docsite.reference.http import http_pages
from docsite.reference.python import python_pages
from docsite.reference.settings import settings_page

_OPENAPI = ROOT / "web" / "src" / "api" / "openapi.json"


def reference_pages() -> dict[str, str]:
    """The Markdown of each page by its name."""
    document = json.loads(_OPENAPI.read_text())
    return {
        **python_pages(),
        **http_pages(document),
        "reference/events.md": events_page(document),
        "reference/settings.md": settings_page(),
        "reference/commands.md": commands_page(),
    }
