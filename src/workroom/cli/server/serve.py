"""`workroom serve` and `workroom demo`."""

from __future__ import annotations

import contextlib
import threading
from collections.abc import Callable
from pathlib import Path
from typing import TYPE_CHECKING, Annotated, Any

import orjson
import typer

from workroom.cli.errors import CommandError
from workroom.cli.invocation import command
from workroom.cli.server.configuration import configuration
from workroom.cli.server.preflight import check_data

if TYPE_CHECKING:
    from workroom.settings import Settings

DEMO_PACK = "workroom.packs.demo"
DEMO_ROOM = "demo"

Host = Annotated[str | None, typer.Option(help="Address to listen on. Default: 127.0.0.1")]
Port = Annotated[int | None, typer.Option(help="Port; 0 picks a free one. Default: 8000")]
DataDir = Annotated[Path | None, typer.Option(help="Data directory. Default: ./workroom-data")]
AsJson = Annotated[bool, typer.Option("--json", help="Print the address as one JSON object.")]


def serve(
    host: Host = None,
    port: Port = None,
    data_dir: DataDir = None,
    store: Annotated[str | None, typer.Option(help="Store URL, e.g. sqlite:///file.db")] = None,
    runner: Annotated[str | None, typer.Option(help="local or celery. Default: local")] = None,
    broker: Annotated[str | None, typer.Option(help="Broker URL of the Celery fleet.")] = None,
    workers: Annotated[int | None, typer.Option(help="Local worker processes. Default: 1")] = None,
    slots: Annotated[int | None, typer.Option(help="Jobs that each of them runs at once. Default: 1")] = None,
    extensions: Annotated[
        list[str] | None, typer.Option(help="module:Class to serve; may be repeated.")
    ] = None,
    as_json: AsJson = False,
) -> None:
    """Start the server. Every option is also a setting: WORKROOM_PORT, WORKROOM_DATA_DIR, …"""
    options: dict[str, Any] = {
        "host": host,
        "port": port,
        "data_dir": data_dir,
        "store": store,
        "runner": runner,
        "broker": broker,
        "workers": workers,
        "slots": slots,
        "extensions": extensions or None,
    }
    _serve(configuration(options), as_json=as_json)


def demo(port: Port = None, data_dir: DataDir = None, as_json: AsJson = False) -> None:
    """Start a server with a few example extensions and one local worker."""
    from workroom.packs.atoms import demo as atoms  # noqa: PLC0415 - slow to import, `--help` is fast
    from workroom.packs.media import demo as media  # noqa: PLC0415

    available = {name: pack for name, pack in (("atoms", atoms), ("media", media)) if pack.is_available()}
    rooms = [DEMO_ROOM, *(pack.ROOM for pack in available.values())]
    options = {"port": port, "data_dir": data_dir, "extensions": [DEMO_PACK], "rooms": rooms}
    settings = configuration(options)
    served = [pack for name, pack in available.items() if settings.packs is None or name in settings.packs]
    others = "".join(f", {{url}}/rooms/{pack.ROOM}" for pack in served)
    hint = _DEMO_HINT.replace("/rooms/demo in", f"/rooms/demo{others} in")

    def fill(url: str) -> None:
        for pack in served:
            pack.fill(url)

    _serve(settings, as_json=as_json, hint=hint, fill=fill)


_DEMO_HINT = """
Open {url}/rooms/demo in a browser, or try in another terminal:
  {submit}
  {jobs}
REST documentation: {url}/docs            Ctrl-C stops the server; nothing is lost.
"""


def _serve(
    settings: Settings, *, as_json: bool, hint: str = "", fill: Callable[[str], None] | None = None
) -> None:
    """`fill` is called with the server's address, in a thread of its own."""
    check_data(settings.data_dir, settings.store_url, settings.archive)
    try:
        from workroom.server import process  # noqa: PLC0415 - the client installs without the server's packages
    except ModuleNotFoundError as error:
        raise CommandError(
            f"the server needs a package that is not installed ({error.name}): pip install 'workroom[server]'"
        ) from error

    def announce(address: process.Address) -> None:
        if fill is not None:
            threading.Thread(target=fill, args=(address.url,), daemon=True).start()
        if as_json:
            document = {
                "url": address.url,
                "host": address.host,
                "port": address.port,
                "admin_link": address.admin_link,
            }
            print(orjson.dumps(document).decode(), flush=True)
            return
        print(f"Workroom is at {address.url}", flush=True)
        print(f"Log in as admin (works once): {address.admin_link}", flush=True)
        if hint:
            submit = command(
                "submit", "demo", "analysis/EstimatePi", "samples=2000000", "--wait", url=address.url
            )
            jobs = command("jobs", "demo", url=address.url)
            print(hint.format(url=address.url, submit=submit, jobs=jobs), flush=True)

    with contextlib.suppress(KeyboardInterrupt):
        process.serve(settings, announce)
