"""JSON Schemas in words: `list of Job or null`."""

from __future__ import annotations

from typing import Any

from docsite.reference.tables import table

Schema = dict[str, Any]


def type_of(schema: Schema) -> str:
    if "$ref" in schema:
        return f"`{name_of(schema['$ref'])}`"
    if "enum" in schema or "const" in schema:
        return " or ".join(f"`{value}`" for value in schema.get("enum", [schema.get("const")]))
    options = schema.get("anyOf") or schema.get("oneOf") or schema.get("allOf")
    if options:
        return " or ".join(dict.fromkeys(type_of(option) for option in options))
    if schema.get("type") == "array":
        return f"list of {type_of(schema.get('items', {}))}"
    kind = schema.get("type", "any JSON")
    return " or ".join(kind) if isinstance(kind, list) else str(kind)


def limits_of(schema: Schema) -> str:
    words = {
        "minimum": "at least",
        "exclusiveMinimum": "more than",
        "maximum": "at most",
        "maxLength": "characters at most",
        "maxItems": "items at most",
        "default": "default",
    }
    return ", ".join(
        f"{word} {_shown(schema[key])}" for key, word in words.items() if schema.get(key) is not None
    )


def _shown(value: Any) -> str:
    return f"{value:,}" if isinstance(value, int) and not isinstance(value, bool) else f"`{value}`"


def name_of(reference: str) -> str:
    return reference.rpartition("/")[2]


def fields(schema: Schema) -> str:
    """A table of the properties of an object; nothing for other schemas."""
    required = set(schema.get("required", ()))
    return table(
        ["field", "type", ""],
        (
            [
                f"`{name}`",
                type_of(each),
                ". ".join(
                    filter(
                        None,
                        [
                            "required" if name in required and "default" not in each else "",
                            each.get("description", ""),
                            limits_of(each),
                        ],
                    )
                ),
            ]
            for name, each in schema.get("properties", {}).items()
        ),
    )
