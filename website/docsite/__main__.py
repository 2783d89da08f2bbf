"""`python -m docsite [folder]`: stage the pages, then let Sphinx build them. Warnings are errors."""

from __future__ import annotations

import sys
from pathlib import Path

from sphinx.cmd.build import main as sphinx

from docsite.pages import WEBSITE
from docsite.stage import stage

BUILD = WEBSITE / "build"


def build(target: Path) -> int:
    staged = BUILD / "pages"
    stage(staged)
    options = ["-b", "html", "-c", str(WEBSITE), "-d", str(BUILD / "doctrees")]
    return sphinx([*options, "--quiet", "--fail-on-warning", str(staged), str(target)])


if __name__ == "__main__":
    sys.exit(build(Path(sys.argv[1]) if len(sys.argv) > 1 else BUILD / "html"))
