"""`workroom doctor`."""

from __future__ import annotations

import asyncio
from dataclasses import asdict
from pathlib import Path
from typing import Annotated

import orjson
import typer

from workroom.cli.options import AsJson
from workroom.cli.server.configuration import configuration


def doctor(
    data_dir: Annotated[Path | None, typer.Option(help="Data directory. Default: ./workroom-data")] = None,
    store: Annotated[str | None, typer.Option(help="Store URL of the server, if it has one.")] = None,
    as_json: AsJson = False,
) -> None:
    """Check what a server needs, and print what to do. Exits with 1 if there is a problem."""
    settings = configuration({"data_dir": data_dir, "store": store})
    from workroom.server.doctor.doctor import examine  # noqa: PLC0415 - `--help` is fast
    from workroom.server.doctor.finding import Level  # noqa: PLC0415

    findings = asyncio.run(examine(settings))
    if as_json:
        print(orjson.dumps([asdict(each) for each in findings]).decode())
    else:
        for each in findings:
            advice = f"\n{'':9}→ {each.advice}" if each.advice else ""
            print(f"{each.level:9}{each.subject}: {each.text}{advice}")
    if any(each.level is Level.PROBLEM for each in findings):
        raise typer.Exit(1)
