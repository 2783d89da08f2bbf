"""An extension whose texts try to run scripts in the page."""

from __future__ import annotations

import time
from enum import StrEnum
from typing import Any, Literal

from pydantic import BaseModel, Field

from workroom import Extension, JobContext

PICTURE = "<img src=x onerror='window.hacked = true'>"  # without a slash, which file names cannot contain
SCRIPT = f"<script>window.hacked = true</script>{PICTURE}"
LINK = "[read on](javascript:window.hacked=true)"
DRAWING = (
    "<svg xmlns='http://www.w3.org/2000/svg' width='9' height='9' onload='window.hacked = true'>"
    "<script>window.hacked = true</script></svg>"
)
KINDS = Literal["table", "drawing", "plot", "markdown", "text", "tree", "parts", "files", "failure"]

Choice = StrEnum("Choice", {"A": SCRIPT, "B": f"another {SCRIPT}"})


class Inner(BaseModel):
    """<img src=x onerror='window.hacked = true'>"""

    word: str = Field(SCRIPT, title=f"Inner {SCRIPT}", description=SCRIPT)


class Hostile(Extension, category="analysis"):
    """Reads well. <script>window.hacked = true</script><img src=x onerror='window.hacked = true'>

    <img src=x onerror='window.hacked = true'> [read on](javascript:window.hacked=true)
    """

    kind: KINDS = "table"
    text: str = Field(SCRIPT, title=f"Text {SCRIPT}", description=f"{SCRIPT} {LINK}", examples=[SCRIPT])
    choice: Choice = Field(Choice.A, title=f"Choice {SCRIPT}")
    size: int = Field(5, ge=0, le=11, title=f"Size {SCRIPT}", json_schema_extra={"unit": SCRIPT})
    inner: Inner = Field(default_factory=Inner, title=f"Inner {SCRIPT}")
    words: list[str] = Field(default_factory=lambda: [SCRIPT], title=f"Words {SCRIPT}")
    seconds: float = 0

    def run(self, job: JobContext) -> Any:
        print(SCRIPT)
        job.progress(0.5, SCRIPT)
        job.show(f"# {SCRIPT}\n\n{LINK}", kind="markdown")
        time.sleep(self.seconds)
        if self.kind == "failure":
            raise type(SCRIPT, (ValueError,), {})(SCRIPT)
        if self.kind == "files":
            self._save(job)
        return {
            "table": [{f"name {SCRIPT}": SCRIPT}, {f"name {SCRIPT}": LINK}],
            "drawing": f"data:image/svg+xml,{DRAWING}",
            "plot": _plot(),
            "markdown": f"# {SCRIPT}\n\n{LINK} {SCRIPT}\n\n<javascript:window.hacked=true>\n\n![]({SCRIPT})",
            "text": SCRIPT,
            "tree": {f"deep {SCRIPT}": {"deeper": [1, {"deepest": SCRIPT}]}},
            "parts": {f"part {SCRIPT}": [{"name": SCRIPT}, {"name": SCRIPT}], "word": SCRIPT},
        }.get(self.kind)

    def _save(self, job: JobContext) -> None:
        job.save(f"{PICTURE}.svg", DRAWING.encode())
        job.save(f"{PICTURE}.html", SCRIPT.encode())
        job.save(f"{PICTURE}.md", f"# {SCRIPT}\n\n{LINK}".encode())
        job.save(f"{PICTURE}.csv", f"name,age\n{SCRIPT},36\n".encode())
        job.save(f"{PICTURE}.json", b'{"word": "%s"}' % SCRIPT.encode())


def _plot() -> dict[str, Any]:
    link = f"<a href='javascript:window.hacked=true'>{SCRIPT}</a>"
    trace = {"x": [1, 2], "y": [3, 4], "name": link, "text": [link, SCRIPT], "hovertemplate": SCRIPT}
    return {
        "data": [trace],
        "layout": {"title": {"text": link}, "xaxis": {"title": {"text": SCRIPT}}, "showlegend": True},
    }
