"""The command line: parse, call, print."""

from __future__ import annotations

import sys
from typing import cast

import typer

from workroom import __version__
from workroom.cli import accounts, celery, jobs, join, login, logs, serve, submit, worker
from workroom.cli.mistakes import Failure, UsageMistake
from workroom.errors import InvalidName, WorkroomError

app = typer.Typer(
    name="workroom",
    help="Turn a Python class into a job that anyone in a shared room can run, and never lose it.",
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
app.command("celery")(celery.celery)
app.command("submit")(submit.submit)
app.command("jobs")(jobs.jobs)
app.command("job")(jobs.job)
app.command("cancel")(jobs.cancel)
app.command("logs")(logs.logs)
app.command("join")(join.join)
app.command("login")(login.login)
app.add_typer(accounts.users, name="user")
app.add_typer(accounts.tokens, name="token")

# What the parser raises for unknown options, missing arguments, … has no public name of its own.
_ParserError = cast("type[typer.BadParameter]", typer.BadParameter.__bases__[0])


def main() -> None:
    try:
        sys.exit(app(sys.argv[1:] or ["--help"], standalone_mode=False))
    except KeyboardInterrupt:
        sys.exit(130)
    except (UsageMistake, InvalidName) as mistake:
        _end(str(mistake), 2)
    except _ParserError as mistake:
        _end(f"{mistake.format_message().rstrip('.')}. Try --help.", 2)
    except (WorkroomError, Failure, ValueError) as failure:
        _end(str(failure), 1)


def _end(words: str, code: int) -> None:
    print(f"workroom: {words}", file=sys.stderr)
    sys.exit(code)
