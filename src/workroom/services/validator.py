"""The process that checks what may take long: `python -m workroom.services.validator`, a line each way."""

from __future__ import annotations

import resource
import signal
import sys

import orjson

from workroom.errors import InvalidSchema
from workroom.services.schemas import faults_of

_MEMORY = 1_000_000_000


def main() -> None:
    signal.signal(signal.SIGINT, signal.SIG_IGN)  # Ctrl-C is the server's: it closes our input
    resource.setrlimit(resource.RLIMIT_AS, (_MEMORY, _MEMORY))
    _answer([])
    for line in sys.stdin.buffer:
        question = orjson.loads(line)
        try:
            _answer(faults_of(question["schema"].encode(), question["data"]))
        except InvalidSchema as error:
            _answer([{"path": "/", "message": error.detail}])


def _answer(faults: list[dict[str, str]]) -> None:
    sys.stdout.buffer.write(orjson.dumps(faults) + b"\n")
    sys.stdout.buffer.flush()


if __name__ == "__main__":
    main()
