"""Display names that cannot be confused with one another, by UTS 39, and ids made from them."""

from __future__ import annotations

import re
import secrets
import unicodedata
from collections.abc import Iterator
from dataclasses import dataclass
from functools import cache

from anyascii import anyascii
from confusable_homoglyphs import categories, confusables

from workroom.domain.identity import ADMIN
from workroom.domain.names import MAX_NAME, RESERVED, display_name, is_id, user_name
from workroom.errors import InvalidName, NameTaken

_NEUTRAL = frozenset({"COMMON", "INHERITED"})
_MIXABLE_SCRIPTS = (  # within one name: UTS 39, "highly restrictive"
    {"LATIN", "HAN", "HIRAGANA", "KATAKANA"},
    {"LATIN", "HAN", "BOPOMOFO"},
    {"LATIN", "HAN", "HANGUL"},
)
_MARKS = "\u200e\u200f"  # around right-to-left letters in the library's data
_VARIANTS = 20


def checked_display_name(text: str, user: str = "") -> str:
    """A display name in one script that resembles no reserved name except the user's own id."""
    name = display_name(text)
    _check_scripts(name)
    if _fold_i(skeleton(name)) in _reserved_skeletons() - {_fold_i(skeleton(user))}:
        raise NameTaken(f"'{name}' is reserved, or resembles a reserved name: choose another", name=name)
    return name


def id_from(name: str) -> str:
    """`Grace Hopper` becomes grace-hopper, `李雷` lilei. A name without letters becomes a guest's."""
    if is_id(name.casefold()):
        return user_name(name)
    plain = anyascii(re.sub("['‘’׳`]", "", name)).casefold()  # noqa: RUF001 - apostrophes leave no gap
    made = re.sub("[^a-z0-9_@]*[^a-z0-9_.@][^a-z0-9_@]*", "-", plain).strip("-.")[:MAX_NAME].rstrip("-.")
    return user_name(made or f"guest-{secrets.token_hex(3)}")


@dataclass(frozen=True, slots=True)
class Variant:
    """An id to try, and the display name for it if the wanted one is taken."""

    user: str
    display_name: str


def variants(name: str) -> Iterator[Variant]:
    """Ids to try one after the other, until one is free."""
    first = id_from(name)
    yield Variant(first, name)
    for suffix in (*map(str, range(2, _VARIANTS)), secrets.token_hex(4)):
        user = f"{first[: MAX_NAME - 10]}-{suffix}"
        yield Variant(user, user if name == first else f"{name[: MAX_NAME - 12]} ({suffix})")


def skeletons(user: str, shown: str) -> tuple[str, ...]:
    """The skeletons of an account's id and display name."""
    return tuple({skeleton(user), skeleton(shown)})


@cache
def _reserved_skeletons() -> frozenset[str]:
    return frozenset(_fold_i(skeleton(name)) for name in (*RESERVED, ADMIN))


def _fold_i(text: str) -> str:
    """A capital i resembles an l. This protects reserved names only: Nell and Neil may both be guests."""
    return text.replace("i", "l")


def skeleton(name: str) -> str:
    """The skeleton of UTS 39, ignoring case: names that look alike have the same skeleton."""
    text = _prototypes(unicodedata.normalize("NFKC", name).casefold())
    return _prototypes(text.casefold())  # capitals of two scripts may look alike


def _prototypes(text: str) -> str:
    decomposed = unicodedata.normalize("NFD", text)
    return unicodedata.normalize("NFD", "".join(map(_prototype, decomposed)))


@cache
def _prototype(char: str) -> str:
    """The character that represents all characters that look like this one.

    The library lists each pair both ways. A character with exactly one look-alike is represented by it,
    unless that one has no other look-alike either: then the smaller of the two represents both.
    """
    alike = confusables.confusables_data.get(char, ())
    if len(alike) != 1:
        return char
    other: str = alike[0]["c"].strip(_MARKS)
    is_pair = len(other) == 1 and len(confusables.confusables_data.get(other, ())) == 1
    return min(char, other) if is_pair else other


def _check_scripts(name: str) -> None:
    used = {categories.alias(char) for char in name} - _NEUTRAL
    if len(used) > 1 and not any(used <= together for together in _MIXABLE_SCRIPTS):
        scripts = " and ".join(script.title() for script in sorted(used))
        raise InvalidName(
            f"a name must not mix {scripts} letters, which can look alike: write it in one script"
        )
