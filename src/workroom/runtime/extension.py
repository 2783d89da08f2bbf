"""The base class of extensions: a Pydantic model with `run()`."""

from __future__ import annotations

import inspect
import os
from collections.abc import Callable, Mapping, Sequence
from dataclasses import dataclass
from functools import cache
from typing import Any, ClassVar, Literal

from pydantic import BaseModel, create_model
from pydantic.json_schema import DEFAULT_REF_TEMPLATE, GenerateJsonSchema, JsonSchemaMode

from workroom.domain.extension import (
    COUNTED_STATES,
    Concurrency,
    ExtensionKey,
    OnDuplicate,
    OnLost,
    Policy,
    RetryOn,
    check_names,
)
from workroom.domain.schema.concurrency_keys import check_rate
from workroom.domain.schema.unique_keys import check_window
from workroom.runtime.form_schema import FormSchema

DEFAULT_CATEGORY = "analysis"
INJECTED = ("room", "job")
ISOLATED = "WORKROOM_ISOLATED"


class ScriptEnd(BaseException):
    """Ends a script that an isolated job runs for its definitions only."""


def is_isolated() -> bool:
    return ISOLATED in os.environ


@dataclass(frozen=True, slots=True)
class Isolation:
    """Run in a separate process, which can be killed. Protects against accidents, not against malice."""

    memory_mb: int | None = None
    cpu_s: int | None = None


class Extension(BaseModel):
    """A typed unit of work.

    Subclass it, declare fields and write `run()`. It may take `room` and `job`, and may be `async`. Its
    return value is the job's result::

        class Smooth(Extension, category="modifiers"):
            window: int = 5

            def run(self, room, job): ...
    """

    category: ClassVar[str] = DEFAULT_CATEGORY
    extension_name: ClassVar[str] = "Extension"
    policy: ClassVar[Policy] = Policy()
    isolation: ClassVar[Isolation | None] = None
    keep_on_failure: ClassVar[bool] = False

    def __init_subclass__(
        cls,
        *,
        category: str | None = None,
        name: str | None = None,
        priority: int = 0,
        retries: int = 0,
        retry_on: Literal["worker_lost", "error"] = "worker_lost",
        timeout: float | None = None,
        concurrency: Concurrency | None = None,
        actor: str | None = None,
        on_lost: Literal["stop", "continue"] | None = None,
        lease: float | None = None,
        rate: str | None = None,
        rate_key: str | None = None,
        rates: Mapping[str, str] | None = None,
        unique: str | None = None,
        unique_within: float | None = None,
        on_duplicate: Literal["join", "refuse", "replace"] = "join",
        unique_states: Sequence[str] = COUNTED_STATES,
        isolation: Literal["thread", "process"] = "thread",
        memory_mb: int | None = None,
        cpu_s: int | None = None,
        keep_on_failure: bool = False,
        **kwargs: Any,
    ) -> None:
        super().__init_subclass__(**kwargs)
        cls.category = category or cls.category
        cls.extension_name = name or cls.__name__
        cls.policy = Policy(
            priority,
            retries,
            RetryOn(retry_on),
            timeout,
            concurrency,
            actor,
            None if on_lost is None else OnLost(on_lost),
            lease,
            rate,
            rate_key,
            rates or {},
            unique,
            unique_within,
            OnDuplicate(on_duplicate),
            tuple(unique_states),
        )
        check_rate(rate, rate_key, rates)
        check_window(unique, unique_within, on_duplicate, unique_states)
        cls.isolation = Isolation(memory_mb, cpu_s) if isolation == "process" else None
        cls.keep_on_failure = keep_on_failure
        check_names(ExtensionKey(None, cls.category, cls.extension_name))

    @classmethod
    def model_json_schema(
        cls,
        by_alias: bool | None = None,
        ref_template: str = DEFAULT_REF_TEMPLATE,
        schema_generator: type[GenerateJsonSchema] = FormSchema,
        mode: JsonSchemaMode = "validation",
        **options: Any,
    ) -> dict[str, Any]:
        """Pydantic's schema, with what a form needs."""
        return super().model_json_schema(by_alias, ref_template, schema_generator, mode, **options)

    @classmethod
    def label(cls) -> str:
        return f"{cls.category}/{cls.extension_name}"


def run_method(extension: type[Extension]) -> Callable[..., Any]:
    """The `run` of a class; raises TypeError if there is none."""
    run: Callable[..., Any] | None = getattr(extension, "run", None)
    if run is None:
        raise TypeError(f"{extension.__name__} has no run() method: add `def run(self, room, job): ...`")
    return run


@cache
def injected_names(run: Callable[..., Any]) -> tuple[str, ...]:
    """Which of `room` and `job` a function takes."""
    return tuple(name for name in INJECTED if name in inspect.signature(run).parameters)


def from_function(
    function: Callable[..., Any], *, category: str = DEFAULT_CATEGORY, name: str | None = None, **policy: Any
) -> type[Extension]:
    """An extension whose fields are the parameters of a function."""
    parameters = inspect.signature(function, eval_str=True).parameters.values()
    fields: dict[str, Any] = {
        each.name: (
            Any if each.annotation is each.empty else each.annotation,
            ... if each.default is each.empty else each.default,
        )
        for each in parameters
        if each.name not in INJECTED
    }
    for field in fields:
        if field.startswith("_") or hasattr(Extension, field):
            raise TypeError(f"{function.__name__}() cannot have a parameter '{field}': choose another name")
    injected = injected_names(function)

    def arguments(values: BaseModel, room: Any, job: Any) -> dict[str, Any]:
        values_by_name = {"room": room, "job": job}
        return {
            **{field: getattr(values, field) for field in fields},
            **{name: values_by_name[name] for name in injected},
        }

    def run(self: BaseModel, room: Any, job: Any) -> Any:
        return function(**arguments(self, room, job))

    async def run_async(self: BaseModel, room: Any, job: Any) -> Any:
        return await function(**arguments(self, room, job))

    made = create_model(
        name or function.__name__,
        __base__=Extension,
        __doc__=function.__doc__,
        __module__=function.__module__,
        __cls_kwargs__={"category": category, "name": name or function.__name__, **policy},
        **fields,
    )
    made.run = run_async if inspect.iscoroutinefunction(function) else run  # type: ignore[attr-defined]
    return made
