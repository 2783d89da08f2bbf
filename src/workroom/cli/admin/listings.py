"""`workroom rooms`, `tools`, `users`, `audit` and `settings`."""

from __future__ import annotations

from typing import Annotated

import typer

from workroom.cli.options import AsJson, Password, Url, User
from workroom.cli.remote import remote
from workroom.cli.tables import in_bytes, in_percent, in_time, print_json, print_table

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
    if as_json:
        print_json(found)
        return
    titles = ["room", "title", "owner", "access", *(["jobs", "files", "size"] if usage else [])]
    rows = [[each["name"], each["title"], each["owner"], _access(each["private"])] for each in found]
    if usage:
        for row, each in zip(rows, found, strict=True):
            row += [f"{each['unfinished_jobs']:,}", f"{each['files']:,}", in_bytes(each["bytes"])]
    print_table(titles, rows, "No rooms yet.")


def _access(private: bool) -> str:
    return "private" if private else "open"


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
    if as_json:
        print_json(found)
        return
    titles = ["tool", "room", "state", "idle", "busy", "pending"]
    rows = [
        [
            f"{each['category']}/{each['name']}",
            each["room"] or "every",
            _state(each),
            *(f"{each[name]:,}" for name in ("idle_workers", "busy_workers", "pending_jobs")),
        ]
        for each in found
    ]
    if room is None:
        titles += ["wait p90", "run p90", "failed"]
        for row, each in zip(rows, found, strict=True):
            recent = each["recent"]
            row += [
                in_time((recent["wait_time_ms"] or {}).get("p90")),
                in_time((recent["execution_time_ms"] or {}).get("p90")),
                in_percent(recent["failure_rate"]),
            ]
    print_table(titles, rows, "No tools yet.")


def _state(tool: dict[str, object]) -> str:
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
    if as_json:
        print_json(found)
        return
    rows = [
        [
            each["name"],
            each["display_name"],
            each["role"],
            "disabled" if each["disabled"] else "",
            each["created_at"][:10],
        ]
        for each in found
    ]
    print_table(["user", "name", "role", "state", "since"], rows, "No accounts yet.")


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
    if as_json:
        print_json(found)
        return
    rows = [
        [
            each["at"].replace("T", " ")[:19],
            each["actor"],
            each["action"].replace("_", " "),
            each["target"],
            each["detail"],
        ]
        for each in found
    ]
    print_table(["time", "who", "what", "whom", "detail"], rows, "Nothing is on record yet.")


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
    if as_json:
        print_json(found)
        return
    rows = [
        [
            f"WORKROOM_{each['name'].upper()}",
            "" if each["value"] is None else str(each["value"]),
            "" if each["is_default"] else "set",
            each["description"],
        ]
        for each in found
    ]
    print_table(["setting", "value", "", "what"], rows, "Every setting has its default.")
