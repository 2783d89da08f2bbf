"""Names of people: an id for programs, and a display name in any script."""

from __future__ import annotations

import re
import unicodedata

from workroom.errors import InvalidName

MAX_NAME = 64
RESERVED = frozenset({"me", "public", "global", "server", "system", "workroom"})
_ID = re.compile(r"[a-z0-9_.@-]{1,64}")
_PUNCTUATION = frozenset(" '‘’.,·・׳-‐–&()@_")  # noqa: RUF001 - as they are in names
_JOINERS = re.compile("[\u200c\u200d]")  # some scripts need them; the name reads the same without them
_INVISIBLE = re.compile(
    "[\u034f\u115f\u1160\u17b4\u17b5\u180b-\u180f\u2800\u3164\ufe00-\ufe0f\uffa0\U000e0100-\U000e01ef]"
)
_MARKS_ON_ONE_LETTER = 4  # the limit of UTS 39


def user_name(text: str) -> str:
    """The canonical id of an account. Raises InvalidName for text that cannot be an id."""
    name = unicodedata.normalize("NFKC", text).casefold()
    if not is_id(name):
        raise InvalidName("an id is 1 to 64 of the letters a to z, digits, dots, @, - and _", name=name[:100])
    if name in RESERVED:
        raise InvalidName(f"the id '{name}' is reserved", name=name)
    return name


def is_id(text: str) -> bool:
    return _ID.fullmatch(text) is not None and text.strip(".") != ""  # a path that ends in .. is another one


def display_name(text: str) -> str:
    """The normalized display name. Raises InvalidName for invisible or misleading characters."""
    normal = _JOINERS.sub("", unicodedata.normalize("NFKC", text))
    name = re.sub(" +", " ", normal).strip(" ")
    for char in name:
        if not _is_allowed(char):
            wrong = f"U+{ord(char):04X}"
            raise InvalidName(f"a name has letters, digits, spaces and ' . , - & ( ) @ _, but no {wrong}")
    if len(name) > MAX_NAME:
        raise InvalidName(f"a name has at most {MAX_NAME} characters, and this one has {len(name)}")
    if not any(char.isalnum() for char in name) or unicodedata.category(name[0])[0] == "M":
        raise InvalidName("a name has at least one letter or digit, and no accent before it")
    if _has_stacked_marks(name):
        raise InvalidName(f"a letter of a name has at most {_MARKS_ON_ONE_LETTER} accents")
    return name


def _is_allowed(char: str) -> bool:
    is_letter = unicodedata.category(char)[0] in "LMN" and not _INVISIBLE.match(char)
    return is_letter or char in _PUNCTUATION


def _has_stacked_marks(name: str) -> bool:
    kinds = "".join(unicodedata.category(char)[0] for char in unicodedata.normalize("NFD", name))
    return "M" * (_MARKS_ON_ONE_LETTER + 1) in kinds
