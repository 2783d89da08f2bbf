"""`python -m docsite [folder]`: stage the pages, then let Sphinx build them. Warnings are errors."""

from __future__ import annotations

import json
import sys
from pathlib import Path

from sphinx.cmd.build import main as sphinx

from docsite.pages import WEBSITE
from docsite.sources import LIST
from docsite.stage import stage

BUILD = WEBSITE / "build"


def build(target: Path) -> int:
    staged = BUILD / "pages"
    stage(staged)
    _remove_outdated(target, staged)
    options = ["-b", "html", "-c", str(WEBSITE), "-d", str(BUILD / "doctrees")]
    return sphinx([*options, "--quiet", "--fail-on-warning", str(staged), str(target)])


def _remove_outdated(target: Path, staged: Path) -> None:
    """Sphinx keeps what it built for pages that are gone."""
    sources = {f"source/{name}" for name in json.loads((staged / LIST).read_text())}
    for built in target.rglob("*.html"):
        name = built.relative_to(target).with_suffix("").as_posix()
        if not (staged / f"{name}.md").exists() and name not in sources:
            built.unlink()


if __name__ == "__main__":
    sys.exit(build(Path(sys.argv[1]) if len(sys.argv) > 1 else BUILD / "html"))
