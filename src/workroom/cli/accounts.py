"""`workroom user …` and `workroom token …`: who may come in. For whoever can read the server's data."""

from __future__ import annotations

import sys
from typing import Annotated

import typer

from workroom.cli.administration import DataDir, administration
from workroom.cli.mistakes import UsageMistake
from workroom.domain.identity import Role

users = typer.Typer(help="Add people, change their password or role, shut them out.", no_args_is_help=True)
tokens = typer.Typer(help="Tokens for machines.", no_args_is_help=True)

Name = Annotated[str, typer.Argument(help="The account's name.")]
FromStdin = Annotated[bool, typer.Option("--password-stdin", help="Read the password from standard input.")]


@users.command("add")
def add(
    name: Name,
    role: Annotated[Role, typer.Option(help="user or admin.")] = Role.USER,
    password_stdin: FromStdin = False,
    data_dir: DataDir = None,
) -> None:
    """Add an account with a password."""
    password = _password(from_stdin=password_stdin)
    with administration(data_dir) as admin:
        account = admin.call("POST", "/api/users", {"name": name, "role": role, "password": password})
    print(f"Added {account['name']}, {account['role']}.")


@users.command("passwd")
def passwd(name: Name, password_stdin: FromStdin = False, data_dir: DataDir = None) -> None:
    """Give an account another password; it must log in again everywhere."""
    password = _password(from_stdin=password_stdin)
    with administration(data_dir) as admin:
        admin.call("PATCH", f"/api/users/{name}", {"password": password})
    print(f"{name} has a new password.")


@users.command("role")
def role(
    name: Name,
    role: Annotated[Role, typer.Argument(help="guest, user or admin.")],
    data_dir: DataDir = None,
) -> None:
    """Give an account another role; it must log in again everywhere."""
    with administration(data_dir) as admin:
        admin.call("PATCH", f"/api/users/{name}", {"role": role})
    print(f"{name} is {role} now.")


@users.command("disable")
def disable(name: Name, data_dir: DataDir = None) -> None:
    """Shut an account out, at once."""
    with administration(data_dir) as admin:
        admin.call("PATCH", f"/api/users/{name}", {"disabled": True})
    print(f"{name} is shut out.")


@users.command("enable")
def enable(name: Name, data_dir: DataDir = None) -> None:
    """Let an account in again."""
    with administration(data_dir) as admin:
        admin.call("PATCH", f"/api/users/{name}", {"disabled": False})
    print(f"{name} may log in again.")


@users.command("list")
def list_users(data_dir: DataDir = None) -> None:
    """Print every account."""
    after = ""
    with administration(data_dir) as admin:
        while True:
            page = admin.call("GET", f"/api/users?limit=500&after={after}")
            for account in page["items"]:
                shut = "  shut out" if account["disabled"] else ""
                print(f"{account['name']:32} {account['role']:8}{shut}")
            after = page["next_after"]
            if after is None:
                return


@tokens.command("create")
def create(
    name: Annotated[str, typer.Argument(help="What to call the machine.")],
    role: Annotated[Role, typer.Option(help="worker, runner, user or admin.")] = Role.WORKER,
    days: Annotated[float | None, typer.Option(min=0.001, help="How long it counts. Default: 30.")] = None,
    data_dir: DataDir = None,
) -> None:
    """Print a token for a machine: put it into WORKROOM_TOKEN there.

    With the role worker it offers extensions, public ones too, and runs their jobs. It enters no room.
    With the role runner it runs the server's own extensions: for a Celery fleet.
    """
    body = {"name": name, "role": role, "days": days}
    with administration(data_dir) as admin:
        print(admin.call("POST", "/api/tokens", body)["token"])


@tokens.command("revoke")
def revoke(name: Name, data_dir: DataDir = None) -> None:
    """Let every token of an account count no more, at once."""
    with administration(data_dir) as admin:
        admin.call("POST", "/api/token/revoke", {"user": name})
    print(f"The tokens of {name} count no more.")


def _password(*, from_stdin: bool) -> str:
    if from_stdin:
        return sys.stdin.readline().rstrip("\n")
    if not sys.stdin.isatty():
        raise UsageMistake("there is nobody to ask for the password: use --password-stdin")
    return str(typer.prompt("Password", hide_input=True, confirmation_prompt=True))
