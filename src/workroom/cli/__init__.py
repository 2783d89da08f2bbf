"""The command line: parse, call, print."""

from __future__ import annotations

import sys
from typing import cast

import typer

from workroom import __version__
from workroom.cli import browse
from workroom.cli.admin import listings, top
from workroom.cli.dev import command as dev
from workroom.cli.errors import CommandError, UsageError
from workroom.cli.jobs import groups, jobs, submit
from workroom.cli.people import accounts, identity, invite
from workroom.cli.room_data import changes as room_data
from workroom.cli.room_data import frames, structures
from workroom.cli.server import backup, doctor, serve
from workroom.cli.workers import celery, worker, workers
from workroom.errors import BackupFailed, InvalidName, StartRefused, WorkroomError

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
    version: bool = typer.Option(
        False, "--version", callback=_version, is_eager=True, help="Print the version."
    ),
) -> None: ...


app.command("serve")(serve.serve)
app.command("demo")(serve.demo)
app.command("dev")(dev.dev)
app.command("worker")(worker.worker)
app.command("celery")(celery.celery)
app.command("backup")(backup.backup)
app.command("restore")(backup.restore)
app.command("doctor")(doctor.doctor)
app.command("top")(top.top)
app.command("submit")(submit.submit)
app.command("upload")(structures.upload)
app.command("download")(structures.download)
app.command("jobs")(jobs.jobs)
app.command("job")(jobs.job)
app.command("cancel")(jobs.cancel)
app.command("groups")(groups.groups)
app.command("group")(groups.group)
app.command("logs")(jobs.logs)
app.command("lock")(room_data.lock)
app.command("undo")(room_data.undo)
app.command("redo")(room_data.redo)
app.command("versions")(room_data.versions)
app.command("rooms")(listings.rooms)
app.command("tools")(listings.tools)
app.command("users")(listings.users)
app.command("audit")(listings.audit)
app.command("settings")(listings.settings)
app.command("open")(browse.open_page)
app.command("join")(worker.join)
app.command("invite")(invite.invite)
app.command("login")(identity.login)
app.command("logout")(identity.logout)
app.command("whoami")(identity.whoami)
app.add_typer(frames.frames, name="frames")
app.add_typer(workers.workers, name="workers")
app.add_typer(accounts.users, name="user")
app.add_typer(accounts.tokens, name="token")

# The base class of the parser's errors has no public name in Typer.
_ParserError = cast("type[typer.BadParameter]", typer.BadParameter.__bases__[0])


def main() -> None:
    try:
        sys.exit(app(sys.argv[1:] or ["--help"], standalone_mode=False))
    except KeyboardInterrupt:
        sys.exit(130)
    except (UsageError, InvalidName) as error:
        _exit(str(error), 2)
    except _ParserError as error:
        _exit(f"{error.format_message().rstrip('.')}. Try --help.", 2)
    except (WorkroomError, CommandError, StartRefused, BackupFailed, ValueError) as error:
        _exit(str(error), 1)


def _exit(message: str, code: int) -> None:
    print(f"workroom: {message}", file=sys.stderr)
    sys.exit(code)
