"""The Lua of the store: one script per verb, assembled from the rules and library files that it needs.

The domain's constants and texts are written into each script that uses them, so none stands in Lua. Numbers
replace their names, because a script may have 200 local variables at most.
"""

from __future__ import annotations

import hashlib
import json
import re
from collections import Counter
from collections.abc import Iterator, Mapping, Sequence
from dataclasses import dataclass
from importlib.resources import files
from importlib.resources.abc import Traversable

from workroom.domain.extension import BY_ACTOR, RetryOn
from workroom.domain.identity import SERVER
from workroom.domain.job import TERMINAL
from workroom.domain.jobs.group_ids import PREFIX
from workroom.domain.room_data.documents import FRAMES, VOLATILE
from workroom.domain.rules import breaker, estimates, failure, loss, retry, upkeep
from workroom.domain.rules.finish import MAY_END
from workroom.domain.rules.queue import fair_share, following, grouping, limits, postponing, rates
from workroom.domain.rules.room_data import documents, locks, versions
from workroom.domain.rules.workers import reconcile
from workroom.domain.schema.masking import MASKED_MARK
from workroom.domain.storage.recent_ends import END_CODES, NEVER_STARTED, RECENT_ENDS
from workroom.domain.worker import DISMISSED_US, GONE_WORKERS, MAX_DISMISSED
from workroom.stores.redis.messages.layouts import lua_preamble, with_positions

_WHEN_MEMORY_IS_FULL = "#!lua flags=allow-oom\n"
_ALWAYS_RUN = frozenset(  # what keeps leases, and what makes room; at full memory only new things are refused
    {
        "break_lock",
        "cancel",
        "close_session",
        "collect_frames",
        "disconnect",
        "end_job_edits",
        "expire_locks",
        "forget",
        "forget_moved",
        "move",
        "open",
        "open_session",
        "refresh_lock",
        "release",
        "release_lock",
        "renew",
        "start",
        "sweep",
        "trust_clock",
    }
)
_NEEDS = re.compile(r"^-- needs: (.*)\n")
_NAME = re.compile(r"\b[A-Z][A-Z_]+\b")
_WORD = re.compile(r"\w+")
_FUNCTION = re.compile(r"^local function (\w+)\(.*?^end\n", re.MULTILINE | re.DOTALL)
_METHOD = re.compile(r"^function (\w+)\.\w+\(.*?^end\n", re.MULTILINE | re.DOTALL)
_RARELY_USED = (  # tables of functions that most jobs do not need, of which one function needs others
    {"duplicates", "following", "grouping", "joining", "links", "postponing", "unique", "waits"},
    {"failure", "loss", "pacing", "rates", "retry"},
)

_CONSTANTS: dict[str, object] = {
    "AGE_BATCH": fair_share.AGE_BATCH,
    "AGE_US": fair_share.AGE_US,
    "ANY_VERSION": documents.ANY_VERSION,
    "BREAK_US": breaker.BREAK_US,
    "BY_ACTOR": BY_ACTOR,
    "CHANGE_BATCH": grouping.CHANGE_BATCH,
    "CLOCK_JUMP_US": upkeep.CLOCK_JUMP_US,
    "DAY_US": upkeep.DAY_US,
    "DISMISSED_US": DISMISSED_US,
    "END_CODES": END_CODES,
    "ENQUEUE_BATCH": postponing.ENQUEUE_BATCH,
    "EVERYTHING_SEEN": reconcile.EVERYTHING_SEEN,
    "FAILURE_TEXT": failure.FAILURE_TEXT,
    "FILL_US": postponing.FILL_US,
    "FIRST_DELAY_S": retry.FIRST_DELAY_S,
    "FOLLOW_BATCH": following.FOLLOW_BATCH,
    "FRAMES": FRAMES,
    "GONE_WORKERS": GONE_WORKERS,
    "GROUP_PREFIX": PREFIX,
    "HEALTHY": breaker.HEALTHY,
    "JITTER": retry.JITTER,
    "JOB_TIMEOUT": failure.JOB_TIMEOUT,
    "JOB_TIMEOUT_TEXT": failure.JOB_TIMEOUT_TEXT,
    "KEY_LIFETIME_US": upkeep.KEY_LIFETIME_US,
    "MAX_CHANGES": versions.MAX_CHANGES,
    "MAX_DELAY_S": retry.MAX_DELAY_S,
    "MAX_DISMISSED": MAX_DISMISSED,
    "MAX_DOUBLINGS": retry.MAX_DOUBLINGS,
    "MAX_LINE": failure.MAX_LINE,
    "MAX_LOSSES": loss.MAX_LOSSES,
    "MAX_PRIORITY": fair_share.PRIORITIES[-1],
    "MAX_RETRIES": failure.MAX_RETRIES,
    "MAX_RETRIES_TEXT": failure.MAX_RETRIES_TEXT,
    "MAY_END": MAY_END,
    "MIN_FAILURES": breaker.MIN_FAILURES,
    "MOST_AHEAD": estimates.MOST_AHEAD,
    "NEVER_STARTED": NEVER_STARTED,
    "NO_DOCUMENT": documents.NO_DOCUMENT,
    "NO_LIMIT": limits.NO_LIMIT,
    "PERIODS_US": rates.PERIODS_US,
    "PLACE_US": locks.PLACE_US,
    "RECENT_ENDS": RECENT_ENDS,
    "REFUSED_INPUT": failure.REFUSED_INPUT,
    "RETRY_ON_ERROR": RetryOn.ERROR,
    "RETRY_TEXT": failure.RETRY_TEXT,
    "MASKED_MARK": MASKED_MARK,
    "SERVER": SERVER,
    "SKIPPER": following.SKIPPER,
    "SKIP_TEXTS": following.SKIP_TEXTS,
    "TERMINAL": TERMINAL,
    "TOLERANCE_US": rates.TOLERANCE_US,
    "UPKEEP_US": upkeep.UPKEEP_US,
    "VERSIONS_PER_EDIT": versions.VERSIONS_PER_EDIT,
    "VOLATILE": VOLATILE,
    "WINDOW": breaker.WINDOW,
    "WORKER_LOST": failure.WORKER_LOST,
    "WORKER_LOST_TEXT": failure.WORKER_LOST_TEXT,
}
_NUMBERS = {
    name: f"({json.dumps(value)})" for name, value in _CONSTANTS.items() if isinstance(value, int | float)
}
_TABLES_AND_TEXTS = {name: value for name, value in _CONSTANTS.items() if name not in _NUMBERS}


@dataclass(frozen=True, slots=True)
class Script:
    name: str
    text: str
    digest: str


def assemble(text: str) -> str:
    """A script with the constants, rules and library files that it needs in front of it."""
    taken: list[str] = []
    _collect(text, taken)
    whole = _on_demand(_without_unused("\n".join([*(_LIBRARY[name] for name in taken), text])))
    whole = with_positions(whole)
    used = set(_NAME.findall(whole))
    constants = [
        f"local {name} = {_lua(value)}\n" for name, value in _TABLES_AND_TEXTS.items() if name in used
    ]
    return "".join(constants) + lua_preamble(whole) + _NAME.sub(_number, whole)


def _without_unused(text: str) -> str:
    """The script without functions that nothing calls: each call of the script would create them again."""
    counts = Counter(_WORD.findall(text))
    used = _FUNCTION.sub(lambda found: found[0] if counts[found[1]] > 1 else "", text)
    return text if used == text else _without_unused(used)


def _on_demand(text: str) -> str:
    """The script with rarely used functions made together when the first one of them is used.

    Each call of the script would create them otherwise, and look for the variables that each of them uses.
    They stand where the last one of them stood.
    """
    for tables in _RARELY_USED:
        methods = [found for found in _METHOD.finditer(text) if found[1] in tables]
        if not methods:
            continue
        used = dict.fromkeys(found[1] for found in methods)
        later = (
            "do\nlocal later = {}\nfunction later.__index(from, name)\nlater.__index = nil\n"
            + "".join(found[0] for found in methods)
            + "return from[name]\nend\n"
            + "".join(f"setmetatable({table}, later)\n" for table in used)
            + "end\n"
        )
        at = methods[-1].end()
        before = "".join(_between(text, methods))
        text = before + later + text[at:]
    return text


def _between(text: str, found: Sequence[re.Match[str]]) -> Iterator[str]:
    """What stands in front of each match, behind the one before it."""
    at = 0
    for each in found:
        yield text[at : each.start()]
        at = each.end()


def _number(name: re.Match[str]) -> str:
    return _NUMBERS.get(name[0], name[0])


def _collect(text: str, taken: list[str]) -> None:
    """Add the files that a text needs, each behind those that it needs itself."""
    needs = _NEEDS.match(text)
    for name in needs.group(1).split() if needs else ():
        if name not in taken:
            _collect(_LIBRARY[name], taken)
            taken.append(name)


def _lua(value: object) -> str:
    """A value in Lua. A set becomes a table of true; ASCII strings are written as in JSON."""
    if isinstance(value, Mapping):
        return "{" + ", ".join(f"[{_lua(key)}] = {_lua(each)}" for key, each in value.items()) + "}"
    if isinstance(value, frozenset):
        return _lua(dict.fromkeys(sorted(value), True))
    return json.dumps(value)


def _read(folder: str) -> dict[str, str]:
    texts: dict[str, str] = {}
    for script in _scripts_in(files("workroom.stores.redis").joinpath("lua", folder)):
        name = script.name.removesuffix(".lua")
        if name in texts:
            raise ValueError(f"there are two scripts '{name}' in lua/{folder}")
        texts[name] = script.read_text("utf-8")
    return texts


def _scripts_in(folder: Traversable) -> Iterator[Traversable]:
    """The scripts in a folder and in its sub-folders, which group them by subject."""
    for each in folder.iterdir():
        if each.is_dir():
            yield from _scripts_in(each)
        elif each.name.endswith(".lua"):
            yield each


def _load() -> dict[str, Script]:
    scripts: dict[str, Script] = {}
    for name, text in _read("verbs").items():
        whole = (_WHEN_MEMORY_IS_FULL if name in _ALWAYS_RUN else "") + assemble(text)
        scripts[name] = Script(name, whole, hashlib.sha1(whole.encode(), usedforsecurity=False).hexdigest())
    return scripts


_LIBRARY = _read("lib") | {f"rules/{name}": text for name, text in _read("rules").items()}
SCRIPTS = _load()
