"""A process that holds a lock until it is killed: `python -m support.lock_holder URL ROOM TARGET TTL`."""

from __future__ import annotations

import sys
import time

from workroom import Room


def main() -> None:
    url, name, target, ttl = sys.argv[1:]
    with Room(name, url, user="holder") as room, room.lock(target, message="busy", ttl=float(ttl)):
        room.state[target] = "by the holder"
        print("held", flush=True)
        time.sleep(600)


if __name__ == "__main__":
    main()
