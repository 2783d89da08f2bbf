"""Rewrites the Markdown of the repository, as GitHub shows it, for the site.

Links to source files lead to pages with that source, `<picture>` elements become a light and a dark image,
and diagrams become elements that `static/diagrams.js` draws.
"""

from __future__ import annotations

import re
from collections.abc import Callable
from html import escape
from os.path import relpath
from pathlib import Path

from docsite.pages import ROOT, page_of

_FENCE = re.compile(r"^```(\w*)[^\n]*\n(.*?)^```[ ]*$", re.MULTILINE | re.DOTALL)
_LINK = re.compile(
    r"(?P<code>(?<!`)(?P<ticks>`+)(?!`).+?(?<!`)(?P=ticks)(?!`))"
    r"|(?P<bang>!?)\[(?P<label>(?:[^\[\]]|\[[^\]]*\])*)\]\((?P<target>[^)\s]+)\)",
    re.DOTALL,
)
_PICTURE = re.compile(r"<picture>\s*<source[^>]*srcset=\"([^\"]+)\"[^>]*>\s*(<img[^>]*>)\s*</picture>")
_IMAGE = re.compile(r"<img[^>]*>")

AddSource = Callable[[Path], str]


def rewrite(text: str, path: Path, page: str, add_source: AddSource) -> str:
    """`add_source` takes a source file and returns the address of its page from the root of the site."""
    parts: list[str] = []
    position = 0
    for block in _FENCE.finditer(text):
        parts.append(_prose(text[position : block.start()], path, page, add_source))
        parts.append(_diagram(block[2]) if block[1] == "mermaid" else block[0])
        position = block.end()
    return "".join([*parts, _prose(text[position:], path, page, add_source)])


def _diagram(source: str) -> str:
    lines = escape(source).replace("\n\n", "\n")
    return f'<pre class="mermaid">\n{lines}</pre>\n'


def _prose(text: str, path: Path, page: str, add_source: AddSource) -> str:
    text = _PICTURE.sub(lambda found: _light_and_dark(found[1], found[2], path, page), text)
    text = _IMAGE.sub(lambda found: _image(found[0], path, page), text)
    return _LINK.sub(lambda found: _link(found, path, page, add_source), text)


def _attribute(tag: str, name: str) -> str:
    found = re.search(rf'\b{name}="([^"]*)"', tag)
    return found[1] if found else ""


def _light_and_dark(dark: str, tag: str, path: Path, page: str) -> str:
    light = _image(tag, path, page, "only-light")
    return light + _image(tag.replace(_attribute(tag, "src"), dark), path, page, "only-dark")


def _image(tag: str, path: Path, page: str, kind: str = "") -> str:
    source = _from_page((path.parent / _attribute(tag, "src")).resolve(), page)
    options = [f":alt: {_attribute(tag, 'alt')}", f":width: {_attribute(tag, 'width')}px"]
    classes = [f":class: {kind}"] if kind else []
    return "\n".join(["", f"```{{image}} {source}", *classes, *options, "```", ""])


def _from_page(image: Path, page: str) -> str:
    """An image keeps its path below docs/, or below the root of the repository."""
    return relpath(f"/{staged_image(image)}", f"/{Path(page).parent}")


def staged_image(image: Path) -> str:
    return image.relative_to(ROOT).as_posix().removeprefix("docs/")


def _link(found: re.Match[str], path: Path, page: str, add_source: AddSource) -> str:
    label, target = found["label"], found["target"]
    if found["code"] is not None or "://" in target or target.startswith(("#", "mailto:")):
        return found[0]
    file, _, anchor = target.partition("#")
    linked = (path.parent / file).resolve()
    if found["bang"]:
        return f"![{label}]({_from_page(linked, page)})"
    to_page = page_of(linked)
    if to_page is not None:
        fragment = f"#{anchor}" if anchor else ""
        return f"[{label}]({relpath(to_page, Path(page).parent)}{fragment})"
    if linked.is_file():
        address = relpath(add_source(linked), Path(page).parent)
        return f'<a href="{address}">{label}</a>'
    return label
