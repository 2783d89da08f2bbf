"""A process that validates what may take long: `python -m workroom.services.validation.validator 1.0`.

A question that takes more than that many seconds of CPU time, or too much memory, ends it.
"""

from __future__ import annotations

import resource
import signal
import sys
from typing import Any

import orjson

from workroom.errors import InvalidSchema
from workroom.services.validation.schemas import compile_schema, faults_of, work_of

_MEMORY = 1_000_000_000
_MAX_KEPT_KILOBYTES = 200_000  # for compiled schemas; beyond this the process ends

_UNPROVEN_WEIGHT = 2_000  # small values get all their faults listed, even if the cost is unknown


def main() -> None:
    seconds = float(sys.argv[1])
    signal.signal(signal.SIGINT, signal.SIG_IGN)  # Ctrl-C is for the server, which then closes our input
    resource.setrlimit(resource.RLIMIT_AS, (_MEMORY, _MEMORY))
    resource.setrlimit(resource.RLIMIT_CORE, (0, 0))
    _reply({})
    for line in sys.stdin.buffer:
        signal.setitimer(signal.ITIMER_PROF, seconds)
        answer = _answer(line)
        signal.setitimer(signal.ITIMER_PROF, 0)
        _reply(answer)
        if resource.getrusage(resource.RUSAGE_SELF).ru_maxrss > _MAX_KEPT_KILOBYTES:
            return


def _answer(line: bytes) -> Any:
    """Without data, only compile the schema."""
    question = orjson.loads(line)
    schema = question["schema"].encode()
    try:
        if "data" not in question:
            compile_schema(schema)
            return {}
        work = min(work_of(schema, size := len(line) - len(schema)), size * _UNPROVEN_WEIGHT)
        return {"faults": faults_of(schema, question["data"], work)}
    except InvalidSchema as error:
        return {"invalid_schema": error.detail}


def _reply(answer: Any) -> None:
    sys.stdout.buffer.write(orjson.dumps(answer) + b"\n")
    sys.stdout.buffer.flush()


if __name__ == "__main__":
    main()
