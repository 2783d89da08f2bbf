"""The Lua of the store: one file per verb, each with the shared pieces that it says it needs."""

from __future__ import annotations

import hashlib
import json
import re
from dataclasses import dataclass
from importlib.resources import files

from workroom.domain.breaker import BREAK_US, THRESHOLD
from workroom.domain.extension import BY_ACTOR
from workroom.domain.identity import SERVER
from workroom.domain.scheduling import AGE_BATCH, AGE_US, PRIORITIES
from workroom.stores.redis.outcomes import LOST, TIMED_OUT, Outcome

_NEEDS = re.compile(r"^-- needs: (.*)\n")
_DAY_US = 86_400_000_000
_UPKEEP_US = 10_000_000
_CLOCK_JUMP_US = 2_000_000
_MAX_LOSSES = 5


@dataclass(frozen=True, slots=True)
class Script:
    name: str
    text: str
    digest: str


def _lua(value: object) -> str:
    """A value as Lua spells it. Its strings are written like those of JSON, as long as they are ASCII."""
    if isinstance(value, tuple | list):
        return "{" + ", ".join(map(_lua, value)) + "}"
    return json.dumps(value)


def _outcomes(outcomes: tuple[Outcome, Outcome]) -> list[list[str]]:
    return [[outcome.error.decode(), outcome.line] for outcome in outcomes]


_RULES = {
    "AGE_BATCH": AGE_BATCH,
    "AGE_US": AGE_US,
    "BREAK_US": BREAK_US,
    "BY_ACTOR": BY_ACTOR,
    "CLOCK_JUMP_US": _CLOCK_JUMP_US,
    "DAY_US": _DAY_US,
    "HIGHEST": PRIORITIES[-1],
    "LOST": _outcomes(LOST),
    "MAX_LOSSES": _MAX_LOSSES,
    "SERVER": SERVER,
    "THRESHOLD": THRESHOLD,
    "TIMED_OUT": _outcomes(TIMED_OUT),
    "UPKEEP_US": _UPKEEP_US,
}


def _read(folder: str) -> dict[str, str]:
    found = files("workroom.stores.redis").joinpath(folder).iterdir()
    return {
        each.name.removesuffix(".lua"): each.read_text("utf-8")
        for each in found
        if each.name.endswith(".lua")
    }


def _pieces(text: str, library: dict[str, str], taken: list[str]) -> None:
    """The pieces that a text needs, each behind those that it needs itself."""
    needs = _NEEDS.match(text)
    for name in needs.group(1).split() if needs else ():
        if name not in taken:
            _pieces(library[name], library, taken)
            taken.append(name)


def _load() -> dict[str, Script]:
    library = _read("lua/lib")
    scripts: dict[str, Script] = {}
    for name, text in _read("lua").items():
        taken: list[str] = []
        _pieces(text, library, taken)
        whole = "\n".join([*(library[piece] for piece in taken), text])
        rules = [f"local {rule} = {_lua(value)}\n" for rule, value in _RULES.items() if rule in whole]
        whole = "".join(rules) + whole
        scripts[name] = Script(name, whole, hashlib.sha1(whole.encode(), usedforsecurity=False).hexdigest())
    return scripts


SCRIPTS = _load()
