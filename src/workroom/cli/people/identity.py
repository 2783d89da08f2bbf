"""`workroom login`, `logout` and `whoami`."""

from __future__ import annotations

from typing import TYPE_CHECKING, Annotated, Any

import typer

from workroom.cli.errors import CommandError, UsageError
from workroom.cli.options import DEFAULT_URL, AsJson, Password, Url, User
from workroom.errors import Unauthenticated

if TYPE_CHECKING:
    from workroom.client.transport.identity import TokenFile

_FRAGMENT = "/#login="


def login(
    link: Annotated[str | None, typer.Argument(help="The admin link that `serve` prints.")] = None,
    url: Url = None,
    user: User = None,
    password: Password = None,
) -> None:
    """Log in with the admin link, or with a name and a password. This machine stores the token."""
    from workroom.client.transport.http import call_once  # noqa: PLC0415 - slow to import, `--help` is fast

    if link is not None:
        server, fragment, code = link.partition(_FRAGMENT)
        if not fragment:
            raise UsageError(f"'{link}' is not a link like {DEFAULT_URL}{_FRAGMENT}…")
        body = {"code": code}
    elif user is not None:
        server = url or DEFAULT_URL
        body = {"name": user, "password": password or typer.prompt("Password", hide_input=True)}
    else:
        raise UsageError("pass the admin link, or --user")
    reply = call_once(server, None, "POST", "/api/login", body)
    name = reply["user"]
    _token_file(server, name).store(reply["token"])
    print(f"Logged in to {server} as {reply['display_name']} ({reply['role']}). Use --user {name}.")


def logout(
    url: Url = None,
    user: User = None,
    password: Password = None,
    everywhere: Annotated[
        bool,
        typer.Option("--all", help="End all your login sessions, on every machine and in every browser"),
    ] = False,
) -> None:
    """Log out: revoke the token that this machine stores, and every token renewed from it."""
    from workroom.client.transport.http import call_once  # noqa: PLC0415 - slow to import, `--help` is fast

    server, name = url or DEFAULT_URL, _user_name(user, password)
    stored = _token_file(server, name)
    token = stored.load() or _password_token(server, name, password)
    if token is None:
        raise _not_logged_in(server, name)
    stored.forget(token)
    try:
        call_once(server, token, "POST", "/api/token/revoke", {"all": everywhere})
    except Unauthenticated as error:
        raise CommandError("the stored login had already ended; it is removed now") from error
    print(f"{name} is logged out of {server}{', everywhere' if everywhere else ''}.")


def whoami(url: Url = None, user: User = None, password: Password = None, as_json: AsJson = False) -> None:
    """Show your account and how much of your quotas you use."""
    from workroom.client.transport.http import call_once  # noqa: PLC0415 - slow to import, `--help` is fast

    server, name = url or DEFAULT_URL, _user_name(user, password)
    token = _password_token(server, name, password) or _token_file(server, name).load()
    if token is None:
        raise _not_logged_in(server, name)
    _print_account(call_once(server, token, "GET", "/api/users/me"), server, as_json=as_json)


def _print_account(me: dict[str, Any], server: str, *, as_json: bool) -> None:
    if as_json:
        import orjson  # noqa: PLC0415

        print(orjson.dumps(me).decode())
        return
    print(f"{me['user']} ({me['role']}) at {server}")
    for kind, usage in me["usage"].items():
        limit = "no limit" if usage["limit"] is None else f"of {usage['limit']:,}"
        print(f"{kind:<12}{usage['used']:>16,} {limit}")


def _user_name(user: str | None, password: str | None) -> str:
    from workroom.client.transport.connection import login_name  # noqa: PLC0415

    return user or ("admin" if password else login_name())


def _token_file(server: str, name: str) -> TokenFile:
    from workroom.client.transport.addresses import Addresses  # noqa: PLC0415
    from workroom.client.transport.identity import TokenFile  # noqa: PLC0415

    return TokenFile(f"{Addresses(server).name} {name}")


def _password_token(server: str, name: str, password: str | None) -> str | None:
    """A new token for a password; None without one."""
    from workroom.client.transport.http import call_once  # noqa: PLC0415

    if password is None:
        return None
    return str(call_once(server, None, "POST", "/api/login", {"name": name, "password": password})["token"])


def _not_logged_in(server: str, name: str) -> CommandError:
    return CommandError(f"{name} is not logged in to {server} on this machine: pass --user or --password")
