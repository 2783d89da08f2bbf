"""Versions, directories, disks, keys, open files and the port."""

from __future__ import annotations

import fcntl
import os
import platform
import resource
import shutil
import socket
import sqlite3
import stat
import sys
from collections.abc import Iterator
from pathlib import Path

from workroom import __version__
from workroom.server.doctor.finding import Finding, ok, problem, warning
from workroom.server.process import LOCK
from workroom.services.identity.tokens import signing_key
from workroom.settings import Settings

_LOW_DISK = 5  # times the space that is kept free
_OTHER_FILES = 256
_OTHERS = stat.S_IRWXG | stat.S_IRWXO


def check_versions() -> Iterator[Finding]:
    yield ok(
        "versions",
        f"workroom {__version__}, Python {platform.python_version()}, SQLite {sqlite3.sqlite_version},"
        f" {platform.system()} {platform.release()}",
    )
    if sys.platform == "win32":
        yield problem("versions", "the server does not run on Windows", "use Linux, macOS or WSL")


def check_directory(settings: Settings) -> Iterator[Finding]:
    path = settings.data_dir
    if not path.exists():
        parent = next(each for each in path.absolute().parents if each.exists())
        if os.access(parent, os.W_OK):
            yield ok("data directory", f"{path} will be made by the first start")
        else:
            yield problem("data directory", f"{parent} is not writable", "choose another --data-dir")
        return
    if not path.is_dir():
        yield problem("data directory", f"{path} is a file", "choose another --data-dir")
    elif not os.access(path, os.R_OK | os.W_OK | os.X_OK):
        yield problem("data directory", f"{path} is not writable", "make it writable for the server's user")
    elif path.stat().st_mode & _OTHERS:
        yield warning(
            "permissions", f"others may read {path}, which has keys and values", f"chmod 700 {path}"
        )
    else:
        yield ok("permissions", f"{path} is writable, and only its owner may read it")


def check_key(settings: Settings) -> Iterator[Finding]:
    """Reads the key and makes none."""
    path = settings.data_dir / "signing.key"
    if settings.signing_key is not None:
        yield ok("signing key", "is given by WORKROOM_SIGNING_KEY")
    elif not path.exists():
        yield ok("signing key", "will be made by the first start")
    else:
        try:
            signing_key(settings.data_dir)
        except RuntimeError as error:
            yield problem("signing key", str(error), "restore it from a backup")
            return
        if path.stat().st_mode & _OTHERS:
            yield warning("signing key", f"others may read {path}", f"chmod 600 {path}")
        else:
            yield ok("signing key", f"{path} is readable for its owner alone")


def check_disks(settings: Settings) -> Iterator[Finding]:
    kept = settings.min_free_bytes
    for path in {_existing(each.absolute()) for each in settings.disks}:
        free = shutil.disk_usage(path).free
        text = f"{free / 1e9:.1f} GB free for {path}; the server keeps {kept / 1e9:.1f} GB free"
        if free < kept:
            yield problem("disk", text, "make room: nothing is stored until then")
        elif free < _LOW_DISK * kept:
            yield warning("disk", text, "make room soon")
        else:
            yield ok("disk", text)


def check_open_files(settings: Settings) -> Iterator[Finding]:
    _, most = resource.getrlimit(resource.RLIMIT_NOFILE)
    if most != resource.RLIM_INFINITY and most < settings.max_connections + _OTHER_FILES:
        text = (
            f"a process may open {most} files, fewer than max_connections ({settings.max_connections}) needs"
        )
        yield warning("open files", text, "raise LimitNOFILE of the service, or ulimit -Hn")
    else:
        yield ok("open files", "enough for every connection")


def check_ports(settings: Settings) -> Iterator[Finding]:
    url = _running_url(settings.data_dir)
    ports = [
        ("port", settings.host, settings.port),
        ("metrics port", settings.metrics_host, settings.metrics_port),
    ]
    for subject, host, port in ports:
        if port:
            yield _check_port(subject, host, port, url)


def _check_port(subject: str, host: str, port: int, url: str | None) -> Finding:
    where = f"{host}:{port}"
    try:
        with socket.create_server((host, port), family=socket.AF_INET6 if ":" in host else socket.AF_INET):
            return ok(subject, f"{where} is free")
    except OSError as error:
        if url is not None:
            return ok(subject, f"{where} is in use, and a server runs on this data directory at {url}")
        return problem(
            subject, f"cannot listen on {where}: {error.strerror}", "stop what uses it, or choose another"
        )


def _running_url(data_dir: Path) -> str | None:
    """The address of the server that holds the lock of the data directory, if there is one."""
    try:
        with (data_dir / LOCK).open() as lock:
            try:
                fcntl.flock(lock, fcntl.LOCK_SH | fcntl.LOCK_NB)
            except BlockingIOError:
                return lock.read().strip() or "an address not known yet"
    except OSError:
        pass
    return None


def _existing(path: Path) -> Path:
    return next(each for each in (path, *path.parents) if each.exists())
