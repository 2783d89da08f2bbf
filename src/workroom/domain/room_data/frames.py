"""Frames: the trajectory of a room, as pieces that never change and an index that lists them."""

from __future__ import annotations

from dataclasses import dataclass

from workroom.domain.files import Blob
from workroom.domain.room_data.documents import DEFAULT_LIMITS, DataLimits
from workroom.domain.room_data.locks import Writer


@dataclass(frozen=True, slots=True)
class FrameLimits:
    """`directory_bytes` bounds what a directory takes in memory, and `piece_frames` frames without arrays."""

    piece_bytes: int = 16_000_000
    directory_bytes: int = 2_000_000
    keys: int = 200
    frames: int = 10_000_000
    piece_frames: int = 1_000_000


@dataclass(frozen=True, slots=True)
class Run:
    """`count` frames of a piece, from its frame `first` on. A negative step reverses them.

    `frame_bytes` is how many bytes one frame of the piece has on average.
    """

    piece: str
    first: int
    count: int
    step: int = 1
    frame_bytes: int = 0


@dataclass(frozen=True, slots=True)
class Segment:
    """Some runs, encoded. The id is a hash of them, so equal ones are stored once."""

    id: str
    content: bytes


@dataclass(frozen=True, slots=True)
class Piece:
    """An uploaded message, named by a hash of its content. `directory` is its directory as it is stored.

    `uses` are the pieces that it takes arrays from. `arrays` are those of its own that later messages may
    refer to: digest and offset.
    """

    room: str
    name: str
    blob: Blob
    count: int
    directory: bytes
    buffers_at: int
    uses: tuple[str, ...] = ()
    arrays: tuple[tuple[str, int], ...] = ()


@dataclass(frozen=True, slots=True)
class NewPiece:
    """A piece that was written, and who wrote it: see `NewFile` for `epoch`."""

    piece: Piece
    writer: Writer
    epoch: int | None = None


@dataclass(frozen=True, slots=True)
class FrameName:
    """The name of a segment or a piece, and when it was last written or used by an edit."""

    name: str
    is_piece: bool
    touched_us: int


@dataclass(frozen=True, slots=True)
class FramesEdit:
    """A new index of a room, made from the one of version `base`; 0 if there was none.

    `index` and `segments` are encoded; only segments that are new need be given. All of `pieces` must exist.
    `length` is the new number of frames, which `max_frames` limits: an edit that makes too long a sequence
    shorter raises the limit. `expected` is the caller's own condition on the version. `group` and
    `keeps_on_failure` are those of `versions.group_of`.
    """

    room: str
    base: int
    index: bytes
    segments: tuple[Segment, ...]
    pieces: tuple[str, ...]
    length: int
    writer: Writer
    expected: int | None = None
    request: str = ""
    summary: str = ""
    group: str = ""
    keeps_on_failure: bool = False
    max_frames: int = 10_000_000
    limits: DataLimits = DEFAULT_LIMITS
