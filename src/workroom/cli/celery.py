"""`workroom celery`: this machine is a part of the server's Celery fleet."""

from __future__ import annotations

import os
from typing import Annotated, Literal

import typer

from workroom.cli.configuration import configuration
from workroom.cli.mistakes import Failure, UsageMistake
from workroom.cli.options import Url
from workroom.cli.worker import Quiet

_QUIET_FLEET = ["--without-gossip", "--without-mingle"]  # its members need not know each other


def celery(
    extensions: Annotated[list[str] | None, typer.Argument(help="module:Class, as the server's")] = None,
    broker: Annotated[str | None, typer.Option(envvar="WORKROOM_BROKER", help="Broker URL.")] = None,
    concurrency: Annotated[int | None, typer.Option(min=1, help="Jobs at once. Default: CPUs")] = None,
    pool: Annotated[Literal["prefork", "threads", "solo"], typer.Option(help="What runs them.")] = "prefork",
    quiet: Quiet = False,
    url: Url = None,
) -> None:
    """Run jobs of the server's own extensions in a Celery worker; `serve` with --runner celery calls it.

    WORKROOM_TOKEN is a token of the role runner: `workroom token create fleet --role runner`.
    """
    if not os.environ.get("WORKROOM_TOKEN"):
        raise UsageMistake("put a token into WORKROOM_TOKEN: workroom token create fleet --role runner")
    settings = configuration({"runner": "celery", "extensions": extensions or None, "broker": broker})
    os.environ["WORKROOM_EXTENSIONS"] = ",".join(settings.extensions)
    os.environ["WORKROOM_BROKER"] = settings.broker_url or ""
    if url:
        os.environ["WORKROOM_URL"] = url
    try:
        from workroom.runners.celery import app  # noqa: PLC0415 - an optional package, and heavy
    except ModuleNotFoundError as error:
        raise Failure(f"Celery is missing ({error.name}): pip install 'workroom[celery]'") from error
    options = [f"--pool={pool}", f"--loglevel={'ERROR' if quiet else 'INFO'}", *_QUIET_FLEET]
    size = [] if concurrency is None else [f"--concurrency={concurrency}"]
    app.worker_main(["worker", *options, *size])
