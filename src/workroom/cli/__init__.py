"""The command line: parse, call, print."""

from __future__ import annotations

import sys

import typer

from workroom import __version__
from workroom.cli import jobs, serve, submit, worker
from workroom.errors import WorkroomError

app = typer.Typer(
    name="workroom",
    help="Turn a Python class into a job that anyone in a shared room can run, and never lose it.",
    no_args_is_help=True,
    pretty_exceptions_enable=False,
)


def _version(wanted: bool) -> None:
    if wanted:
        print(__version__)
        raise typer.Exit


@app.callback()
def _options(
    version: bool = typer.Option(False, "--version", callback=_version, is_eager=True, help="Print it."),
) -> None: ...


app.command("serve")(serve.serve)
app.command("demo")(serve.demo)
app.command("worker")(worker.worker)
app.command("submit")(submit.submit)
app.command("jobs")(jobs.jobs)
app.command("job")(jobs.job)
app.command("cancel")(jobs.cancel)


def main() -> None:
    try:
        app()
    except KeyboardInterrupt:
        sys.exit(130)
    except (WorkroomError, ValueError) as error:
        print(f"workroom: {error}", file=sys.stderr)
        sys.exit(1)
