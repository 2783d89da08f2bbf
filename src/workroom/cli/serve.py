"""`workroom serve` and `workroom demo`."""

from __future__ import annotations

import contextlib
from pathlib import Path
from typing import TYPE_CHECKING, Annotated, Any

import orjson
import typer

from workroom.cli.configuration import configuration
from workroom.cli.invocation import command
from workroom.cli.mistakes import Failure
from workroom.cli.preflight import check_data

if TYPE_CHECKING:
    from workroom.settings import Settings

DEMO_PACK = "workroom.packs.demo"

Host = Annotated[str | None, typer.Option(help="Address to listen on. Default: 127.0.0.1")]
Port = Annotated[int | None, typer.Option(help="Port; 0 picks a free one. Default: 8000")]
DataDir = Annotated[Path | None, typer.Option(help="Where everything is kept. Default: ./workroom-data")]
AsJson = Annotated[bool, typer.Option("--json", help="Print the address as one JSON object.")]


def serve(
    host: Host = None,
    port: Port = None,
    data_dir: DataDir = None,
    store: Annotated[str | None, typer.Option(help="Store URL, e.g. sqlite:///file.db")] = None,
    runner: Annotated[str | None, typer.Option(help="local or celery. Default: local")] = None,
    broker: Annotated[str | None, typer.Option(help="Broker URL of the Celery fleet.")] = None,
    workers: Annotated[int | None, typer.Option(help="Local worker processes. Default: 1")] = None,
    slots: Annotated[int | None, typer.Option(help="Jobs each of them runs at once. Default: 1")] = None,
    extensions: Annotated[list[str] | None, typer.Option(help="module:Class to serve; repeat it.")] = None,
    as_json: AsJson = False,
) -> None:
    """Start the server. Every option is also a setting: WORKROOM_PORT, WORKROOM_DATA_DIR, …"""
    given: dict[str, Any] = {
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
    _serve(configuration(given), as_json=as_json)


def demo(port: Port = None, data_dir: DataDir = None, as_json: AsJson = False) -> None:
    """Start a server with a few extensions to play with and one local worker."""
    given = {"port": port, "data_dir": data_dir, "extensions": [DEMO_PACK]}
    _serve(configuration(given), as_json=as_json, greeting=_DEMO)


_DEMO = """
Open {url}/rooms/demo in a browser. Or try, in another terminal:
  {submit}
  {jobs}
REST documentation: {url}/docs            Ctrl-C stops the server; nothing is lost.
"""


def _serve(settings: Settings, *, as_json: bool, greeting: str = "") -> None:
    check_data(settings.data_dir, settings.store_url, settings.archive)
    try:
        from workroom.server import serving  # noqa: PLC0415 - the client installs without the server's packages
    except ModuleNotFoundError as error:
        raise Failure(
            f"the server needs more packages ({error.name}): pip install 'workroom[server]'"
        ) from error

    def announce(address: serving.Address) -> None:
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
        print(f"To be its admin, once: {address.admin_link}", flush=True)
        if greeting:
            submit = command(
                "submit", "demo", "analysis/EstimatePi", "samples=2000000", "--wait", url=address.url
            )
            jobs = command("jobs", "demo", url=address.url)
            print(greeting.format(url=address.url, submit=submit, jobs=jobs), flush=True)

    with contextlib.suppress(KeyboardInterrupt):
        serving.serve(settings, announce)
