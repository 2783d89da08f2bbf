"""The command line, from its own help."""

from __future__ import annotations

import re
from collections.abc import Iterator
from typing import Any, TypeAlias

import typer.main

from docsite.reference.tables import table
from workroom.cli import app

Command: TypeAlias = Any  # Typer has a copy of click, whose types are not public
Parameter: TypeAlias = Any

_INTRO = """# Commands

`workroom COMMAND --help` shows the same. The exit code is 0 if a command did what it was asked to, 1 if
it failed, and 2 if the command line is wrong, unless its description states otherwise.

"""


def commands_page() -> str:
    root = typer.main.get_command(app)
    return _INTRO + "\n".join(_described(name, command) for name, command in _commands("workroom", root))


def _commands(name: str, command: Command) -> Iterator[tuple[str, Command]]:
    if not hasattr(command, "commands"):
        yield name, command
        return
    for each, child in command.commands.items():
        yield from _commands(f"{name} {each}", child)


def _described(name: str, command: Command) -> str:
    arguments = [each for each in command.params if each.param_type_name == "argument"]
    options = [each for each in command.params if each.param_type_name == "option" and each.name != "help"]
    usage = " ".join([name, *(_usage(each) for each in arguments), *(["[options]"] if options else [])])
    return "\n".join(
        [
            f"## {name}",
            "",
            f"```text\n{usage}\n```",
            "",
            _help(command.help),
            "",
            table(
                ["argument", ""], ([f"`{each.name}`", _help(getattr(each, "help", ""))] for each in arguments)
            ),
            table(["option", ""], ([_option(each), _help(getattr(each, "help", ""))] for each in options)),
        ]
    )


def _usage(argument: Parameter) -> str:
    name = (argument.name or "").upper() + ("…" if argument.nargs == -1 else "")
    return name if argument.required else f"[{name}]"


def _option(option: Parameter) -> str:
    return ", ".join(f"`{each}`" for each in [*option.opts, *option.secondary_opts])


def _help(text: str | None) -> str:
    """Plain text: a `*` or `<` in it is no markup."""
    return re.sub(r"([*<_\[\]])", r"\\\1", (text or "").replace("\b", ""))
