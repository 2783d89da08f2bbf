"""Which Markdown files are pages of the site, and under which names."""

from __future__ import annotations

from pathlib import Path

WEBSITE = Path(__file__).resolve().parents[1]
ROOT = WEBSITE.parent
DOCS = ROOT / "docs"

_ELSEWHERE = {
    "CHANGELOG.md": "changelog.md",
    "CONTRIBUTING.md": "contributing.md",
    "benchmarks/RESULTS.md": "benchmarks.md",
}
_SAME = {"README.md": "index.md", "docs": "index.md", "docs/decisions": "decisions/index.md"}


def pages() -> dict[Path, str]:
    """Each file with the name of its page, relative to the root of the site."""
    inside = {path: path.relative_to(DOCS).as_posix() for path in sorted(DOCS.rglob("*.md"))}
    return {**inside, **{ROOT / path: page for path, page in _ELSEWHERE.items()}}


def page_of(path: Path) -> str | None:
    """The page that shows this file or folder, if one does."""
    if path.is_relative_to(DOCS) and path.suffix == ".md":
        return path.relative_to(DOCS).as_posix()
    name = path.relative_to(ROOT).as_posix() if path.is_relative_to(ROOT) else ""
    return _ELSEWHERE.get(name) or _SAME.get(name)
