"""Reads the settings of `workroom serve`, and explains invalid ones."""

from __future__ import annotations

import os
import tomllib
from typing import TYPE_CHECKING, Any

from workroom.cli.errors import UsageError

if TYPE_CHECKING:
    from pydantic_core import ErrorDetails

    from workroom.settings import Settings


def configuration(options: dict[str, Any]) -> Settings:
    """The settings; options of the command line come first."""
    from pydantic import ValidationError  # noqa: PLC0415 - slow to import, `--help` is fast

    from workroom.settings import Settings  # noqa: PLC0415

    flags = {name: value for name, value in options.items() if value is not None}
    try:
        return Settings(**flags)
    except ValidationError as error:
        raise UsageError("; ".join(_explain(each, flags) for each in error.errors())) from error
    except tomllib.TOMLDecodeError as error:
        raise UsageError(f"workroom.toml cannot be read: {error}") from error


def _explain(fault: ErrorDetails, flags: dict[str, Any]) -> str:
    why = fault["msg"].removeprefix("Value error, ").replace("Input should", "it should")
    if not fault["loc"]:
        return why
    name = str(fault["loc"][0])
    return f"{_source(name, flags)} cannot be {fault['input']!r}: {why}"


def _source(name: str, flags: dict[str, Any]) -> str:
    """Where the user set it."""
    if name in flags:
        return f"--{name.replace('_', '-')}"
    variable = f"WORKROOM_{name.upper()}"
    return variable if os.environ.get(variable) else f"{name} in workroom.toml"
