"""The Python API from its signatures and docstrings."""

from __future__ import annotations

import inspect
import re
from functools import cached_property
from typing import Any

import workroom
from docsite.reference.tables import toctree

_Group = tuple[str, str, list[str]]
_GROUPS: dict[str, _Group] = {
    "room": ("Room", "What scripts, notebooks and the code of jobs hold.", ["Room", "AsyncRoom"]),
    "jobs": (
        "Jobs and groups",
        "What submitting returns.",
        ["JobHandle", "AsyncJobHandle", "JobGroup", "AsyncJobGroup", "Ref"],
    ),
    "extensions": (
        "Extensions",
        "What a tool is made of, and what its `run()` is given.",
        ["Extension", "Concurrency", "JobContext", "current_job", "File", "FileRef"],
    ),
    "packs": (
        "Packs",
        "What a plug-in of the server uses. [Write a pack](../../howto/packs.md) shows how.",
        ["Pack", "View", "PackRouter", "PackRequest", "PackRoom"],
    ),
    "celery": (
        "Celery",
        "Tasks of a Celery app as extensions: [Celery](../../celery.md).",
        ["expose_celery"],
    ),
    "errors": (
        "Errors",
        "Each error of a server becomes the exception of its code; all are in `workroom.errors`. "
        "[Troubleshooting](../../troubleshooting.md) states what to do about each code.",
        ["WorkroomError", "JobFailed", "JobCancelled", "ResultTimeout"],
    ),
}
_NOT_DOCUMENTED = {"__version__", "errors"}
_NOT_CONSTRUCTED = {  # users are given these
    "AsyncJobGroup",
    "AsyncJobHandle",
    "File",
    "FileRef",
    "JobContext",
    "JobGroup",
    "JobHandle",
    "PackRequest",
    "PackRoom",
}
_INTERNAL = {  # what the worker calls
    "Extension.label",
    "Extension.model_json_schema",
    "JobContext.cancel",
    "JobContext.close",
    "JobContext.flush_progress",
    "JobContext.mask",
    "JobContext.relay",
    "JobContext.take_progress",
    "Room.over",
}
_EXAMPLE = re.compile(r"::$", re.MULTILINE)
_QUOTED = re.compile(r"""(: |-> )(['"])(.*?)\2(?=,|\)| =|$)""")
_ROLE = re.compile(r":\w+:(`[^`]+`)")


def python_pages() -> dict[str, str]:
    groups = {**_GROUPS, **_rest()}
    pages = {f"reference/python/{key}.md": _page(*group) for key, group in groups.items()}
    intro = (
        "# Python\n\nThe public names of `workroom`, from their docstrings. Everything else may change.\n\n"
    )
    return {"reference/python.md": intro + toctree(f"python/{key}" for key in groups), **pages}


def _rest() -> dict[str, _Group]:
    """The public names that are in no group yet."""
    documented = {name for _, _, names in _GROUPS.values() for name in names}
    names = sorted(set(workroom.__all__) - documented - _NOT_DOCUMENTED)
    return {"more": ("More", "Other public names.", names)} if names else {}


def _page(title: str, intro: str, names: list[str]) -> str:
    return "\n".join([f"# {title}", "", intro, "", *(_described(name) for name in names)])


def _described(name: str) -> str:
    found = getattr(workroom, name)
    if not inspect.isclass(found):
        return f"## {name}\n\n{_signed(name, found)}"
    parts = [f"## {name}", "", _constructor(name, found), _doc(found)]
    parts += [
        _member(name, member, value)
        for member, value in _members(found).items()
        if f"{name}.{member}" not in _INTERNAL
    ]
    return "\n".join(parts)


def _constructor(name: str, kind: type) -> str:
    if name in _NOT_CONSTRUCTED or issubclass(kind, Exception):
        return ""
    if name == "Extension":
        arguments = _parameters(inspect.signature(kind.__init_subclass__)).replace(
            "(", "(\n    Extension,", 1
        )
        return _code(f"class YourExtension{arguments.removesuffix(' -> None')}")
    return _code(f"class {name}{_parameters(inspect.signature(kind)).removesuffix(' -> None')}")


def _members(kind: type) -> dict[str, Any]:
    """Public methods and properties of the class and of those of its bases that are ours."""
    found: dict[str, Any] = {}
    for base in reversed(kind.__mro__):
        if base.__module__.startswith("workroom"):
            found |= {name: value for name, value in vars(base).items() if not name.startswith("_")}
    return {
        name: value
        for name, value in found.items()
        if inspect.isroutine(value) or isinstance(value, property | cached_property)
    }


def _member(owner: str, name: str, value: Any) -> str:
    if isinstance(value, property | cached_property):
        getter = value.fget if isinstance(value, property) else value.func
        kind = inspect.signature(getter).return_annotation if getter else ""
        return f"### {owner}.{name}\n\n{_code(f'{name}: {_type(kind)}')}\n{_doc(value)}"
    function = inspect.unwrap(value.__func__ if isinstance(value, classmethod | staticmethod) else value)
    return f"### {owner}.{name}\n\n{_signed(name, function)}"


def _signed(name: str, function: Any) -> str:
    prefix = "async def" if inspect.iscoroutinefunction(function) else "def"
    return f"{_code(f'{prefix} {name}{_parameters(inspect.signature(function))}')}\n{_doc(function)}"


def _parameters(signature: inspect.Signature) -> str:
    """On one line if that is short. Annotations are strings in our code, whose quotes are left out."""
    given = [each for each in signature.parameters.values() if each.name not in ("self", "cls")]
    text = _QUOTED.sub(r"\1\3", str(signature.replace(parameters=given)))
    if len(text) <= 80:
        return text
    inside, arrow, returned = text.partition(" -> ")
    return "(\n    " + _split(inside[1:-1]) + "\n)" + arrow + returned


def _split(inside: str) -> str:
    depth, parts = 0, [""]
    for character in inside:
        depth += (character in "[({") - (character in "])}")
        if character == "," and depth == 0:
            parts.append("")
        else:
            parts[-1] += character
    return ",\n    ".join(part.strip() for part in parts)


def _type(annotation: Any) -> str:
    return annotation if isinstance(annotation, str) else getattr(annotation, "__name__", str(annotation))


def _doc(found: Any) -> str:
    text = inspect.cleandoc(found.__doc__ or "")
    return _ROLE.sub(r"\1", _EXAMPLE.sub(":", text)) + "\n"


def _code(text: str) -> str:
    return f"```python\n{text}\n```\n"
