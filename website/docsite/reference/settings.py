"""The settings of the server, from the class that reads them."""

from __future__ import annotations

from enum import Enum
from typing import Any, get_args

from pydantic.fields import FieldInfo
from pydantic_core import PydanticUndefined

from docsite.reference.tables import table
from workroom.quota_settings import QuotaSettings
from workroom.settings import Settings

_INTRO = """# Settings

Every setting of the server is a variable of the environment, or a line of `workroom.toml` in the working
directory (`port = 9000`); the most used ones are options of [`workroom
serve`](commands.md#workroom-serve) too. An option wins over the environment, the environment over the
file. Lists are separated by commas. [Security](../security.md#limits) states what happens beyond each
limit.

"""


def settings_page() -> str:
    quotas = {name for name in QuotaSettings.model_fields if name.startswith("quota_")}
    limits = {name for name in Settings.model_fields if name.startswith("max_") or name.endswith("_rate")}
    rest = Settings.model_fields.keys() - quotas - limits
    sections = {"General": rest, "Limits and rates": limits, "Quotas": quotas}
    return _INTRO + "\n".join(f"## {title}\n\n{_table(names)}" for title, names in sections.items())


def _table(names: Any) -> str:
    chosen = {name: field for name, field in Settings.model_fields.items() if name in names}
    return table(
        ["variable", "default", ""],
        (
            [
                f"`WORKROOM_{name.upper()}`",
                _default(field),
                ". ".join(filter(None, [field.description, _choices(field)])),
            ]
            for name, field in chosen.items()
        ),
    )


def _default(field: FieldInfo) -> str:
    if field.default is None or field.default is PydanticUndefined:
        return "none"
    if isinstance(field.default, bool):
        return "on" if field.default else "off"
    value = field.default.value if isinstance(field.default, Enum) else field.default
    return f"{value:,}" if isinstance(value, int) and value > 9999 else f"`{value}`"


def _choices(field: FieldInfo) -> str:
    """The values of a `Literal`."""
    values = get_args(field.annotation)
    return (
        " or ".join(f"`{value}`" for value in values)
        if values and all(isinstance(each, str) for each in values)
        else ""
    )
