"""A process that appends frames until it is killed: `python -m support.chaos.frame_writer URL ROOM`.

It goes on where the room's frames end, and prints how many there are after each call.
"""

from __future__ import annotations

import sys

from support.frames import frame
from workroom import Room

BATCH, ATOMS = 12, 20_000  # two pieces


def main() -> None:
    url, name = sys.argv[1:]
    with Room(name, url, user="ada") as room:
        length = len(room.frames)
        while True:
            room.frames.extend(frame(number, ATOMS) for number in range(length, length + BATCH))
            length += BATCH
            print(length, flush=True)


if __name__ == "__main__":
    main()
