"""`workroom rooms`, `tools`, `users`, `audit` and `settings`."""

from __future__ import annotations

from typing import Annotated

import typer

from workroom.cli.options import AsJson, Password, Url, User
from workroom.cli.remote import remote
from workroom.cli.tables import Document, in_bytes, in_date, in_percent, in_time, print_list

Many = Annotated[int, typer.Option(min=1, max=100_000, help="How many to list at most.")]


def rooms(
    usage: Annotated[bool, typer.Option("--usage", help="With jobs, files and bytes; for admins.")] = False,
    limit: Many = 1000,
    as_json: AsJson = False,
    url: Url = None,
    user: User = None,
    password: Password = None,
) -> None:
    """List the rooms that you may enter."""
    with remote(url, user, password) as server:
        path = ("admin", "rooms") if usage else ("rooms",)
        found = server.items(*path, limit=limit)
    titles = ["room", "title", "owner", "access", *(["jobs", "files", "size"] if usage else [])]
    print_list(found, titles, _used_room if usage else _room, "No rooms yet.", as_json=as_json)


def _room(each: Document) -> list[str]:
    return [each["name"], each["title"], each["owner"], "private" if each["private"] else "open"]


def _used_room(each: Document) -> list[str]:
    return [
        *_room(each),
        f"{each['unfinished_jobs']:,}",
        f"{each['files']:,}",
        in_bytes(each["bytes"]),
    ]


def tools(
    room: Annotated[
        str | None, typer.Argument(help="The room. Without it, all of the server; for admins.")
    ] = None,
    as_json: AsJson = False,
    url: Url = None,
    user: User = None,
    password: Password = None,
) -> None:
    """List the tools of a room with their queues, or those of the whole server with their usage."""
    with remote(url, user, password) as server:
        path = ("extensions", "overview") if room is None else ("rooms", room, "extensions")
        found = server.get(*path)["items"]
    titles = ["tool", "room", "state", "idle", "busy", "pending"]
    if room is None:
        titles += ["wait p90", "run p90", "failed"]
    print_list(found, titles, _used_tool if room is None else _tool, "No tools yet.", as_json=as_json)


def _tool(each: Document) -> list[str]:
    return [
        f"{each['category']}/{each['name']}",
        each["room"] or "every",
        _state(each),
        *(f"{each[name]:,}" for name in ("idle_workers", "busy_workers", "pending_jobs")),
    ]


def _used_tool(each: Document) -> list[str]:
    recent = each["recent"]
    return [
        *_tool(each),
        in_time((recent["wait_time_ms"] or {}).get("p90")),
        in_time((recent["execution_time_ms"] or {}).get("p90")),
        in_percent(recent["failure_rate"]),
    ]


def _state(tool: Document) -> str:
    if tool["paused"]:
        return "paused"
    if tool["circuit_open"]:
        return "circuit open"
    return "away" if not tool["idle_workers"] and not tool["busy_workers"] else "ready"


def users(
    limit: Many = 1000, as_json: AsJson = False, url: Url = None, user: User = None, password: Password = None
) -> None:
    """List all accounts; for admins. `workroom user` changes them."""
    with remote(url, user, password) as server:
        found = server.items("users", limit=limit)
    titles = ["user", "name", "role", "state", "since"]
    print_list(found, titles, _account, "No accounts yet.", as_json=as_json)


def _account(each: Document) -> list[str]:
    state = "disabled" if each["disabled"] else ""
    return [each["name"], each["display_name"], each["role"], state, each["created_at"][:10]]


def audit(
    limit: Annotated[int, typer.Option(min=1, max=500)] = 50,
    as_json: AsJson = False,
    url: Url = None,
    user: User = None,
    password: Password = None,
) -> None:
    """List what administrators did, newest first; for admins."""
    with remote(url, user, password) as server:
        found = server.get("admin", "audit", limit=limit)["items"]
    titles = ["time", "who", "what", "whom", "detail"]
    print_list(found, titles, _action, "Nothing is on record yet.", as_json=as_json)


def _action(each: Document) -> list[str]:
    action = each["action"].replace("_", " ")
    return [in_date(each["at"]), each["actor"], action, each["target"], each["detail"]]


def settings(
    changed: Annotated[bool, typer.Option("--changed", help="Only those that are not the default.")] = False,
    as_json: AsJson = False,
    url: Url = None,
    user: User = None,
    password: Password = None,
) -> None:
    """List the settings in force at a server, without secrets; for admins."""
    with remote(url, user, password) as server:
        found = server.get("admin", "settings")["items"]
    found = [each for each in found if not (changed and each["is_default"])]
    titles = ["setting", "value", "", "what"]
    print_list(found, titles, _setting, "Every setting has its default.", as_json=as_json)


def _setting(each: Document) -> list[str]:
    return [
        f"WORKROOM_{each['name'].upper()}",
        "" if each["value"] is None else str(each["value"]),
        "" if each["is_default"] else "set",
        each["description"],
    ]
