"""Masks secret values in everything that is stored or shown."""

from __future__ import annotations

import re
from collections.abc import Iterable, Iterator
from typing import Any
from urllib.parse import quote

MASK = "**********"
SHORTEST = 4  # a shorter secret occurs in other text by chance
MASKED_MARK = "~"


def marked(token: str) -> str:
    """Mark the token of an attempt whose job has secrets, so each report shows that it must be masked."""
    return f"{MASKED_MARK}{token}"


def carries_secrets(token: str) -> bool:
    return token.startswith(MASKED_MARK)


class Masker:
    """Replaces secret values wherever they occur in texts and JSON values."""

    def __init__(self, secrets: Iterable[Any]) -> None:
        forms = {form for secret in secrets for form in _forms(secret)}
        longest_first = sorted(forms, key=len, reverse=True)
        self._pattern = re.compile("|".join(map(re.escape, longest_first))) if forms else None
        self._forms = forms

    def text(self, text: str) -> str:
        return text if self._pattern is None else self._pattern.sub(MASK, text)

    def value(self, value: Any) -> Any:
        """A JSON value with secrets masked in strings, in keys and in numbers."""
        if isinstance(value, str):
            return self.text(value)
        if isinstance(value, dict):
            return {self.text(key): self.value(each) for key, each in value.items()}
        if isinstance(value, list):
            return [self.value(each) for each in value]
        is_number = isinstance(value, int | float) and not isinstance(value, bool)
        return MASK if is_number and str(value) in self._forms else value


class BlankMasker(Masker):
    """Masks all text, for secrets that can no longer be decrypted."""

    def __init__(self) -> None:
        super().__init__(())

    def text(self, text: str) -> str:
        return MASK if text else text


def _forms(secret: Any) -> Iterator[str]:
    """The forms in which a secret may be printed: as it is, escaped, URL-quoted, and line by line."""
    for text in _texts(secret):
        for part in (text, *text.splitlines()):
            for form in (part, part.strip(), repr(part)[1:-1], _escaped(part), quote(part, safe="")):
                if len(form) >= SHORTEST:
                    yield form


def _escaped(text: str) -> str:
    return text.replace("\\", "\\\\").replace('"', '\\"').replace("\n", "\\n").replace("\t", "\\t")


def _texts(secret: Any) -> Iterator[str]:
    if isinstance(secret, dict):
        for each in secret.values():
            yield from _texts(each)
    elif isinstance(secret, list):
        for each in secret:
            yield from _texts(each)
    elif isinstance(secret, str):
        yield secret
    elif isinstance(secret, int | float) and not isinstance(secret, bool):
        yield str(secret)
