"""The rules in Python, in Lua and in the model, each called with the plain facts of a vector."""

from __future__ import annotations

import json
from collections.abc import Callable, Sequence
from dataclasses import asdict
from functools import partial
from importlib import import_module
from importlib.resources import files
from pathlib import Path
from types import ModuleType
from typing import Any

import msgpack
import redis

from support.vectors.table import Vector
from workroom.domain.extension import Concurrency
from workroom.domain.job import JobError
from workroom.domain.rules.breaker import Breaker, Sign, opens
from workroom.domain.rules.finish import Ending
from workroom.domain.rules.queue import limits
from workroom.stores.redis.scripts import assemble
from workroom.testing.machine import decisions
from workroom.testing.machine.decisions import ModelBreaker
from workroom.testing.room_data import decisions as room_data

_MIRRORS = Path(str(files("workroom.stores.redis"))) / "lua/rules"
PATHS = {  # of each rule that Lua mirrors, the same in Python
    script.stem: script.relative_to(_MIRRORS).with_suffix("")
    for script in sorted(_MIRRORS.rglob("*.lua"), key=lambda script: script.stem)
}
RULES = tuple(PATHS)


def python_module(rule: str) -> ModuleType:
    """The module in `domain/rules` that has the name and the folder of the Lua rule."""
    return import_module(".".join(("workroom.domain.rules", *PATHS[rule].parts)))


# ── Python ──


def python_verdict(vector: Vector) -> Any:
    module, name = vector.rule.split(".")
    if module == "breaker":
        return _python_breaker(name, vector.facts)
    if vector.rule == "limits.limit_of":
        concurrency = vector.facts["concurrency"]
        return limits.limit_of(concurrency and Concurrency(**concurrency), vector.facts["lane"])
    facts = {**vector.facts}
    if "error" in facts:
        facts["error"] = JobError(**facts["error"])
    if name == "failure_line":
        facts["job_id"] = facts.pop("job")
    return _plain(getattr(python_module(module), name)(**facts))


def _python_breaker(name: str, facts: dict[str, Any]) -> Any:
    if name == "opens":
        return opens(**facts)
    breaker = Breaker(facts.get("ends", ""), facts["opened_us"], facts["trial"])
    arguments = {key: value for key, value in facts.items() if key not in ("ends", "opened_us", "trial")}
    if "sign" in arguments:
        arguments["sign"] = Sign(arguments["sign"])
    return _plain(getattr(breaker, name)(**arguments))


def _plain(verdict: Any) -> Any:
    if isinstance(verdict, Breaker):
        return [verdict.ends, verdict.opened_us, verdict.trial]
    if isinstance(verdict, Ending):
        return [verdict.fate, verdict.sign]
    return asdict(verdict) if isinstance(verdict, JobError) else verdict


# ── Lua ──

_NIL = "\0nil"
_RUN = f"""-- needs: {" ".join(f"rules/{name}" for name in RULES)}
local RULES = {{{", ".join(f"{name} = {name}" for name in RULES)}}}
local NIL = '\\0nil'

local function pack(...)
  local values = {{...}}
  for index = 1, select('#', ...) do
    if values[index] == nil then
      values[index] = NIL
    end
  end
  return values
end

if ARGV[1] == 'names' then
  local names = {{}}
  for rule, functions in pairs(RULES) do
    local _ = functions.any  -- rarely used functions are made when the first one is looked for
    for name in pairs(functions) do
      names[#names + 1] = rule .. '.' .. name
    end
  end
  return names
end

local verdicts = {{}}
for index, case in ipairs(cmsgpack.unpack(ARGV[1])) do
  local rule, name, count, facts = unpack(case)
  local values = pack(RULES[rule][name](unpack(facts, 1, count)))
  if rule == 'failure' and type(values[1]) == 'table' then
    values = {{failure.encode(values[1])}}
  end
  verdicts[index] = values
end
return cmsgpack.pack(verdicts)
"""


class LuaRules:
    """The files in `lua/rules`, run by a real server with the constants that the store gives them."""

    def __init__(self, client: redis.Redis) -> None:
        self._run: Callable[[bytes | str], Any] = partial(client.eval, assemble(_RUN), 0)

    def function_names(self) -> set[str]:
        return {name.decode() for name in self._run("names")}

    def verdicts(self, vectors: Sequence[Vector]) -> list[Any]:
        """All in one call; a function that returns several values has a list of them as its verdict."""
        packed = self._run(msgpack.packb([_lua_case(vector) for vector in vectors]))
        values = msgpack.unpackb(packed, strict_map_key=False)
        return [_lua_verdict(vector, each) for vector, each in zip(vectors, values, strict=True)]


def _lua_case(vector: Vector) -> list[Any]:
    module, name = vector.rule.split(".")
    facts = [_lua_error(value) if key == "error" else value for key, value in vector.facts.items()]
    return [module, name, len(facts), facts]


def _lua_error(error: dict[str, Any]) -> list[str]:
    return [error["type"], error["message"], json.dumps(error["details"]), error["stack_trace"]]


def _lua_verdict(vector: Vector, values: list[Any]) -> Any:
    found: list[Any] = [None if value == _NIL else value for value in values]
    if isinstance(vector.verdict, list):
        return found
    return json.loads(found[0]) if isinstance(vector.verdict, dict) else found[0]


# ── the model ──


def _model_breaker(act: str, sign: str | None, facts: dict[str, Any]) -> Any:
    now_us, token = facts.get("now_us", 0), facts.get("token", "")
    ends = [each == "1" for each in facts.get("ends", "")]
    breaker = ModelBreaker(ends, facts.get("opened_us"), facts.get("trial"))
    if act == "opens":
        return breaker.has_too_many_failures
    if act == "admits":
        return breaker.admits(now_us)
    if act == "admits_trial":
        return breaker.is_open and breaker.admits(now_us)
    if act == "lets_start":
        return breaker.lets_start(token)
    if act == "trying":
        breaker.assign(token)
    else:
        breaker.end(sign or facts["sign"], token, now_us)
    return ["".join("01"[failed] for failed in breaker.ends), breaker.opened_us, breaker.trial]


_MODEL: dict[str, Callable[..., Any]] = {
    "start.decide": decisions.start,
    "unbegun.decide": decisions.give_back,
    "finish.receive": decisions.receive,
    "finish.is_repeat": decisions.is_repeat,
    "finish.was_retried": decisions.was_retried,
    "finish.after_report": decisions.after_report,
    "finish.after_error": decisions.after_error,
    "finish.after_timeout": decisions.after_timeout,
    "cancel.decide": decisions.cancel,
    "exchanges.set_external": decisions.set_external,
    "exchanges.fits": decisions.fits_exchange,
    "exchanges.answer": decisions.answer,
    "consent.is_needed": decisions.needs_consent,
    "consent.approver": decisions.approver,
    "registration.conflict": decisions.conflict,
    "registration.is_held": decisions.is_held,
    "registration.decide": decisions.register,
    "loss.is_awaited": decisions.is_awaited,
    "loss.decide": decisions.lose,
    "retry.after_loss": decisions.after_lost_try,
    "retry.after_error": lambda retry_on, retries, tries: decisions.after_timeout(
        retry_on, retries, tries, False
    )[0],
    "retry.backoff_s": decisions.backoff_s,
    "retry.capped_due_us": decisions.capped_due_us,
    "postponing.enqueues_us": decisions.enqueues_us,
    "grouping.join": decisions.join,
    "grouping.is_over": decisions.is_group_over,
    "following.follow": decisions.follow,
    "following.group_end": decisions.group_end,
    "following.skip_reason": decisions.skip_reason,
    "limits.limit_of": decisions.limit_of,
    "limits.free_places": decisions.free_places,
    "unique.decide": decisions.compare_duplicate,
    "rates.interval_us": decisions.interval_us,
    "rates.most_at_once": decisions.most_at_once,
    "rates.capped_us": decisions.capped_us,
    "rates.free_starts": decisions.free_starts,
    "rates.opens_us": decisions.opens_us,
    "rates.after_start": decisions.after_start,
    "rates.after_return": decisions.after_return,
    "fair_share.rank": decisions.rank,
    "fair_share.start_tag": decisions.start_tag,
    "fair_share.finish_tag": decisions.finish_tag,
    "fair_share.begins": decisions.begins,
    "fair_share.virtual_time": decisions.virtual_time,
    "fair_share.aged_before": decisions.aged_before,
    "fair_share.raised": decisions.raised,
    "reconcile.is_reboot": decisions.is_reboot,
    "reconcile.judge": decisions.judge_hold,
    "departure.leaves_us": decisions.leaves_us,
    "departure.is_over": decisions.is_departure_over,
    "lease.lease_of": decisions.lease_of,
    "lease.until_after_disconnect": decisions.until_after_disconnect,
    "upkeep.is_outage": decisions.is_outage,
    "upkeep.spares": decisions.spares,
    "upkeep.clock_jump_us": decisions.clock_jump_us,
    "upkeep.is_upkeep_due": decisions.is_upkeep_due,
    "upkeep.steady_since_us": decisions.steady_since_us,
    "upkeep.may_forget": decisions.may_forget,
    "locks.is_live": room_data.is_live,
    "locks.ends_with_job": room_data.ends_with_job,
    "locks.acquire": room_data.acquire,
    "locks.exceeded": room_data.exceeded_locks,
    "locks.is_place_due": room_data.is_place_due,
    "locks.is_holders_job": room_data.is_holders_job,
    "locks.write": room_data.write,
    "documents.decide": room_data.edit,
    "documents.exceeded": room_data.exceeded_data,
    "versions.to_undo": room_data.to_undo,
    "versions.to_redo": room_data.to_redo,
    "versions.is_over": room_data.is_over,
    "versions.after_undo": room_data.after_undo,
    "versions.amends": room_data.amends,
    "versions.rolls_back": room_data.rolls_back,
    "versions.after_rollback": room_data.after_rollback,
}
_SIGNS = {
    "after_success": "success",
    "after_failure": "failure",
    "after_repeat": "again",
    "after_no_verdict": "none",
}


def is_modelled(rule: str) -> bool:
    """The model decides; it writes no texts."""
    return not rule.startswith("failure.")


def model_verdict(rule: str, facts: dict[str, Any]) -> Any:
    module, name = rule.split(".")
    if module == "breaker":
        return _model_breaker(name, _SIGNS.get(name), facts)
    verdict = _MODEL[rule](*facts.values())
    return list(verdict) if isinstance(verdict, tuple) else verdict
