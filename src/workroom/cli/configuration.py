"""The settings of `workroom serve`, and words for those that cannot be used."""

from __future__ import annotations

import os
import tomllib
from typing import TYPE_CHECKING, Any

from workroom.cli.mistakes import UsageMistake

if TYPE_CHECKING:
    from pydantic_core import ErrorDetails

    from workroom.settings import Settings


def configuration(given: dict[str, Any]) -> Settings:
    """The settings; what was given by flags comes first."""
    from pydantic import ValidationError  # noqa: PLC0415 - heavy, and `--help` does not need it

    from workroom.settings import Settings  # noqa: PLC0415

    flags = {name: value for name, value in given.items() if value is not None}
    try:
        return Settings(**flags)
    except ValidationError as error:
        raise UsageMistake("; ".join(_fault(each, flags) for each in error.errors())) from error
    except tomllib.TOMLDecodeError as error:
        raise UsageMistake(f"workroom.toml cannot be read: {error}") from error


def _fault(fault: ErrorDetails, flags: dict[str, Any]) -> str:
    why = fault["msg"].removeprefix("Value error, ").replace("Input should", "it should")
    if not fault["loc"]:
        return why
    name = str(fault["loc"][0])
    return f"{_source(name, flags)} cannot be {fault['input']!r}: {why}"


def _source(name: str, flags: dict[str, Any]) -> str:
    """Where the user would look for it."""
    if name in flags:
        return f"--{name.replace('_', '-')}"
    variable = f"WORKROOM_{name.upper()}"
    return variable if os.environ.get(variable) else f"{name} in workroom.toml"
