"""Why the files of `workroom dev` are not served as they are."""

from __future__ import annotations

import traceback
from dataclasses import asdict, dataclass

_MAX_TRACE = 8000
_OURS = ("/workroom/runners/loading.py", "<frozen importlib", "/importlib/__init__.py")


@dataclass(frozen=True, slots=True)
class Problem:
    message: str
    trace: str = ""
    is_served: bool = False  # by the version before

    def document(self) -> dict[str, object]:
        return asdict(self)

    def text(self) -> str:
        more = "\nThe version before is still served." if self.is_served else ""
        return f"{self.message}\n{self.trace}".rstrip() + more


def problem_of(error: BaseException) -> Problem:
    """With the traceback of the user's code, if it is what failed."""
    cause = error.__cause__
    return Problem(str(error) or type(error).__name__, _trace(cause) if cause is not None else "")


def _trace(error: BaseException) -> str:
    frames = [
        frame
        for frame in traceback.extract_tb(error.__traceback__)
        if not any(part in frame.filename for part in _OURS)
    ]
    if not frames and not isinstance(error, SyntaxError):
        return ""
    lines = ["Traceback (most recent call last):\n", *traceback.format_list(frames)]
    return "".join([*lines, *traceback.format_exception_only(error)])[-_MAX_TRACE:]
