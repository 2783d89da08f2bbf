"""`workroom dev`."""

from __future__ import annotations

import contextlib
from pathlib import Path
from typing import TYPE_CHECKING, Annotated

import orjson
import typer

from workroom.cli.errors import CommandError
from workroom.cli.server.configuration import configuration
from workroom.cli.server.preflight import check_data
from workroom.cli.server.serve import AsJson, DataDir, Host, Port

if TYPE_CHECKING:
    from workroom.cli.dev.problem import Problem
    from workroom.cli.dev.supervisor import Supervisor
    from workroom.server.process import Address
    from workroom.settings import Settings

_LINGER_SECONDS = 3  # of a tool that the files no longer define


def dev(
    extensions: Annotated[list[str], typer.Argument(help="file.py, module, or module:Class")],
    room: Annotated[str, typer.Option(help="The room to serve them in.")] = "dev",
    slots: Annotated[int, typer.Option(min=1, help="Jobs to run at once.")] = 1,
    host: Host = None,
    port: Port = None,
    data_dir: DataDir = None,
    as_json: AsJson = False,
) -> None:
    """Start a server and serve your extensions in a room; saving a file serves the new version.

    What is wrong with the files is printed, and shown in the room's page.
    """
    for name in extensions:
        path = Path(name.partition(":")[0])
        if path.suffix == ".py" and not path.is_file():
            raise CommandError(f"there is no file {path}")
    options = {"host": host, "port": port, "data_dir": data_dir, "extension_linger": _LINGER_SECONDS}
    settings = configuration({**options, "workers": 0, "packs": []})
    check_data(settings.data_dir, settings.store_url, settings.archive)
    _serve(settings, extensions, room, slots, as_json=as_json)


def _serve(settings: Settings, extensions: list[str], room: str, slots: int, *, as_json: bool) -> None:
    try:
        from workroom.server import process  # noqa: PLC0415 - the client installs without the server's packages
    except ModuleNotFoundError as error:
        raise CommandError(
            f"the server needs a package that is not installed ({error.name}): pip install 'workroom[server]'"
        ) from error
    supervisors: list[Supervisor] = []

    def announce(address: Address) -> None:
        supervisor = _supervisor(address.url, extensions, room, slots)
        _print_address(address.url, room, as_json=as_json)
        supervisors.append(supervisor)
        supervisor.start()

    def stop() -> None:
        for supervisor in supervisors:
            supervisor.stop()

    with contextlib.suppress(KeyboardInterrupt):
        process.serve(settings, announce, before_shutdown=stop)


def _supervisor(url: str, extensions: list[str], room: str, slots: int) -> Supervisor:
    from workroom.cli.dev.notices import PageNotice, print_notice, print_problem  # noqa: PLC0415 - slow to import
    from workroom.cli.dev.supervisor import Supervisor  # noqa: PLC0415

    notice = PageNotice(url, room)

    def show(problem: Problem | None) -> None:
        print_problem(problem)
        notice.show(problem)

    return Supervisor(extensions, room=room, slots=slots, url=url, show=show, notify=print_notice)


def _print_address(url: str, room: str, *, as_json: bool) -> None:
    page = f"{url}/rooms/{room}"
    if as_json:
        print(orjson.dumps({"url": url, "page": page}).decode(), flush=True)
    else:
        print(f"Open {page} in a browser. Saving a file serves its new version; Ctrl-C stops.", flush=True)
