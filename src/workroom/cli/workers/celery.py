"""`workroom celery`: joins the server's Celery fleet."""

from __future__ import annotations

import os
from typing import Annotated, Literal

import typer

from workroom.cli.errors import CommandError, UsageError
from workroom.cli.options import Url
from workroom.cli.server.configuration import configuration
from workroom.cli.workers.worker import Quiet

_NO_CHATTER = ["--without-gossip", "--without-mingle"]  # members do not talk to each other


def celery(
    extensions: Annotated[
        list[str] | None, typer.Argument(help="module:Class, the same as the server's")
    ] = None,
    broker: Annotated[str | None, typer.Option(envvar="WORKROOM_BROKER", help="Broker URL.")] = None,
    concurrency: Annotated[
        int | None, typer.Option(min=1, help="Jobs to run at once. Default: number of CPUs")
    ] = None,
    pool: Annotated[Literal["prefork", "threads", "solo"], typer.Option(help="Celery's pool.")] = "prefork",
    quiet: Quiet = False,
    url: Url = None,
) -> None:
    """Run the server's own extensions in a Celery worker, for `workroom serve --runner celery`.

    WORKROOM_TOKEN must have the role runner: `workroom token create fleet --role runner`.
    """
    if not os.environ.get("WORKROOM_TOKEN"):
        raise UsageError("WORKROOM_TOKEN is not set. Create it: workroom token create fleet --role runner")
    settings = configuration({"runner": "celery", "extensions": extensions or None, "broker": broker})
    os.environ["WORKROOM_EXTENSIONS"] = ",".join(settings.extensions)
    os.environ["WORKROOM_BROKER"] = settings.broker_url or ""
    if url:
        os.environ["WORKROOM_URL"] = url
    try:
        from workroom.runners.celery import app  # noqa: PLC0415 - an optional package
    except ModuleNotFoundError as error:
        raise CommandError(
            f"Celery is not installed ({error.name}): pip install 'workroom[celery]'"
        ) from error
    options = [f"--pool={pool}", f"--loglevel={'ERROR' if quiet else 'INFO'}", *_NO_CHATTER]
    size = [] if concurrency is None else [f"--concurrency={concurrency}"]
    app.worker_main(["worker", *options, *size])
