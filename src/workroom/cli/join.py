"""`workroom join CODE script.py`: this machine becomes a worker of one room."""

from __future__ import annotations

from typing import Annotated

import typer

from workroom.cli.options import Url
from workroom.cli.worker import Name, Quiet, Slots, serve_extensions


def join(
    code: Annotated[str, typer.Argument(help="The pairing code that was made in the room.")],
    extensions: Annotated[list[str], typer.Argument(help="module:Class, module, or file.py")],
    slots: Slots = 1,
    name: Name = None,
    quiet: Quiet = False,
    url: Url = None,
) -> None:
    """Serve extensions in the room that a code was made in. The code works once, and for that room alone."""
    from workroom.client.once import call  # noqa: PLC0415 - heavy, and `--help` does not need it
    from workroom.runners.loading import load  # noqa: PLC0415

    classes = load(extensions)
    welcome = call(url, None, "POST", "/api/login", {"code": code})
    serve_extensions(
        classes,
        room=welcome["room"],
        public=False,
        slots=slots,
        name=name,
        quiet=quiet,
        url=url,
        token=welcome["token"],
    )
