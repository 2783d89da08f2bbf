"""The sidebar: each section with its pages. A page that no section has fails the build, by its name.

`howto/*` stands for the pages of that folder that are not listed.
"""

from __future__ import annotations

from collections.abc import Collection

SECTIONS: dict[str, list[str]] = {
    "Start": ["start", "tutorial", "concepts", "quickstart"],
    "In a room": ["page", "fields", "results", "room_data", "frames", "atoms"],
    "How to": [
        "howto/workers-behind-nat",
        "howto/gpu-box",
        "howto/groups",
        "howto/limits-and-rates",
        "howto/questions",
        "howto/media",
        "howto/notebook",
        "howto/packs",
        "howto/from-zndraw",
        "howto/*",
    ],
    "Operate": ["howto/operate", "howto/secure", "howto/scale", "redis", "celery", "troubleshooting"],
    "Trust": ["guarantees", "security", "faults", "benchmarks"],
    "Reference": [
        "reference/python",
        "reference/commands",
        "reference/settings",
        "reference/http",
        "reference/events",
        "streams",
        "tasks",
        "protocol",
        "state_machine",
        "glossary",
    ],
    "Contribute": ["contributing", "architecture", "decisions/index", "changelog"],
}


def resolve(pages: Collection[str]) -> dict[str, list[str]]:
    """The sections with `folder/*` filled in from the pages that exist."""
    listed = {page for section in SECTIONS.values() for page in section}
    return {
        caption: [found for page in section for found in _filled(page, pages, listed)]
        for caption, section in SECTIONS.items()
    }


def _filled(page: str, pages: Collection[str], listed: set[str]) -> list[str]:
    if not page.endswith("/*"):
        return [page]
    return sorted(each for each in pages if each.startswith(page[:-1]) and each not in listed)
