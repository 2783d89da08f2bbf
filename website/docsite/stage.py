"""Writes every page of the site as Markdown into one folder, from which Sphinx builds it."""

from __future__ import annotations

from pathlib import Path

from docsite import navigation
from docsite.markdown import rewrite, staged_image
from docsite.pages import DOCS, ROOT, pages
from docsite.reference import reference_pages
from docsite.sources import LIST, Sources

_IMAGES = [DOCS / "images", ROOT / "benchmarks" / "results"]


def stage(folder: Path) -> None:
    sources = Sources()
    texts = {
        page: rewrite(path.read_text(), path, page, sources.add).encode() for path, page in pages().items()
    }
    texts |= {page: text.encode() for page, text in reference_pages().items()}
    texts["decisions/index.md"] = _decisions(texts).encode()
    texts["index.md"] += _contents(texts).encode()
    images = {staged_image(path): path.read_bytes() for each in _IMAGES for path in each.rglob("*.png")}
    _write(folder, {**texts, **images, LIST: sources.as_json().encode()})


def _contents(texts: dict[str, bytes]) -> str:
    names = [page.removesuffix(".md") for page in texts]
    sections = navigation.resolve(names)
    return "".join(_toctree(section, caption) for caption, section in sections.items())


def _toctree(pages: list[str], caption: str = "") -> str:
    options = [f":caption: {caption}", ":hidden:"] if caption else [":maxdepth: 1"]
    return "\n".join(["", "```{toctree}", *options, "", *pages, "```", ""])


def _decisions(texts: dict[str, bytes]) -> str:
    numbers = sorted(page for page in texts if page.startswith("decisions/"))
    names = [page.removeprefix("decisions/").removesuffix(".md") for page in numbers]
    return (
        "# Decisions\n\nWhat was decided, when, and why. A decision that no longer holds says so.\n"
        + _toctree(names)
    )


def _write(folder: Path, files: dict[str, bytes]) -> None:
    """Files that did not change keep their times, so that Sphinx builds only what did."""
    for name, content in files.items():
        path = folder / name
        if not path.exists() or path.read_bytes() != content:
            path.parent.mkdir(parents=True, exist_ok=True)
            path.write_bytes(content)
    for path in folder.rglob("*"):
        if path.is_file() and path.relative_to(folder).as_posix() not in files:
            path.unlink()
