"""What can be told of deployment without an engine: its names, commands and settings exist."""

from __future__ import annotations

import re
import shlex
from pathlib import Path
from typing import Any

import pytest
import typer
from ruamel.yaml import YAML

from workroom.cli import app
from workroom.settings import Settings

ROOT = Path(__file__).parents[2]
ELSEWHERE = {"WORKROOM_URL", "WORKROOM_TOKEN", "WORKROOM_USER"}  # settings of clients
COMPOSE: dict[str, Any] = YAML(typ="safe").load(ROOT / "compose.yaml")
OURS = {name: each for name, each in COMPOSE["services"].items() if each.get("image") == "workroom"}


def is_known(variable: str) -> bool:
    return variable in ELSEWHERE or variable.removeprefix("WORKROOM_").lower() in Settings.model_fields


def is_command(words: list[str]) -> bool:
    """The command line would take these words."""
    everything: Any = typer.main.get_command(app)
    everything.commands[words[0]].make_context(words[0], words[1:])
    return True


@pytest.mark.parametrize("name", OURS)
def test_a_service_runs_a_command_with_settings_that_exist(name: str) -> None:
    service = OURS[name]

    assert is_command(service["command"])
    assert all(is_known(variable) for variable in service["environment"])


def test_all_servers_share_what_they_must() -> None:
    servers = [each for each in OURS.values() if each["command"][0] == "serve"]

    assert len(servers) == 2
    for shared in ("WORKROOM_STORE", "WORKROOM_SIGNING_KEY", "WORKROOM_STORAGE", "WORKROOM_BROKER"):
        assert len({each["environment"][shared] for each in servers}) == 1


def test_every_required_variable_is_in_the_example() -> None:
    asked = set(re.findall(r"\$\{(\w+)", (ROOT / "compose.yaml").read_text()))
    given = set(re.findall(r"^(\w+)=", (ROOT / "deploy" / "env.example").read_text(), re.MULTILINE))

    assert asked == given


def test_the_proxy_sends_to_servers_that_are_there() -> None:
    [line] = re.findall(r"reverse_proxy (.*) \{", (ROOT / "deploy" / "Caddyfile").read_text())

    assert {each.partition(":")[0] for each in line.split()} == {
        name for name, each in OURS.items() if each["command"][0] == "serve"
    }


def test_only_the_proxy_is_believed_who_a_request_comes_from() -> None:
    caddy = COMPOSE["services"]["caddy"]["networks"]["default"]["ipv4_address"]
    servers = [each for each in OURS.values() if each["command"][0] == "serve"]

    assert {each["environment"]["WORKROOM_PROXIES"] for each in servers} == {caddy}


def test_the_unit_runs_a_command_with_settings_that_exist() -> None:
    unit = (ROOT / "deploy" / "workroom.service").read_text()
    [command] = re.findall(r"^ExecStart=\S+/workroom (.*)$", unit, re.MULTILINE)

    assert is_command(shlex.split(command))
    assert all(is_known(variable) for variable in re.findall(r"(WORKROOM_\w+)=", unit))


def test_the_image_has_what_its_build_needs() -> None:
    needed = ("pyproject.toml", "hatch_build.py", "README.md", "LICENSE", "src", "web")
    let_in = re.findall(r"^!(.*)$", (ROOT / ".dockerignore").read_text(), re.MULTILINE)

    assert set(let_in) == set(needed)
    assert all((ROOT / each).exists() for each in needed)
