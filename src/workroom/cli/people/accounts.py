"""`workroom user …` and `workroom token …`: accounts and tokens. Needs access to the data directory."""

from __future__ import annotations

import sys
from typing import Annotated, Any

import typer

from workroom.cli.errors import UsageError
from workroom.cli.options import AsJson
from workroom.cli.people.admin_client import DataDir, admin_client
from workroom.cli.tables import print_json
from workroom.domain.identity import Role

users = typer.Typer(help="Add accounts, change passwords and roles, disable accounts.", no_args_is_help=True)
tokens = typer.Typer(help="Tokens for machines.", no_args_is_help=True)

Name = Annotated[str, typer.Argument(help="The account's name.")]
FromStdin = Annotated[bool, typer.Option("--password-stdin", help="Read the password from standard input.")]


@users.command("add")
def add(
    name: Name,
    role: Annotated[Role, typer.Option(help="user or admin.")] = Role.USER,
    display_name: Annotated[
        str | None, typer.Option(help="The name others see: any script, spaces. Default: the name as typed.")
    ] = None,
    password_stdin: FromStdin = False,
    data_dir: DataDir = None,
) -> None:
    """Add an account with a password."""
    password = _password(from_stdin=password_stdin)
    body = {"name": name, "display_name": display_name, "role": role, "password": password}
    with admin_client(data_dir) as admin:
        account = admin.call("POST", "/api/users", body)
    print(f"Added {_label(account)}, {account['role']}.")


@users.command("passwd")
def passwd(name: Name, password_stdin: FromStdin = False, data_dir: DataDir = None) -> None:
    """Change the password of an account; it must log in again everywhere."""
    password = _password(from_stdin=password_stdin)
    with admin_client(data_dir) as admin:
        admin.call("PATCH", f"/api/users/{name}", {"password": password})
    print(f"{name} has a new password.")


@users.command("role")
def role(
    name: Name,
    role: Annotated[Role, typer.Argument(help="guest, user or admin.")],
    data_dir: DataDir = None,
) -> None:
    """Change the role of an account; it must log in again everywhere."""
    with admin_client(data_dir) as admin:
        admin.call("PATCH", f"/api/users/{name}", {"role": role})
    print(f"{name} now has the role {role}.")


@users.command("disable")
def disable(name: Name, data_dir: DataDir = None) -> None:
    """Disable an account at once."""
    with admin_client(data_dir) as admin:
        admin.call("PATCH", f"/api/users/{name}", {"disabled": True})
    print(f"{name} is disabled.")


@users.command("enable")
def enable(name: Name, data_dir: DataDir = None) -> None:
    """Enable an account again."""
    with admin_client(data_dir) as admin:
        admin.call("PATCH", f"/api/users/{name}", {"disabled": False})
    print(f"{name} is enabled.")


@users.command("list")
def list_users(data_dir: DataDir = None, as_json: AsJson = False) -> None:
    """List all accounts. `workroom users` does it over the network."""
    found: list[dict[str, Any]] = []
    after: str | None = ""
    with admin_client(data_dir) as admin:
        while after is not None:
            page = admin.call("GET", f"/api/users?limit=500&after={after}")
            found += page["items"]
            after = page["next_after"]
    if as_json:
        print_json(found)
        return
    for account in found:
        disabled = "  disabled" if account["disabled"] else ""
        print(f"{account['name']:32} {account['role']:8} {account['display_name']}{disabled}")


@tokens.command("create")
def create(
    name: Annotated[str, typer.Argument(help="The name of the machine.")],
    role: Annotated[Role, typer.Option(help="worker, runner, user or admin.")] = Role.WORKER,
    days: Annotated[float | None, typer.Option(min=0.001, help="How long it is valid. Default: 30.")] = None,
    data_dir: DataDir = None,
) -> None:
    """Print a token for a machine. Set WORKROOM_TOKEN to it there.

    The role worker offers extensions, including public ones, and runs their jobs, but cannot enter rooms.
    The role runner runs the server's own extensions, for a Celery fleet.
    """
    body = {"name": name, "role": role, "days": days}
    with admin_client(data_dir) as admin:
        created = admin.call("POST", "/api/tokens", body)
    print(created["token"])
    print(f"It expires at {created['expires_at']}. Workers renew it while they run.", file=sys.stderr)


@tokens.command("revoke")
def revoke(name: Name, data_dir: DataDir = None) -> None:
    """Revoke all tokens of an account at once."""
    with admin_client(data_dir) as admin:
        admin.call("POST", "/api/token/revoke", {"user": name})
    print(f"Revoked all tokens of {name}.")


def _label(account: dict[str, str]) -> str:
    """The id, followed by the display name if that differs."""
    name, shown = account["name"], account["display_name"]
    return name if shown.casefold() == name else f"{name} ({shown})"


def _password(*, from_stdin: bool) -> str:
    if from_stdin:
        return sys.stdin.readline().rstrip("\n")
    if not sys.stdin.isatty():
        raise UsageError("cannot prompt for the password without a terminal: use --password-stdin")
    return str(typer.prompt("Password", hide_input=True, confirmation_prompt=True))
