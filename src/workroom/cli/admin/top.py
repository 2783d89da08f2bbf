"""`workroom top`: the fleet and the queues, live."""

from __future__ import annotations

import contextlib
import time
from collections.abc import Sequence
from typing import Annotated, Any

import typer
from rich.console import Group, RenderableType
from rich.live import Live
from rich.text import Text

from workroom.cli.options import AsJson, Password, Url, User
from workroom.cli.remote import Remote, remote
from workroom.cli.tables import in_bytes, in_percent, in_time, print_json, screen, table

Document = dict[str, Any]
_TICKS = "▁▂▃▄▅▆▇█"
_MINUTE_MS = 60_000
_ORDER = {"running": 0, "assigned": 1, "idle": 2, "offline": 3}


def top(
    once: Annotated[bool, typer.Option("--once", help="Print it once.")] = False,
    interval: Annotated[float, typer.Option(min=0.2, help="Seconds between two readings.")] = 2.0,
    rows: Annotated[int, typer.Option(min=1, max=1000, help="Queues and workers to show of each.")] = 15,
    as_json: AsJson = False,
    url: Url = None,
    user: User = None,
    password: Password = None,
) -> None:
    """Show the queues and the workers of a server, live; for admins. Ctrl-C ends it.

    With --json, or where the output is no terminal, it is printed once.
    """
    console = screen()
    with remote(url, user, password) as server:
        if as_json:
            print_json(_read(server))
            return
        if once or not console.is_terminal:
            console.print(_view(_read(server), rows))
            return
        with contextlib.suppress(KeyboardInterrupt), Live(console=console, auto_refresh=False) as live:
            while True:
                live.update(_view(_read(server), rows), refresh=True)
                time.sleep(interval)


def _read(server: Remote) -> Document:
    return {
        "url": server.url,
        "overview": server.get("admin", "overview", hours=1),
        "workers": server.get("workers")["items"],
    }


def _view(found: Document, rows: int) -> RenderableType:
    overview = found["overview"]
    return Group(
        Text(_headline(found), style="bold"),
        Text(_throughput(overview["points"]), style="dim"),
        Text(),
        _queues(overview["extensions"], rows),
        Text(),
        _workers(found["workers"], rows),
    )


def _headline(found: Document) -> str:
    overview, workers = found["overview"], found["workers"]
    if not overview["store_up"]:
        return f"{found['url']}   the store does not respond"
    online = [each for each in workers if each["state"] != "offline"]
    busy = sum(each["assigned_jobs"] + each["running_jobs"] for each in online)
    slots, stored = sum(each["slots"] for each in online), in_bytes(overview["bytes"])
    return (
        f"{found['url']}   {overview['unfinished_jobs']:,} unfinished jobs   {len(online):,} workers, "
        f"{busy:,} of {slots:,} slots busy   {stored} stored"
    )


def _throughput(points: Sequence[Document]) -> str:
    if not points:
        return "the server has just started"
    rates = [
        (each["completed"] + each["failed"]) * _MINUTE_MS / max(each["duration_ms"], 1) for each in points
    ]
    last = points[-1]
    waits, runs = last["wait_time_ms"] or {}, last["execution_time_ms"] or {}
    return (
        f"{_sparkline(rates)}  {rates[-1]:,.0f} jobs per minute   wait {in_time(waits.get('p50'))} "
        f"(p90 {in_time(waits.get('p90'))})   run {in_time(runs.get('p50'))} (p90 {in_time(runs.get('p90'))})"
    )


def _sparkline(values: Sequence[float]) -> str:
    most = max(values) or 1
    return "".join(_TICKS[min(len(_TICKS) - 1, int(value / most * len(_TICKS)))] for value in values)


def _queues(extensions: Sequence[Document], rows: int) -> RenderableType:
    """Those with the most pending jobs, then those that did the most."""
    busiest = sorted(extensions, key=lambda each: (-each["pending"], -_ended(each), each["name"]))
    listed = [
        [
            each["name"] if each["scope"] != "room" else f"{each['name']} (room)",
            f"{each['pending']:,}",
            in_time(each["oldest_ms"]),
            f"{_ended(each):,}",
            in_percent(each["failure_rate"]),
            _state(each),
        ]
        for each in busiest[:rows]
    ]
    return (
        table(["queue", "pending", "oldest", "ended/h", "failed", ""], listed)
        if listed
        else Text("No tools.")
    )


def _ended(extension: Document) -> int:
    return sum(extension["completed"]) + sum(extension["failed"])


def _state(extension: Document) -> str:
    states = ["paused"] if extension["paused"] else []
    return ", ".join([*states, "circuit open"] if extension["circuit_open"] else states)


def _workers(workers: Sequence[Document], rows: int) -> RenderableType:
    listed = [
        [
            each["name"],
            each["user"],
            f"{each['state']}, draining" if each["draining"] else each["state"],
            f"{each['assigned_jobs'] + each['running_jobs']} of {each['slots']}",
            ", ".join(f"{offer['category']}/{offer['name']}" for offer in each["extensions"][:3])
            + (" …" if len(each["extensions"]) > 3 else ""),
        ]
        for each in sorted(workers, key=lambda each: (_ORDER.get(each["state"], 9), each["name"]))[:rows]
    ]
    if not listed:
        return Text("No workers.")
    return table(["worker", "user", "state", "jobs", "offers"], listed)
