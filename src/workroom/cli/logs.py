"""`workroom logs`: what a job has printed."""

from __future__ import annotations

from typing import Annotated

import orjson
import typer

from workroom.cli.following import plain
from workroom.cli.jobs import JobId
from workroom.cli.options import LOBBY, AsJson, Password, Url, User, connect


def logs(
    job_id: JobId,
    follow: Annotated[bool, typer.Option("--follow", "-f", help="Go on until the job ends.")] = False,
    as_json: AsJson = False,
    url: Url = None,
    user: User = None,
    password: Password = None,
) -> None:
    """Print what a job has printed and logged. With --json, one object for each line."""
    with connect(LOBBY, url, user, password) as place:
        job = place.job(job_id)
        batches = (lines for _, lines in job.follow()) if follow else [job.logs()]
        for lines in batches:
            for line in lines:
                print(orjson.dumps(line).decode() if as_json else plain(line), flush=follow)
