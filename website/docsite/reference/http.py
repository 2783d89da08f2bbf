"""The HTTP API from the OpenAPI document: a page for each of its tags."""

from __future__ import annotations

from collections.abc import Iterator
from typing import Any

from docsite.reference.schemas import Schema, fields, limits_of, type_of
from docsite.reference.tables import table, toctree

_EVENTS = "events"
_INTRO = """# HTTP

Every route of the server, made from its OpenAPI document. A running server shows the same at `/docs`,
where requests can be tried, and has the document at `/openapi.json`. Requests need `Authorization:
Bearer` with a token of `POST /api/login`, unless stated otherwise. Errors are problem documents, whose
`code` [Troubleshooting](../troubleshooting.md) explains.

"""


def http_pages(document: Schema) -> dict[str, str]:
    tags = [tag for tag in document["tags"] if tag["name"] != _EVENTS]
    schemas = document["components"]["schemas"]
    pages = {f"reference/http/{tag['name']}.md": _tag_page(tag, document) for tag in tags}
    pages["reference/http/schemas.md"] = _schemas_page(schemas)
    names = [f"http/{tag['name']}" for tag in tags]
    return {"reference/http.md": _INTRO + toctree([*names, "http/schemas"]), **pages}


def _tag_page(tag: dict[str, str], document: Schema) -> str:
    parts = [f"# {tag['name'].capitalize()}", "", tag["description"], ""]
    for path, method, operation in _operations(document):
        if tag["name"] in operation["tags"]:
            parts.append(_operation(path, method, operation))
    return "\n".join(parts)


def _operations(document: Schema) -> Iterator[tuple[str, str, Schema]]:
    for path, methods in document["paths"].items():
        for method, operation in methods.items():
            yield path, method, operation


def _operation(path: str, method: str, operation: Schema) -> str:
    return "\n".join(
        [
            f"## {operation['summary']}",
            "",
            f"```text\n{method.upper()} {path}\n```",
            "",
            operation["description"],
            "",
            _parameters(operation.get("parameters", [])),
            _body(operation.get("requestBody")),
            _responses(operation["responses"]),
        ]
    )


def _parameters(parameters: list[Schema]) -> str:
    return table(
        ["parameter", "in", "type", ""],
        (
            [
                f"`{each['name']}`",
                each["in"],
                type_of(each["schema"]),
                ". ".join(filter(None, [each.get("description", ""), limits_of(each["schema"])])),
            ]
            for each in parameters
        ),
    )


def _body(body: Schema | None) -> str:
    if body is None:
        return ""
    kinds = [f"{_schema(content)} as `{kind}`" for kind, content in body["content"].items()]
    return f"Body: {', or '.join(kinds)}.\n"


def _schema(content: dict[str, Any]) -> str:
    schema = content.get("schema", {})
    if "$ref" in schema:
        name = schema["$ref"].rpartition("/")[2]
        return f"[`{name}`](schemas.md#{name.lower()})"
    return type_of(schema) if schema else "bytes"


def _responses(responses: dict[str, Schema]) -> str:
    return table(
        ["status", "", "body"], ([f"`{status}`", *_response(each)] for status, each in responses.items())
    )


def _response(response: Schema) -> list[str]:
    description = response.get("description", "")
    content = response.get("content", {})
    bodies = [_schema(each) for each in content.values()]
    return ["" if description == "Successful Response" else description, ", ".join(dict.fromkeys(bodies))]


def _schemas_page(schemas: dict[str, Schema]) -> str:
    parts = ["# Schemas", "", "The objects in requests and responses.", ""]
    for name, schema in schemas.items():
        parts += [f"## {name}", "", schema.get("description", ""), "", fields(schema) or type_of(schema), ""]
    return "\n".join(parts)
