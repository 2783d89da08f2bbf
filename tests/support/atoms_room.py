"""A room in memory: what the extensions of the atoms pack use of one, with plain lists and dicts."""

from __future__ import annotations

from collections.abc import Iterable, Iterator, Sequence
from dataclasses import dataclass, field
from pathlib import Path
from typing import Any

from workroom import Extension, JobContext
from workroom.packs.atoms.convert import to_atoms, to_frame
from workroom.runtime.content import Content
from workroom.runtime.context import ProgressSink
from workroom.runtime.extension import injected_names, run_method

Frame = dict[str, Any]


class ListFrames(list[Frame]):
    """A list of frames with what `room.frames` has besides."""

    def get(self, index: int | slice, keys: Sequence[str] | None = None) -> Any:
        found: Any = self[index]
        return [_only(each, keys) for each in found] if isinstance(index, slice) else _only(found, keys)

    def iterate(self, at: slice = slice(None), *, keys: Sequence[str] | None = None) -> Iterator[Frame]:
        return iter(self.get(at, keys))


def _only(frame: Frame, keys: Sequence[str] | None) -> Frame:
    return frame if keys is None else {key: value for key, value in frame.items() if key in keys}


@dataclass
class ListRoom:
    frames: ListFrames = field(default_factory=ListFrames)
    step: int = 0
    selection: list[int] = field(default_factory=list)
    figures: dict[str, Any] = field(default_factory=dict)
    bookmarks: dict[int, str] = field(default_factory=dict)

    @classmethod
    def of(cls, *structures: Any, step: int = 0, selection: Iterable[int] = ()) -> ListRoom:
        return cls(ListFrames(map(to_frame, structures)), step, list(selection))

    @property
    def atoms(self) -> Any:
        return to_atoms(self.frames[self.step])


class ListFiles:
    """Keeps what a job saves and shows."""

    def __init__(self, folder: Path | None = None) -> None:
        self.folder = folder
        self.saved: dict[str, bytes] = {}
        self.shown: list[tuple[str, bytes]] = []
        self.previews: list[tuple[int, bytes]] = []

    def save(self, name: str, content: Content, media_type: str | None) -> dict[str, Any]:
        self.saved[name] = content.file.read()
        return {"name": name, "size": len(self.saved[name])}

    def show(self, kind: str, body: bytes) -> None:
        self.shown.append((kind, body))

    def preview(self, frame: int, positions: bytes) -> None:
        self.previews.append((frame, positions))

    def fetch(self, file_id: str, folder: Path) -> Path:
        assert self.folder is not None
        return self.folder / file_id

    def close(self) -> None:
        pass


def a_job(files: ListFiles | None = None, report: ProgressSink = lambda _: None) -> JobContext:
    uploader = files or ListFiles()
    return JobContext("job", "room", "ada", 1, report, open_uploader=lambda: uploader)


def run(extension: Extension, room: ListRoom, job: JobContext | None = None) -> Any:
    """Run an extension as a worker would."""
    values: dict[str, Any] = {"room": room, "job": job or a_job()}
    method = run_method(type(extension))
    return method(extension, **{name: values[name] for name in injected_names(method)})
