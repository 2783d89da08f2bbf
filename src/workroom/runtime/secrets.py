"""Secret fields: submitted in clear, masked in what a job prints, raises and returns."""

from __future__ import annotations

from collections.abc import Mapping
from functools import cache
from typing import Any

import orjson
from pydantic import SecretBytes, SecretStr
from pydantic.errors import PydanticInvalidForJsonSchema
from pydantic.types import Secret

from workroom.domain.schema.masking import Masker
from workroom.domain.schema.secret_fields import SecretFields, TooManyPlaces, take_out
from workroom.runtime.extension import Extension

_KINDS = (SecretStr, SecretBytes, Secret)


@cache
def _secret_fields(extension: type[Extension]) -> SecretFields | None:
    try:
        return SecretFields(extension.model_json_schema()) or None
    except PydanticInvalidForJsonSchema:
        return None


def submitted_values(extension: Extension, others: Mapping[str, Any] | None = None) -> dict[str, Any]:
    """The values to submit, with secrets in clear: Pydantic's own dump masks them.

    `others` are fields that Pydantic cannot dump, with their values.
    """
    excluded = set(others) if others else None
    values = extension.model_dump(mode="json", exclude=excluded)
    if _secret_fields(type(extension)) is not None:
        values = _reveal(values, extension.model_dump(exclude=excluded))
    return {**values, **others} if others else values


def _reveal(masked: Any, clear: Any) -> Any:
    if isinstance(clear, _KINDS):
        secret = clear.get_secret_value()
        return secret.decode() if isinstance(secret, bytes) else secret
    if isinstance(masked, dict) and isinstance(clear, dict):
        return {
            name: _reveal(each, secret)
            for (name, each), secret in zip(masked.items(), clear.values(), strict=True)
        }
    if isinstance(masked, list) and isinstance(clear, list | tuple | set | frozenset):
        return [_reveal(each, secret) for each, secret in zip(masked, clear, strict=True)]
    return masked


def masker_for(extension: type[Extension], data: bytes) -> Masker | None:
    """Masks the secrets among these values; None if the extension has no secret fields."""
    fields = _secret_fields(extension)
    if fields is None:
        return None
    values = orjson.loads(data)
    try:
        return Masker(value for _, value in take_out(values, fields.find(values)))
    except TooManyPlaces:
        return None


def mask_result(masker: Masker, result: bytes) -> bytes:
    return orjson.dumps(masker.value(orjson.loads(result)))
